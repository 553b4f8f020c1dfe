// The tab Slices: where a system is behind, worst gap first, and each grouping in full.

import {gapBar, gapRange, intervalChart, legend, spanMark} from "./charts.js";
import {breakable, fold, h, link, name, section, select, table} from "./dom.js";
import {chosen} from "./examples.js";
import {copyButton, csv, figure, fileName, saveFile} from "./export.js";
import {gaps, leadingSlice, sureWord, weakest} from "./finding.js";

import {count, counted, ends, isNumber, number, percent, signed} from "./format.js";
import {FEW, fewMeans, span} from "./model.js";
import {EXAMPLES} from "./state.js";

const FIRST = 10;  // slices of the list that are shown at once
const DRAWN = 30;  // groups of a grouping that are drawn
const DRAWN_SYSTEMS = 6;

export function slicesView(context) {
  const {part, state} = context;
  if (!part.data.slices.length) return h("p", {class: "empty"}, "This document has no slices.");
  const {system, other} = chosen(part, state);
  const sliced =
    part.measures.filter((measure) => part.data.slices.some(
                           (slicing) => slicing.values.some((of) => Object.values(of).some((values) => values[measure.name]))));
  const measure = sliced.find((one) => one.name === state.measure) ??
    sliced.find((one) => one.name === part.leads?.name) ?? sliced[0];
  if (!measure) return h("p", {class: "empty"}, "No measure has values by slice.");
  const named = (systems) => systems.map((one) => [one.name, one.title]);
  const slicing = part.slicing(state.group) ?? part.data.slices.find((one) => one.requested) ?? part.data.slices[0];
  return [
    h("div", {class: "filters"},
      part.systems.length > 1 &&
        select("system", "System", named(part.systems), system,
          (value) => context.change({system: value, other: value === other ? system : other})),
      part.systems.length > 1 &&
        select("other", "Against", named(part.systems.filter((one) => one.name !== system)), other,
          (value) => context.change({other: value})),
      sliced.length > 1 &&
        select("measure", "Measure", sliced.map((one) => [one.name, one.title]), measure.name,
          (value) => context.change({measure: value}))),
    other ? gapList(context, system, other, measure) : weakList(context, system, measure),
    section("One grouping",
      h("div", {class: "filters"},
        select("group", "Grouped by",
          part.data.slices.map((one) => [one.name, `${one.name.replaceAll("_", " ")} (${one.labels.length})`]),
          slicing.name, (value) => context.change({group: value}))),
      grouping(context, slicing, measure, [system, other]))
  ];
}

function headline(context, found, system, other, measure) {
  const {model} = context;
  const worst = leadingSlice(found.filter((one) => one.loss > 0));
  if (!worst) {
    const behind = found.filter((one) => one.loss > 0).length;
    return h("p", {class: "finding"}, name(model.title(system)), ` is behind `, name(model.title(other)),
      behind ? ` on ${counted(behind, "slices")}, ${behind === 1 ? "one" : "all"} of fewer than ${FEW}.` : " on no slice.");
  }
  return h("p", {class: worst.significant ? "finding" : "finding unsure"}, h("strong", null, name(model.title(system))),
    worst.slicing.requested ? " is furthest behind, of the requested slices, on " : " is furthest behind on ", link(context, {...EXAMPLES, system, other, slice: worst.key}, name(worst.title)),
    ` (n = ${count(worst.n)}): ${number(worst.values[0], measure)} against ${number(worst.values[1], measure)} of `,
    h("strong", null, name(model.title(other))), `, a difference of ${signed(worst.gap, measure)} (${sureWord(worst)}).`);
}

function gapList(context, system, other, measure) {
  const {part, model} = context;
  const found = gaps(part, system, other, measure);
  const sign = measure.lower_is_better ? -1 : 1;
  const limit = gapRange(found.map((one) => sign * one.gap));
  const line = (one) => sliceLine(context, one, {system, other}, gapBar(sign * one.gap, null, limit, one.significant !== false),
    signed(one.gap, measure), `${number(one.values[0], measure)} against ${number(one.values[1], measure)}`);
  const columns = ["slice", "n", model.title(system), model.title(other), "difference", "low", "high", "p_corrected"];
  const row = (one) => [one.title, one.n, one.values[0], one.values[1], one.gap,
    one.interval?.[0] ?? null, one.interval?.[1] ?? null, one.p_corrected];
  return h("section", null, h("h2", null, "Where it is behind"), headline(context, found, system, other, measure),
    h("p", {class: "faint"},
      `${measure.title}: ${model.title(other)} minus ${model.title(system)}, the worst of ${
        model.title(system)} first. Slices of fewer than ${FEW} come after the others. ${barsMean(part, found)}`),
    sliceLines(found.map(line), FIRST), savedSlices(system, columns, found.map(row)));
}

function weakList(context, system, measure) {
  const {part, model} = context;
  const found = weakest(part, system, measure);
  const range = [
    isNumber(measure.low) ? measure.low : Math.min(...found.map((one) => one.interval?.[0] ?? one.value)),
    isNumber(measure.high) ? measure.high : Math.max(...found.map((one) => one.interval?.[1] ?? one.value))
  ];
  const line = (one) => sliceLine(context, one, {system}, spanMark(one.value, one.interval, range, model.system(system).class),
    number(one.value, measure), ends(one.interval, measure));
  const row = (one) => [one.title, one.n, one.value, one.interval?.[0], one.interval?.[1]];
  return h("section", null, h("h2", null, "Where it is weak"),
    h("p", {class: "faint"},
      `${measure.title} of ${model.title(system)}, worst first; ${
        number(part.value(system, measure.name)?.value,
          measure)} of all ${model.nouns}. Slices of fewer than ${FEW} come after the others.`),
    sliceLines(found.map(line), FIRST),
    savedSlices(system, ["slice", "n", measure.name, "low", "high"], found.map(row)));
}

