// The tab Examples: filters, a table of all that they keep, and the open example.

import {card} from "./card.js";
import {h, link, replace, select} from "./dom.js";
import {csv, fileName, saveFile} from "./export.js";
import {keep, mean} from "./filter.js";
import {usualSystems} from "./finding.js";

import {count, counted, number, short} from "./format.js";
import {versusWords} from "./model.js";
import {EXAMPLES} from "./state.js";
import {virtualTable} from "./table.js";

const NO_ANSWER = "(no answer)";
const MENU = 300;  // groups of a slicing in a menu

// The systems and the measure of a state.
export function chosen(part, state) {
  const usual = usualSystems(part);
  const there = (name) => part.systems.some((system) => system.name === name);
  const system = there(state.system) ? state.system : usual[0];
  const others = part.systems.map((one) => one.name).filter((name) => name !== system);
  const other =
    others.includes(state.other) ? state.other : (usual.find((name) => others.includes(name)) ?? others[0] ?? "");
  return {system, other, measure: part.exampleMeasure(state.measure)};
}

// The rows that a state shows, in its order, and its filters.
export function rowsOf(part, state) {
  const {system, other, measure} = chosen(part, state);
  const filters = part.filters(state, system, other);
  const sort = state.sort || usualSort(measure);
  return {filters, sort, rows: keep(part.order(sort, system), filters.map((one) => one.mask))};
}

// Worst first.
function usualSort(measure) {
  return measure ? `${measure.lower_is_better ? "-" : ""}${measure.name}` : "id";
}

export function examplesView(context) {
  const {part} = context;
  if (!part.size) return {node: h("p", {class: "empty"}, "This document has no examples."), update() {}};
  const controls = h("div", {class: "filters"}), shown = h("p", {class: "faint", role: "status"}),
        chips = h("ul", {class: "chips"});
  const holder = h("div"), pager = h("div", {class: "walk"}), open = h("div");
  const node = h("div", {class: "examples-view", onkeydown: (event) => step(event)}, controls,
    h("div", {class: "shown"}, shown, saveButton(context)), chips, holder, pager, open);
  let grid = null, drawn = {}, rows = [], at = 0;

  function step(event) {
    if (event.target.closest("input,select,textarea") || event.altKey || event.ctrlKey || event.metaKey) return;
    const inTable = event.target.closest(".examples");
    const by =
      {j: 1, ArrowRight: 1, ArrowDown: inTable ? 1 : 0, k: -1, ArrowLeft: -1, ArrowUp: inTable ? -1 : 0}[event.key];
    if (!by) return;
    event.preventDefault();
    go(at + by);
  }

  function go(index) {
    if (index >= 0 && index < rows.length) context.change({example: String(part.examples.ids[rows[index]])}, "replace");
  }

  function update() {
    const {state} = context;
    const {system, other, measure} = chosen(part, state);
    const head = [system, other, measure?.name].join("\n");
    if (drawn.head !== head) {
      grid = virtualTable({
        caption: `Examples of ${context.model.title(system)}`,
        columns: columnsOf(context, system, other, measure),
        cells: (index) => cellsOf(context, rows[index], system, other, measure),
        open: go,
        sort: (key) => context.change({sort: turnedSort(context.state.sort || usualSort(measure), key), example: ""})
      });
      replace(holder, grid.node);
    }
    const found = rowsOf(part, state);
    rows = found.rows;
    const row = state.example ? part.rowOf(state.example) : -1;
    at = row >= 0 ? Math.max(0, rows.indexOf(row)) : 0;
    const filters = `${head}\n${filterKey(state)}`;
    const changed = drawn.filters !== filters;
    if (changed) drawControls(context, controls, system, other, measure);
    replace(shown, summary(context, rows, system, other, measure));
    replace(chips,
      found.filters.map((one) => h("li", null,
                          h("a", {
                            class: "chip",
                            href: context.href(cleared(one.keys)),
                            onclick: (event) => context.follow(event, cleared(one.keys)),
                            "aria-label": `Remove the filter ${one.words}`
                          },
                            short(one.words, 80), " ×"))),
      found.filters.length > 1 &&
        h("li", null, link(context, {...EXAMPLES, system, other, measure: state.measure}, "Clear all")));
    grid.show(rows.length, rows.length ? at : -1, found.sort, changed);
    replace(pager,
      h("button", {type: "button", id: "previous", disabled: at <= 0, onclick: () => go(at - 1)}, "Previous"),
      h("span", {class: "where"}, rows.length ? `${count(at + 1)} of ${count(rows.length)}` : "none"),
      h("button", {type: "button", id: "next", disabled: at >= rows.length - 1, onclick: () => go(at + 1)}, "Next"));
    replace(open,
      rows.length ? card(context, rows[at], system, other)
                  : h("p", {class: "empty"}, "No example passes these filters."));
    drawn = {head, filters};
  }
  // The first search would wait for it.
  (window.requestIdleCallback ?? setTimeout)(() => part.haystack);
  return {node, update};
}

