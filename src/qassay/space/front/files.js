// Opens the file of a result, and makes the page of a result.

import {unpack} from "./keep.js";

const MOST = 300_000_000;  // bytes of a result as text

// The document in a file: .json, .json.gz, or a page that qassay wrote. Throws an Error with a sentence for the visitor.
export async function documentOf(file) {
  if (file.size > MOST) throw new Error(`${file.name} has ${sizeText(file.size)}, which is too large to show.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let text;
  try {
    text = isPacked ? await unpack(bytes) : new TextDecoder().decode(bytes);
  } catch {
    throw new Error(`${file.name} is a broken gzip file.`);
  }
  try {
    return JSON.parse(/^\s*</.test(text) ? dataOfPage(text) : text);
  } catch {
    throw new Error(`${file.name} holds no result: open a .json, .json.gz or .html file that qassay wrote.`);
  }
}

// The data in a page, which is parsed but never run.
function dataOfPage(text) {
  return new DOMParser().parseFromString(text, "text/html").querySelector("script#result[type='application/json']")
    ?.textContent;
}

// A page that shows a document, from the shell of the server.
//   title, lines: what a reader without scripts sees
export function pageOf(shell, document_, title, lines) {
  const parts = {
    title: escaped(title),
    static: `<main><h1>${escaped(title)}</h1>${lines.map((line) => `<p>${escaped(line)}</p>`).join("")}</main>`,
    data: JSON.stringify(document_).replaceAll("<", "\\u003c")
  };
  return shell.replace(/@(title|static|data)@/g, (mark, name) => parts[name]);
}

export function escaped(text) {
  const names = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"};
  return String(text).replace(/[&<>"']/g, (sign) => names[sign]);
}

// A size as text: 1234567 is "1.2 MB".
export function sizeText(bytes) {
  return bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
