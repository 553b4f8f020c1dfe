// What leaves the page: text for the clipboard, and files that the browser saves.

import {svgText} from "./charts.js";
import {h} from "./dom.js";

// A table as CSV. A text that a spreadsheet would take for a formula begins with an apostrophe.
export function csv(rows) {
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function csvCell(value) {
  if (value === null || value === undefined || value !== value) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// A name that every file system takes.
export function fileName(name, ending) {
  const stem =
    String(name).normalize("NFC").replace(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 80);
  return `${stem || "result"}.${ending}`;
}

export function saveFile(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const anchor = h("a", {href: url, download: name});
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// A button that copies what `make` gives, and says so.
export function copyButton(label, make) {
  const button = h("button", {type: "button", class: "way"}, label);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(make())) ? "Copied" : "Copying is blocked here";
    setTimeout(() => (button.textContent = label), 2000);
  });
  return button;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", {class: "sr", "aria-hidden": "true"});
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");  // where a page from a file may not use the clipboard otherwise
    area.remove();
    return done;
  }
}

// A chart with its caption and a button that saves it as an SVG file.
export function figure(caption, nodes, name) {
  const box = h("figure", null, h("figcaption", null, caption), nodes);
  const chart = box.querySelector("svg.chart");
  if (chart)
    box.append(h("button", {
      type: "button",
      class: "small",
      onclick: () => saveFile(fileName(name ?? caption, "svg"), svgText(chart), "image/svg+xml")
    },
      "Save as SVG"));
  return box;
}