// What the rows and their order depend on, as one text.
function filterKey(state) {
  return Object.keys(EXAMPLES).filter((key) => key !== "example").map((key) => state[key]).join("\n");
}

function turnedSort(sort, key) {
  return sort === key ? `-${key}` : key;
}

function cleared(keys) {
  return {...Object.fromEntries(keys.map((key) => [key, ""])), example: ""};
}

// --- filters ----------------------------------------------------------------------------------------------------------

function drawControls(context, box, system, other, measure) {
  const {part, state, model} = context;
  const text = box.querySelector("#text");
  if (text && text === document.activeElement && text.value === state.text) return;  // the reader is typing
  const put = (change) => context.change({...change, example: ""});
  const named = (systems) => systems.map((one) => [one.name, one.title]);
  const counts = part.data.kinds?.counts?.[system] ?? {};
  const wrong = part.wrong(system);
  const kinds = [
    ["", `all (${count(part.size)})`],
    ...(wrong ? [["errors", `all errors (${count(wrong.reduce((sum, one) => sum + one, 0))})`]] : []),
    ...(part.hasKinds(system) ? part.kinds.filter((kind) => counts[kind.name])
                                  .map((kind) => [kind.name, `${kind.name} (${count(counts[kind.name])})`])
                              : [])
  ];
  const slices = part.data.slices.map((slicing) => [slicing.name.replaceAll("_", " "),
                                        largest(part, slicing, system, state.slice)
                                          .map((index) => [part.sliceKey(slicing, index),
                                                 `${slicing.titles?.[index] ?? slicing.labels[index]} (${
                                                   count(part.sliceSize(slicing, index, system))})`])]);
  const words = other ? versusWords(model.title(other)) : {};
  const versus = Object.entries(words).filter(
    ([key]) => (["better", "worse", "equal"].includes(key) ? measure : part.right(system) && part.right(other)));
  const sorts = [
    ["", "worst first"],
    ...(measure ? [[measure.lower_is_better ? measure.name : `-${measure.name}`, "best first"]] : []), ["id", "id"],
    ...(part.examples.question ? [["question", "question"]] : []), ...(part.hasKinds(system) ? [["kind", "kind"]] : [])
  ];
  if (state.sort && !sorts.some(([key]) => key === state.sort))
    sorts.push([state.sort, state.sort.startsWith("-") ? `${state.sort.slice(1)}, descending` : state.sort]);
  const limit = (id, label) => h("div", {class: "field"}, h("label", {htmlFor: id}, label),
    h("input",
      {id, type: "number", step: "any", value: state[id], onchange: (event) => put({[id]: event.target.value})}));
  replace(box,
    part.systems.length > 1 &&
      select("system", "System", named(part.systems), system,
        (value) => put({system: value, other: value === other ? system : other})),
    kinds.length > 1 && select("kind", "Kind of error", kinds, state.kind, (value) => put({kind: value})),
    slices.length > 0 &&
      select("slice", "Slice", [["", "all"], ...slices], state.slice, (value) => put({slice: value})),
    part.systems.length > 2 &&
      select("other", "Other system", named(part.systems.filter((one) => one.name !== system)), other,
        (value) => put({other: value})),
    versus.length > 0 &&
      select("versus", `Against ${short(model.title(other), 24)}`, [["", "all"], ...versus], state.versus,
        (value) => put({versus: value})),
    part.exampleMeasures.length > 1 &&
      select("measure", "Measure", part.exampleMeasures.map((one) => [one.name, one.title]), measure?.name,
        (value) => put({measure: value, sort: ""})),
    measure && h("div", {class: "pair"}, limit("low", "From"), limit("high", "To")),
    h("div", {class: "field"}, h("label", {htmlFor: "text"}, "Contains"), h("input", {
      id: "text",
      type: "search",
      placeholder: "in question, answer, id",
      value: state.text,
      oninput: (event) => context.change({text: event.target.value, example: ""}, "soft")
    })),
    select("sort", "Order", sorts, state.sort, (value) => put({sort: value})));
}

// The groups of a slicing that a menu has: all, or the largest and the chosen one, in their order.
function largest(part, slicing, system, chosen) {
  const indexes = slicing.labels.map((_, index) => index);
  if (indexes.length <= MENU) return indexes;
  const size = (index) => part.sliceSize(slicing, index, system);
  const kept = new Set([...indexes].sort((a, b) => size(b) - size(a)).slice(0, MENU));
  return indexes.filter((index) => kept.has(index) || part.sliceKey(slicing, index) === chosen);
}

