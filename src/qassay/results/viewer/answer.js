// The tab Answer: which system is better, by how much, whether that could be chance; all values; where each goes wrong.

import {spanMark} from "./charts.js";
import {breakable, fold, h, isNarrow, lesserSection, link, name, section, table, text, way} from "./dom.js";
import {kindRows} from "./errors.js";
import {copyButton} from "./export.js";
import {examplesFor, finding, hasRuns, plainText} from "./finding.js";
import {count, counted, ends, isNumber, number, percent, plain, share, signed} from "./format.js";
import {depths, isGain, span} from "./model.js";
import {EXAMPLES} from "./state.js";

const COLUMNS = 3;   // systems up to which a table has a column for each; more become rows
const STANDING = 8;  // systems of the short table of the answer
const BOXES = 2;     // systems up to which the answer shows large numbers

export function answerView(context) {
  const {part} = context;
  return [
    answer(context), valuesSection(context), runsSection(context), errorsSection(context), remarksSection(context),
    certainty(part)
  ];
}

// Pieces of a sentence as nodes.
export function sentence(context, pieces) {
  return pieces.map((piece) => {
    if (typeof piece === "string") return piece;
    if (piece.name !== undefined) return h("strong", null, name(context.model.title(piece.name)));
    if (piece.strong !== undefined) return h("strong", null, piece.strong);
    return link(context, piece.to, name(piece.text));
  });
}

function answer(context) {
  const {part, model} = context;
  const found = finding(part);
  const facts = [
    counted(part.n, model.nouns), isNumber(part.data.n_groups) && `${count(part.data.n_groups)} groups`,
    part.data.metric + (part.data.preset ? ` (${part.data.preset})` : ""),
    model.level && `${percent(model.level)} intervals`,
    model.document.scale === 100 ? "rates from 0 to 100" : "rates from 0 to 1"
  ].filter(Boolean);
  return h("div", {class: "answer"},
    h("h2", {class: "verdict"},
      h("span", null,
        sentence(context, found.headline)
          .map((one) => (one instanceof Node && one.tagName === "STRONG" ? [...one.childNodes] : one))),
      found.sure && h("span", {class: found.real ? "chip real" : "chip"}, capital(found.sure))),
    h("div", {class: "known"}, standing(context, found),
      h("div", null, h("p", {class: "found"}, found.sentences.map((one) => [sentence(context, one), " "])),
        found.also && h("p", {class: "faint beside"}, found.also))),
    otherMetrics(context), ways(context, found), h("p", {class: "rules"}, facts.join(" · ")));
}

// The verdict of each other metric of the document, a line for each.
function otherMetrics(context) {
  const {model, part} = context;
  if (model.parts.length < 2) return null;
  return h("ul", {class: "checks"}, model.parts.map((other, index) => {
    if (other === part) return null;
    const found = finding(other);
    return h("li", null, link(context, {tab: "answer", part: String(index)}, other.data.metric), ": ",
      plainText(found.headline, model), found.sure && ` (${found.sure}). `, plainText(found.sentences[0] ?? [], model));
  }));
}

function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}

// The values of the leading measure: large numbers for one or two systems, a short table for more.
function standing(context, found) {
  const {part} = context;
  const measure = part.leads;
  if (!measure) return null;
  if (part.systems.length <= BOXES) {
    return h("div", {class: "values-row"}, part.systems.map((system) => {
      const value = part.value(system.name, measure.name);
      const interval = value && span(value.low, value.high);
      return h("div", {class: `value ${system.class}`}, h("div", {class: "head"}, breakable(system.title)),
        h("div", {class: "number"}, number(value?.value, measure)),
        h("div", {class: "faint"}, measure.title, interval ? ` · ${ends(interval, measure)}` : ""));
    }));
  }
  const ranking = part.ranking(measure.name);
  const order = (ranking ? ranking.systems.map((one) => one.system) : sortedSystems(part, measure)).slice(0, STANDING);
  const range = valueRange(part, measure);
  return h("table", {class: "standing"},
    h("caption", {class: "faint"},
      `${measure.title}, best first${
        part.systems.length > order.length ? `: ${order.length} of ${part.systems.length}` : ""}`),
    h("tbody", null, order.map((one) => {
      const system = context.model.system(one), value = part.value(one, measure.name);
      return h("tr", {class: system.class}, h("th", {scope: "row"}, name(system.title)),
        h("td", null, spanMark(value?.value, value && span(value.low, value.high), range, system.class)),
        h("td", null, h("strong", null, number(value?.value, measure))));
    })));
}

