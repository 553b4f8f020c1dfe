// The client of the server: uploads files, waits in line, and fetches the document.

// An identifier of this call for the server.
function sessionName() {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The document of files. Throws an Error with a sentence for the visitor.
//   gold: a File; systems: Files; options: name=value lines
//   progress: called with {sent: 0 to 1}, {place} in line, or {scoring: true}
//   signal: ends the wait
export async function score({gold, systems, options}, functionNumber, progress, signal) {
  const [goldFile, ...systemFiles] = await upload([gold, ...systems], (sent) => progress({sent}), signal);
  const session = sessionName();
  await answerOf(fetch("gradio_api/queue/join", {
    method: "POST",
    headers: {"content-type": "application/json"},
    body: JSON.stringify({data: [goldFile, systemFiles, options], fn_index: functionNumber, session_hash: session}),
    signal
  }));
  const key = await waitInLine(session, progress, signal);
  return (await answerOf(fetch(`document/${key}`, {signal}))).json();
}

// A document of a sample of the server.
export async function sample(name) {
  return (await answerOf(fetch(`sample/${encodeURIComponent(name)}`))).json();
}

// The page of a result without its data.
export async function pageShell() {
  return (await answerOf(fetch("shell"))).text();
}

async function answerOf(request) {
  let response;
  try {
    response = await request;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(LOST);
  }
  if (response.ok) return response;
  throw new Error(refusal(response.status, await response.text().catch(() => "")));
}

const LOST = "The server cannot be reached. Your files are still here: score again in a moment.";

// The sentence for a response that is not a success.
export function refusal(status, body) {
  let detail = body;
  try {
    detail = JSON.parse(body).detail ?? body;
  } catch {
    // the text itself
  }
  if (status === 503) return "Too many visitors are waiting. Score again in a minute.";
  return typeof detail === "string" && detail && detail.length < 500 && !detail.startsWith("<")
    ? sentence(detail)
    : `The server refused the request (${status}).`;
}

// Send files in one request; fetch does not report upload progress.
function upload(files, sent, signal) {
  return new Promise((resolve, reject) => {
    const form = new FormData(), request = new XMLHttpRequest();
    // Files get their index as name, since the server may not be able to store their names.
    files.forEach((file, place) => form.append("files", file, `file${place}${ending(file.name)}`));
    request.open("POST", "gradio_api/upload");
    request.upload.onprogress = (event) => event.lengthComputable && sent(event.loaded / event.total);
    request.onerror = () => reject(new Error(LOST));
    request.onabort = () => reject(new DOMException("stopped", "AbortError"));
    request.onload = () => {
      if (request.status !== 200) return reject(new Error(refusal(request.status, request.responseText)));
      const paths = JSON.parse(request.responseText);
      resolve(paths.map((path, place) => ({path, orig_name: files[place].name, meta: {_type: "gradio.FileData"}})));
    };
    signal.addEventListener("abort", () => request.abort(), {once: true});
    request.send(form);
  });
}

// The ending of a name, if it is a plain one.
export function ending(name) {
  return /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? "";
}

function waitInLine(session, progress, signal) {
  return new Promise((resolve, reject) => {
    const stream = new EventSource(`gradio_api/queue/data?session_hash=${session}`);
    const end = (how, value) => {
      stream.close();
      how(value);
    };
    signal.addEventListener("abort", () => end(reject, new DOMException("stopped", "AbortError")), {once: true});
    stream.onerror = () => end(reject, new Error(LOST));
    stream.onmessage = ({data}) => {
      const found = read(JSON.parse(data));
      if (found.error) end(reject, new Error(found.error));
      else if (found.key) end(resolve, found.key);
      else if (found.progress) progress(found.progress);
    };
  });
}

// What a message of the queue says: {progress}, {key} of the document, {error}, or nothing.
export function read(message) {
  switch (message.msg) {
    case "estimation":
      return {progress: {place: (message.rank ?? 0) + 1}};
    case "process_starts":
      return {progress: {scoring: true}};
    case "process_completed":
      if (message.success) return {key: message.output.data[0]};
      return {error: sentence(message.output?.error)};
    case "unexpected_error":
    case "server_stopped":
      return {error: LOST};
    default:
      return {};
  }
}

// A message as a sentence; the name of a file at its start stays as it is.
export function sentence(text) {
  if (!text) return "Scoring failed on the server. Score again, or use the command line.";
  const first = /^[a-z]+(?=[ ,])/.test(text) ? text[0].toUpperCase() : text[0];
  return `${first}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;
}