function summary(context, rows, system, other, measure) {
  const {part, model} = context;
  const parts = [`${count(rows.length)} of ${counted(part.size, model.nouns)}`];
  if (measure && rows.length) {
    for (const one of [system, other].filter(Boolean)) {
      const found = mean(part.values(one, measure.name), rows);
      if (found.n) parts.push(`mean ${measure.title} of ${model.title(one)} ${number(found.mean, measure)}`);
    }
  }
  return parts.join(" · ");
}

// --- the table --------------------------------------------------------------------------------------------------------

function columnsOf(context, system, other, measure) {
  const {part, model} = context;
  const texts = Boolean(part.columns(system)?.answers);
  return [
    {
      key: part.examples.question ? "question" : "id",
      head: part.examples.question ? "Question" : "Id",
      class: "first",
      sort: true
    },
    ...(part.hasKinds(system) ? [{key: "kind", head: "Kind", class: "kind", sort: true}] : []),
    ...(measure ? [{key: measure.name, head: measure.title, class: "number", sort: true}] : []),
    ...(texts ? [{key: "answer", head: model.title(system), class: "wide"}] : []),
    ...(other ? [{key: "other", head: model.title(other), class: "wide other"}] : []),
    ...(part.examples.gold ? [{key: "gold", head: "Gold", class: "wide"}] : [])
  ];
}

function cellsOf(context, row, system, other, measure) {
  const {part} = context;
  const {ids, question, gold} = part.examples;
  const mine = part.columns(system), theirs = other && part.columns(other);
  const id = String(ids[row]);
  const kind = part.hasKinds(system) && part.kinds[part.kindCodes(system)[row]];
  const right = other && part.right(other);
  const mark = right
    ? h("span", {class: right[row] ? "right" : "wrong", "aria-label": right[row] ? "right:" : "wrong:"},
        right[row] ? "✓ " : "✗ ")
    : null;
  return [
    h("a", {
      href: context.href({example: id}),
      onclick: (event) => context.follow(event, {example: id}, "replace"),
      dir: "auto"
    },
      short(question?.[row] ?? id, 160)),
    ...(part.hasKinds(system) ? [kind ? [h("i", {class: `dot ${kind.class}`}), kind.name] : "–"] : []),
    ...(measure ? [number(part.values(system, measure.name)[row], measure)] : []),
    ...(mine?.answers ? [h("span", {dir: "auto"}, listText(mine.answers[row]))] : []),
    ...(other ? [[
      mark,
      h("span", {dir: "auto"},
        theirs?.answers ? listText(theirs.answers[row])
          : measure     ? number(part.values(other, measure.name)[row], measure)
                        : "")
    ]]
              : []),
    ...(gold ? [h("span", {dir: "auto"}, listText(gold[row]))] : [])
  ];
}

function listText(texts) {
  if (texts === null || texts === undefined) return "…";
  return texts.length ? short(texts.slice(0, 8).map((one) => one || NO_ANSWER).join(" / "), 160) : NO_ANSWER;
}

// --- CSV --------------------------------------------------------------------------------------------------------------

function saveButton(context) {
  const {part} = context;
  return h("button", {
    type: "button",
    class: "small",
    onclick: () => saveFile(fileName(`examples-${chosen(part, context.state).system}`, "csv"),
      csv(exampleRows(part, context.state)), "text/csv")
  },
    "Save these as CSV");
}

// The examples that a state shows, as rows of a CSV file.
export function exampleRows(part, state) {
  const {rows} = rowsOf(part, state);
  const {ids, question, gold} = part.examples;
  const columns = part.systems.filter((system) => part.columns(system.name));
  const names = part.exampleMeasures.map((measure) => measure.name);
  const heads = [
    "id", ...(question ? ["question"] : []), ...(gold ? ["gold"] : []),
    ...columns.flatMap(
      ({name}) => [...(part.columns(name).answers ? [`${name}: answer`] : []),
        ...(part.hasKinds(name) ? [`${name}: kind`] : []), ...names.map((measure) => `${name}: ${measure}`)])
  ];
  return [
    heads,
    ...Array.from(rows,
      (row) => [ids[row], ...(question ? [question[row]] : []), ...(gold ? [gold[row]?.join(" | ")] : []),
        ...columns.flatMap(
          ({name}) => [...(part.columns(name).answers ? [part.columns(name).answers[row]?.join(" | ")] : []),
            ...(part.hasKinds(name) ? [part.kinds[part.kindCodes(name)[row]]?.name] : []),
            ...names.map((measure) => part.columns(name).values?.[measure]?.[row])])])
  ];
}