function sortedSystems(part, measure) {
  const sign = measure.lower_is_better ? 1 : -1;
  const value = (system) => part.value(system.name, measure.name)?.value ?? NaN;
  return [...part.systems].sort((a, b) => sign * (value(a) - value(b)) || 0).map((system) => system.name);
}

// The range of small marks of a measure: of its values where it is bounded, else of all intervals.
function valueRange(part, measure) {
  if (isNumber(measure.low) && isNumber(measure.high)) return [measure.low, measure.high];
  const numbers = part.systems.map((system) => part.value(system.name, measure.name))
                    .flatMap((value) => (value ? [value.value, value.low, value.high] : []))
                    .filter(isNumber);
  return numbers.length ? [Math.min(0, ...numbers), Math.max(...numbers)] : [0, 1];
}

function ways(context, found) {
  const {part, model} = context;
  const worse = found.worse || part.systems[0]?.name;
  const wrong = worse && part.wrong(worse);
  const n = wrong ? wrong.reduce((sum, one) => sum + one, 0) : 0;
  const measure = part.measure(found.measure);
  return h("div", {class: "ways"},
    n > 0 &&
      way(context, {...EXAMPLES, system: worse, other: found.better || "", kind: "errors"}, "Read what ",
        name(model.title(worse)), ` gets wrong (${count(n)})`),
    found.slice &&
      way(context, {...EXAMPLES, system: worse, other: found.better || "", slice: found.slice.key},
        `Where: ${found.slice.title} (${
          found.slice.gap === undefined ? number(found.slice.value, measure) : signed(found.slice.gap, measure)})`),
    part.systems.length > 1 && part.pairs.length > 0 && way(context, {tab: "compare"}, "Compare in detail"),
    part.data.ranks.length > 0 && way(context, {tab: "ranks"}, "All ranks"),
    copyButton("Copy as text", () => answerText(context)));
}