// What hollow bars of the slices of `gaps` mean.
export function barsMean(part, found) {
  const how = part.data.comparisons.length
    ? "by a paired test that is corrected for all measures and groups of a grouping"
    : "by a test that is corrected for all pairs of systems in the slice";
  return found.some((one) => one.significant !== null) ? `Hollow bars: could be chance, ${how}.`
                                                       : "Whether a difference could be chance is not tested.";
}

// A slice as a line of a list that links to its examples: a drawing, a number, and words below it.
export function sliceLine(context, one, systems, drawing, amount, below) {
  return h("li", null,
    link(context, {...EXAMPLES, ...systems, slice: one.key},
      h("span", {class: "name"}, h("span", {class: "slice"}, name(one.title))),
      h("span", {class: "size"}, `n = ${count(one.n)}`, one.few && h("em", null, " few")), drawing,
      h("span", {class: "amount"}, h("b", null, amount), h("span", {class: "sub"}, below))));
}

// Lines of slices, the first ones at once.
export function sliceLines(lines, most) {
  return [
    h("ol", {class: "gaps"}, lines.slice(0, most)),
    lines.length > most && fold(`Show all ${lines.length} slices`, () => h("ol", {class: "gaps"}, lines.slice(most)))
  ];
}

function savedSlices(system, columns, rows) {
  return h("button", {
    type: "button",
    class: "small",
    onclick: () => saveFile(fileName(`slices-${system}`, "csv"), csv([columns, ...rows]), "text/csv")
  },
    "Save as CSV");
}

function grouping(context, slicing, measure, first) {
  const {part, model} = context;
  const systems = part.systems.filter((system) => slicing.values.some((of) => of[system.name]?.[measure.name]));
  if (!systems.length)
    return h("p", {class: "empty"}, `${measure.title} has no values by ${slicing.name.replaceAll("_", " ")}.`);
  const at = (system, index) => {
    const one = slicing.values[index][system.name]?.[measure.name];
    return one ? {...one, interval: span(one.low, one.high)} : {value: null, n: 0, interval: null, few: false};
  };
  const indexes = slicing.labels.map((_, index) => index);
  const most = DRAWN_SYSTEMS - systems.filter((one) => first.includes(one.name)).length;
  const others = systems.filter((one) => !first.includes(one.name)).slice(0, most);
  const shownSystems = systems.filter((one) => first.includes(one.name) || others.includes(one));
  const drawn =
    indexes.slice(0, DRAWN)
      .map((index) => ({
        label: String(slicing.labels[index]),
        note:
          `n = ${count(part.sliceSize(slicing, index, systems[0].name))}${at(systems[0], index).few ? ", few" : ""}`,
        marks: shownSystems.map((system) => {
          const one = at(system, index);
          return isNumber(one.value) ? {
            ...one,
            class: system.class,
            place: system.place,
            text: number(one.value, measure),
            title: `${system.title}, ${slicing.labels[index]}: ${number(one.value, measure)}${
              one.interval ? ` (${ends(one.interval, measure)})` : ""}`
          }
                                     : null;
        })
      }))
      .filter((row) => row.marks.some(Boolean));
  const caption = `${measure.title} by ${slicing.name.replaceAll("_", " ")}${
    model.level ? ` with ${percent(model.level)} intervals`
                : ""}; few: ${fewMeans(model.nouns)}, dashed${
    shownSystems.length < systems.length ? `; ${shownSystems.length} of ${systems.length} systems` : ""}`;
  const rows = indexes.map(
    (index) => [link(context, {...EXAMPLES, system: systems[0].name, slice: part.sliceKey(slicing, index)},
                  name(String(slicing.labels[index]))),
      h("td", {class: "size"}, count(part.sliceSize(slicing, index, systems[0].name)),
        at(systems[0], index).few && h("span", {class: "sub"}, "few")),
      ...systems.map((system) => {
        const one = at(system, index);
        return h("td", null,
          isNumber(one.value) ? link(context, {...EXAMPLES, system: system.name, slice: part.sliceKey(slicing, index)},
                                  number(one.value, measure))
                              : "–",
          one.interval && h("span", {class: "sub"}, ends(one.interval, measure)));
      })]);
  return h("div", {class: "columns"},
    drawn.length > 0 &&
      figure(caption,
        [legend(shownSystems), intervalChart(drawn, {most: 470, label: caption, range: [measure.low, measure.high]})],
        `${measure.name} by ${slicing.name}`),
    h("div", null,
      table(`${measure.title} by ${slicing.name.replaceAll("_", " ")}`,
        [slicing.name.replaceAll("_", " "), "n", ...systems.map((system) => breakable(system.title))], rows,
        rows.length > 20 ? "tall" : ""),
      copyButton("Copy as text",
        () => [[slicing.name, "n", ...systems.map((system) => system.title)].join("\t"),
          ...indexes.map((index) => [slicing.labels[index], part.sliceSize(slicing, index, systems[0].name),
                           ...systems.map((system) => number(at(system, index).value, measure))]
                                      .join("\t"))]
                .join("\n"))));
}
