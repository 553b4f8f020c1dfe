// The tab Remarks: checks of the data, cautions and notes with their examples; how the numbers were made; files to take away.

import {remarkLine} from "./answer.js";
import {h, name, section, table} from "./dom.js";
import {copyButton, csv, fileName, saveFile} from "./export.js";
import {count, percent} from "./format.js";

const HEADS = {
  check: "Checks of the data",
  caution: "Cautions",
  note: "Notes"
};

export function remarksView(context) {
  const {part, model} = context;
  const left = model.document.texts?.left_out;
  const groups = Object.entries(HEADS)
                   .map(([kind, heading]) => [heading, part.remarks.filter((remark) => remark.kind === kind)])
                   .filter(([, remarks]) => remarks.length);
  return [
    groups.map(([heading, remarks]) => section(heading,
                 h("ul", {class: "checks"}, remarks.map((remark) => h("li", null, remarkLine(context, remark)))))),
    !groups.length && section(HEADS.check, h("p", null, "Nothing to remark.")),
    left && section("Texts that were left out", h("p", null, left)), notes(context), made(context), files(context)
  ];
}

// Counts of missing and special examples by system.
function notes(context) {
  const {part, model} = context;
  const counts = Object.fromEntries(part.systems.map(
    ({name: key}) => [key,
      {...part.data.notes?.[key], ...(part.data.unmatched?.[key] ? {unmatched: part.data.unmatched[key]} : {})}]));
  const names = [...new Set(Object.values(counts).flatMap((of) => Object.keys(of)))];
  if (!names.length) return null;
  return section("What was counted",
    table("Counts by system", ["System", ...names.map((one) => one.replaceAll("_", " "))],
      part.systems.map((system) => [name(system.title), ...names.map((one) => count(counts[system.name][one] ?? 0))])));
}

function made(context) {
  const {part, model} = context;
  const {document} = model;
  const {interval, test} = document;
  const items = [
    ["Metric", part.data.metric + (part.data.preset ? `, preset ${part.data.preset}` : "")],
    ["Gold file", document.gold],
    [
      "Systems",
      document.systems
        .map((system) => (system.file && system.file !== system.name ? `${system.title || system.name} (${system.file})`
                                                                     : system.title || system.name) +
            (system.runs?.length ? `: ${system.runs.length} runs` : ""))
        .join(", ")
    ],
    [
      "Intervals",
      interval &&
        `${percent(interval.confidence)}, method ${interval.requested_method}, ${
          count(interval.n_resamples)} resamples, seed ${interval.seed}${
          interval.group_name ? `, grouped by ${interval.group_name}` : ""}`
    ],
    [
      "Tests",
      test &&
        `${test.name}, correction ${test.correction}, ${count(test.n_permutations)} permutations${
          test.baseline ? `, against ${test.baseline}` : ""}`
    ],
    ["Scale of rates", `0 to ${document.scale}`],
    ["qassay", `version ${document.version}${document.date ? `, ${document.date}` : ""}`]
  ].filter(([, words]) => words);
  const code = (heading, text) =>
    text && [h("h3", null, heading), h("pre", {tabindex: 0}, text), copyButton("Copy", () => text)];
  return section("How it was made",
    h("dl", {class: "made"}, items.map(([term, words]) => [h("dt", null, term), h("dd", null, words)])),
    code("Make it again", document.command), code("Signature", part.data.signature));
}

function files(context) {
  const {part, model} = context;
  const stem = model.document.title || part.systems.map((system) => system.title).slice(0, 2).join("-");
  const button = (label, ending, type, make) =>
    h("button", {type: "button", class: "way", onclick: () => saveFile(fileName(stem, ending), make(), type)}, label);
  return section("Files",
    h("p", {class: "ways"},
      button("The document (JSON)", "json", "application/json", () => JSON.stringify(model.document)),
      button("All values (CSV)", "csv", "text/csv", () => csv(valueRows(part)))),
    h("p", {class: "faint"},
      "In CSV files a text that a spreadsheet would read as a formula begins with an apostrophe."));
}

// All values as rows of a CSV file.
export function valueRows(part) {
  return [
    ["system", "measure", "value", "n", "low", "high", "method"],
    ...part.systems.flatMap((system) => part.measures.flatMap((measure) => {
      const value = part.value(system.name, measure.name);
      return value ? [[system.name, measure.name, value.value, value.n, value.low, value.high, value.method]] : [];
    }))
  ];
}
