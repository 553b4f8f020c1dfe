// Keeps the last result in this browser, compressed, so a reload or a restart of the server loses nothing.

const NAME = "qassay", STORE = "results", KEY = "last";

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function run(mode, act) {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

// Keep a document; false where the browser does not let pages keep anything.
export async function keep(document_) {
  try {
    const packed = await pack(JSON.stringify(document_));
    await run("readwrite", (store) => store.put({packed, when: Date.now()}, KEY));
    return true;
  } catch {
    return false;
  }
}

// The kept document, as {document, when}; null without one.
export async function kept() {
  try {
    const found = await run("readonly", (store) => store.get(KEY));
    return found ? {document: JSON.parse(await unpack(found.packed)), when: found.when} : null;
  } catch {
    return null;
  }
}

// Delete the kept document; false where the browser does not let pages do so.
export async function forget() {
  try {
    await run("readwrite", (store) => store.delete(KEY));
    return true;
  } catch {
    return false;
  }
}

// Text as gzip, and back.
export function pack(text) {
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}

export function unpack(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
