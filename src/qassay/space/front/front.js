// The front page: scores files of the visitor, and shows the document with the viewer.

import {answerText} from "./answer.js";
import {pageShell, sample, score} from "./client.js";
import {h, replace} from "./dom.js";
import {fileName, saveFile} from "./export.js";
import {documentOf, pageOf} from "./files.js";
import {makeForm} from "./form.js";
import {forget, keep, kept} from "./keep.js";
import {mount} from "./main.js";
import {read} from "./model.js";
import {progressText} from "./options.js";

const FOOT = "Files are sent only to the server of this page, which deletes them after the answer.";
const NOT_KEPT = "This browser keeps no results: use “Save as page” before you leave.";
const settings = JSON.parse(document.getElementById("settings").textContent);
const root = document.getElementById("result");
const form = makeForm(settings, {submit, openSample, openFile});
let stopShown = null;
let at = location.search;  // of the document that is shown
let shown = 0;  // documents so far

// Show a document; the address no longer refers to the one before.
//   from: {sample}: its name; {kept}: when; {file}: its name; {}: scored now
//   isLoad: the page was loaded, so that the address belongs to this document
function show(document_, from, isLoad = false) {
  read(document_);  // throws if it is not a document; the one before then stays on the page
  stopShown?.();
  shown += 1;
  if (!isLoad || from.sample) {
    const search = from.sample ? `?sample=${encodeURIComponent(from.sample)}` : "";
    history[isLoad ? "replaceState" : "pushState"](null, "", location.pathname + search + (isLoad ? location.hash : ""));
    at = location.search;
  }
  const {stop} = mount(root, document_, {tools: tools(document_, from), foot: FOOT});
  stopShown = stop;
  document.title = `${titleOf(document_)} · qassay`;
}

function titleOf(document_) {
  const names = document_.systems.map((system) => system.title || system.name);
  return document_.title || (names.length < 3 ? names.join(" and ") : `${names.length} systems`);
}

function tools(document_, from) {
  const note = h("span", {class: "faint", role: "status"}, origin(from));
  return h("div", {class: "tools"}, note,
    h("button", {type: "button", class: "small", onclick: () => savePage(document_, note)}, "Save as page"),
    !from.sample && h("button", {
      type: "button",
      class: "small",
      onclick: async () => {
        const isForgotten = await forget();
        note.textContent = isForgotten
          ? "Forgotten: this browser keeps no result of this page."
          : "This browser did not let the page delete its result: clear the data of this site.";
      }
    },
      "Forget"));
}

function origin(from) {
  if (from.sample) return "A sample of invented data. Score your own files above.";
  if (from.kept) return `Kept in this browser since ${new Date(from.kept).toLocaleString()}.`;
  if (from.file) return `Opened from ${from.file}, and kept in this browser.`;
  return "Kept in this browser until you forget it or score again.";
}

async function savePage(document_, note) {
  try {
    const title = titleOf(document_), model = read(document_);
    const lines = model.parts.flatMap((part) => answerText({model, part, state: {}}).split("\n").filter(Boolean));
    saveFile(fileName(title, "html"), pageOf(await pageShell(), document_, title, lines), "text/html");
  } catch (error) {
    note.textContent = error.message;
  }
}

async function submit() {
  const ender = new AbortController();
  try {
    const call = form.call();
    form.busy(() => ender.abort());
    const found = await score(call, settings.fn_index, (state) => form.say(progressText(state)), ender.signal);
    form.say("");
    show(found, {});
    form.fold(false);
    root.scrollIntoView();
    document.getElementById("panel").focus({preventScroll: true});
    if (!(await keep(found))) form.fail(NOT_KEPT);
  } catch (error) {
    if (error.name === "AbortError") form.say("Stopped.");
    else form.fail(error.message);
  } finally {
    form.busy(null);
  }
}

async function openSample(name) {
  try {
    const before = shown, found = await sample(name);
    if (shown !== before) return;  // a newer result is on the page
    show(found, {sample: name});
    form.fail("");
  } catch (error) {
    form.fail(error.message);
  }
}

async function openFile(file) {
  try {
    const found = await documentOf(file);
    show(found, {file: file.name});
    form.fail("");
    form.fold(false);
    if (!(await keep(found))) form.fail(NOT_KEPT);
  } catch (error) {
    form.fold(true);
    form.fail(error.message);
  }
}

// Show the sample in the address, else the kept result, else the first sample.
async function begin() {
  replace(document.getElementById("front"), form.node);
  const named = new URLSearchParams(location.search).get("sample");
  const known = settings.samples.some(([name]) => name === named);
  const last = named === null ? await kept() : null;
  if (last) {
    try {
      form.fold(false);
      return show(last.document, {kept: last.when}, true);
    } catch {
      form.fail("This version of the page cannot show the result that this browser keeps. It stays until you score again.");
    }
  }
  if (!named && location.hash)
    form.fail("This link belongs to a result that is not in this browser. Open its file or page, or score the files.");
  else if (named && !known)
    form.fail(`There is no sample “${named}”. The menu has all samples.`);
  try {
    show(await sample(known ? named : settings.first), {sample: known ? named : settings.first}, true);
  } catch (error) {
    form.fold(true);
    replace(root, h("main", null, h("h1", null, "Score answers"), h("p", null, "The sample cannot be shown.")));
    form.fail(error.message);
  }
}

// Back and Forward load the document of the address.
addEventListener("popstate", () => {
  if (location.search !== at) location.reload();
});
begin();