// The answer and the values as plain text.
export function answerText(context) {
  const {part, model} = context;
  const found = finding(part);
  const lines = [
    plainText(found.headline, model) + (found.sure ? ` (${found.sure})` : ""),
    ...found.sentences.map((one) => plainText(one, model)), ...(found.also ? [found.also] : []), ""
  ];
  const rows = [
    ["measure", "n", ...part.systems.map((system) => system.title)], ...shownMeasures(part).map((measure) => {
      const values = part.systems.map((system) => part.value(system.name, measure.name));
      return [
        measure.title, sizesOf(values),
        ...values.map((value) => (value ? number(value.value, measure) +
                            (span(value.low, value.high) ? ` (${ends([value.low, value.high], measure)})` : "")
                                                         : "–"))
      ];
    })
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  lines.push(...rows.map(
    (row) => row.map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
               .join("  ")
               .trimEnd()));
  lines.push("", ...(model.document.command ? [model.document.command] : []), part.data.signature);
  return lines.join("\n");
}

// --- values -----------------------------------------------------------------------------------------------------------

export function shownMeasures(part, all = false) {
  return part.measures.filter(
    (measure) => (all || measure.shown) && part.systems.some((system) => part.value(system.name, measure.name)));
}

function sizesOf(values) {
  return [...new Set(values.filter(Boolean).map((value) => count(value.n)))].join("/") || "–";
}

function valuesSection(context) {
  const {part, model} = context;
  const shown = shownMeasures(part), rest = shownMeasures(part, true).filter((measure) => !measure.shown);
  if (!shown.length && !rest.length) return null;
  const wide = part.systems.length > COLUMNS;
  const draw = wide ? systemsTable : measuresTable;
  const level = model.level ? `Values with ${percent(model.level)} intervals` : "Values";
  const star = !wide && part.systems.length === 2 && part.pairs.length
    ? "; ★ better than the other system by the paired test"
    : "";
  const caption = `${level}${model.document.scale === 100 ? ", rates from 0 to 100" : ""}${
    part.systems.length > 1 ? "; bold: the best" : ""}${star}`;
  return section("Values", draw(context, shown, caption), methods(part, shown),
    rest.length > 0 &&
      fold(`${rest.length} more ${rest.length === 1 ? "measure" : "measures"}`, () => draw(context, rest, level)),
    fold("What the measures are",
      () => h("dl", {class: "meanings"},
        [...shown, ...rest].map(
          (measure) => [h("dt", null, measure.title, " ", h("code", null, measure.name)),
            h("dd", null, measure.meaning || "–", measure.lower_is_better ? " Lower is better." : "")]))));
}

// The best systems of a measure, if they differ.
function bestOf(part, measure) {
  const values = part.systems.map((system) => part.value(system.name, measure.name)?.value).filter(isNumber);
  if (values.length < 2 || !measure.is_rate) return null;
  const best = measure.lower_is_better ? Math.min(...values) : Math.max(...values);
  return values.every((value) => value === best) ? null : best;
}

function measuresTable(context, measures, caption) {
  const {part} = context;
  const below = depths(measures);
  const heads = ["Measure", "n", ...part.systems.map((system) => breakable(system.title))];
  return table(caption, heads, measures.map((measure, row) => {
    const values = part.systems.map((system) => part.value(system.name, measure.name));
    const depth = below[row];
    return [
      h("th", {scope: "row", class: `part-${Math.min(depth, 2)}`, title: measure.meaning || null},
        h("span", {class: "measure"}, depth ? measure.short : measure.title),
        h("code", {class: "measure-key"}, measure.name)),
      h("td", {class: "size"}, sizesOf(values), values.some((value) => value?.few) && h("span", {class: "sub"}, "few")),
      ...part.systems.map((system, place) => valueCell(context, system, measure, values[place], bestOf(part, measure)))
    ];
  }),
    "values-table");
}

function systemsTable(context, measures, caption) {
  const {part} = context;
  return table(caption,
    ["System", ...measures.map((measure) => [measure.title, h("code", {class: "measure-key"}, measure.name)])],
    part.systems.map(
      (system) => [h("th", {scope: "row"}, h("i", {class: `dot ${system.class}`}), breakable(system.title)),
        ...measures.map((measure) => valueCell(
                          context, system, measure, part.value(system.name, measure.name), bestOf(part, measure)))]),
    "values-table systems");
}

function valueCell(context, system, measure, value, best) {
  const {part} = context;
  if (!value) return h("td", null, "–");
  const written = number(value.value, measure);
  const isBest = best !== null && value.value === best;
  const linked = part.columns(system.name)?.values?.[measure.name] ? link(context, {
    ...EXAMPLES,
    system: system.name,
    other: "",
    measure: measure.name,
    sort: measure.lower_is_better ? `-${measure.name}` : measure.name
  },
                                                                       written)
                                                                   : written;
  const interval = span(value.low, value.high);
  return h("td", {class: isBest ? "best" : null}, linked,
    isStarred(part, system, measure) &&
      h("span", {class: "star", title: "better than the other system by the paired test"}, " ★"),
    interval && [
      spanMark(value.value, interval, valueRange(part, measure), system.class),
      h("span", {class: "sub"}, ends(interval, measure))
    ]);
}

function isStarred(part, system, measure) {
  if (part.systems.length !== 2) return false;
  const other = part.systems.find((one) => one.name !== system.name).name;
  const found = part.comparison(other, system.name, measure.name);
  return found?.significant === true && isGain(found.difference, measure);
}

function methods(part, measures) {
  const by = new Map();
  for (const measure of measures) {
    const used = new Set(part.systems.map((system) => part.value(system.name, measure.name)?.method).filter(Boolean));
    for (const method of used) by.set(method, [...(by.get(method) ?? []), measure.name]);
  }
  if (!by.size) return null;
  const words = [...by].map(([method,
    names]) => (by.size > 1 ? `${method} (${names.slice(0, 6).join(", ")}${names.length > 6 ? ", …" : ""})` : method));
  return h("p", {class: "faint"}, `Method of the intervals: ${words.join("; ").replaceAll("wilson", "Wilson")}.`);
}

// --- runs, errors, remarks --------------------------------------------------------------------------------------------

function runsSection(context) {
  const {part} = context;
  const rows = part.systems.flatMap(
    (system) => part.measures.map((measure) => [system, measure, part.data.runs?.[system.name]?.[measure.name]])
                  .filter(([, , runs]) => runs));
  if (!rows.length) return null;
  const shown = rows.filter(([, measure]) => measure.shown), rest = rows.filter(([, measure]) => !measure.shown);
  return section("Repeated runs", runsTable(shown.length ? shown : rest),
    shown.length > 0 && rest.length > 0 && fold(`${rest.length} more`, () => runsTable(rest)));
}

function runsTable(rows) {
  const part = (share) => (isNumber(share) ? `${Math.round(100 * share)} %` : "–");
  const heads = [
    "Measure", "System", "runs", "mean", "deviation", "lowest to highest", "variance from questions", "from runs",
    "from both", "always right", "sometimes", "never"
  ];
  return table("The mean over the runs, and what its variance comes from", heads,
    rows.map(
      ([system, measure, runs]) => [measure.title, name(system.title), count(runs.runs), number(runs.value, measure),
        number(runs.deviation, measure), ends([runs.lowest, runs.highest], measure),
        ...[runs.shares?.question, runs.shares?.run, runs.shares?.noise, runs.always, runs.sometimes, runs.never].map(
          part)]));
}

function errorsSection(context) {
  const {part} = context;
  if (!part.kinds.length || !part.data.kinds) return null;
  return section("Where it goes wrong", h("p", {class: "faint"}, `Kinds of errors: share of ${context.model.nouns}`),
    kindRows(context, part.systems.slice(0, 12)));
}

function remarksSection(context) {
  const shown = context.part.remarks.filter((remark) => remark.kind !== "note");
  const left = context.model.document.texts?.left_out;
  if (!shown.length && !left) return null;
  const most = isNarrow() ? 3 : 6;
  return section("Checks of the data",
    h("ul", {class: "checks"}, shown.slice(0, most).map((remark) => h("li", null, remarkLine(context, remark))),
      left && h("li", null, left)),
    shown.length > most && h("p", null, link(context, {tab: "remarks"}, `All ${shown.length}`)));
}

// A remark, its count leading to the examples.
export function remarkLine(context, remark) {
  if (!remark.examples?.length) return remark.text;
  const to = {...EXAMPLES, system: remark.system ?? "", other: "", ids: remark.key};
  const written = [count(remark.count), String(remark.count)].find(
    (one) => new RegExp(`(^|[^\\d,.])${one}(?![\\d,.]*\\d)`).test(remark.text));
  if (!written) return [remark.text, " ", link(context, to, `Show ${count(remark.examples.length)}`)];
  const at = remark.text.search(new RegExp(`(?<![\\d,.])${written}(?![\\d,.]*\\d)`));
  return [remark.text.slice(0, at), link(context, to, written), remark.text.slice(at + written.length)];
}

function certainty(part) {
  const lines = part.mains.slice(0, 3).flatMap((measure) => {
    const widest = part.systems.filter((system) => !hasRuns(part, system.name))
                     .map((system) => part.value(system.name, measure.name))
                     .filter((value) => value && span(value.low, value.high) && measure.is_rate)
                     .sort((a, b) => b.high - b.low - (a.high - a.low))[0];
    if (!widest) return [];
    const needed = examplesFor(widest, measure);
    return [`${measure.title} is known to ±${number((widest.high - widest.low) / 2, measure)} with n = ${
      count(widest.n)}. ${needed}`];
  });
  if (!lines.length) return null;
  return lesserSection("How certain these values are",
    () => [lines.map((line) => h("p", null, line)),
      h("p", {class: "faint"},
        "Half the width of the interval, of the system known least. It shrinks with the square root of n.")]);
}
