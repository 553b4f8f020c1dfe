// The tab Compare: two systems in detail, and a matrix where there are more.

import {marked} from "./card.js";
import {gapBar, gapRange, wholeBar} from "./charts.js";
import {breakable, fold, h, isNarrow, lesserSection, link, name, section, select, table} from "./dom.js";
import {kindLink, kindTable} from "./errors.js";
import {csv, fileName, saveFile} from "./export.js";
import {gaps, leadingPair} from "./finding.js";

import {count, counted, ends, isNumber, number, percent, plain, pValue, share, short, signed} from "./format.js";
import {FEW, fewMeans, isGain, verdictOf} from "./model.js";
import {barsMean, sliceLine, sliceLines} from "./slices.js";
import {EXAMPLES} from "./state.js";

const SLICES = 8;         // slices that are shown at once
const SLICES_NARROW = 5;  // on a phone
const CARDS = 3;          // examples on each side

export function compareView(context) {
  const {part} = context;
  if (!part.pairs.length)
    return h(
      "p", {class: "empty"}, "This document compares no systems. The command qassay compare makes one that does.");
  const [first, second] = chosenPair(context);
  const measures = part.measures.filter((measure) => part.comparison(first, second, measure.name));
  const measure = measures.find((one) => one.name === part.leads?.name) ?? measures[0];
  return [
    part.systems.length > 2 &&
      h("div", {class: "filters"}, pairSelect(context, "second", "System", second),
        pairSelect(context, "first", "Against", first)),
    measure ? verdictLine(context, first, second, measure)
            : h("p", {class: "empty"}, "The document does not compare these two systems."),
    measure &&
      [
        measuresSection(context, first, second, measures), questionsSection(context, first, second, measure),
        slicesSection(context, first, second, measure), kindsSection(context, first, second),
        readSection(context, first, second, measure), testsSection(context, first, second, measures)
      ],
    part.systems.length > 2 && matrixSection(context, first, second)
  ];
}

// The pair of a state: as chosen, else the first that the document compares, the worse system first.
export function chosenPair({part, state}) {
  const there = (system) => part.systems.some((one) => one.name === system);
  if (there(state.first) && there(state.second) && state.first !== state.second) return [state.first, state.second];
  const [first, second] = leadingPair(part);
  const found = part.leads && part.comparison(first, second, part.leads.name);
  const isBehind = found && isNumber(found.difference) && isGain(-found.difference, part.leads);
  return isBehind ? [second, first] : [first, second];
}

function pairSelect(context, key, label, value) {
  const [first, second] = chosenPair(context);
  const change = (name) => (key === "first" ? {first: name, second: name === second ? first : second}
                                            : {second: name, first: name === first ? second : first});
  return select(key, label, context.part.systems.map((system) => [system.name, system.title]), value,
    (name) => context.change(change(name)));
}

function verdictLine(context, first, second, measure) {
  const {part, model} = context;
  const found = part.comparison(first, second, measure.name);
  const bold = (system) => h("strong", null, name(model.title(system)));
  if (!isNumber(found.difference))
    return h("p", {class: "verdict-line"}, bold(second), " and ", bold(first),
      ` have no ${measure.title} that can be compared.`);
  if (found.difference === 0)
    return h("p", {class: "verdict-line"}, bold(second), " and ", bold(first),
      ` are equal in ${measure.title} (${number(found.values?.[0], measure)}).`);
  const ahead = isGain(found.difference, measure);
  const [better, worse] = ahead ? [second, first] : [first, second];
  const gap = part.comparison(worse, better, measure.name);
  const details = [
    gap.interval && model.level && `${percent(model.level)} interval ${ends(gap.interval, measure, signed)}`,
    pValue(gap.p_corrected, gap.at_most), part.data.comparisons.length > 1 && isNumber(gap.p_corrected) && "corrected",
    `n = ${count(gap.n)}`
  ].filter(Boolean);
  return h("p", {class: `verdict-line${gap.significant ? " real" : ""}`},
    h("b", {class: gap.significant ? "word better" : "word unsure"},
      gap.significant ? "Better. "
        : gap.n < FEW ? "Too few to say. "
                      : "Could be chance. "),
    bold(better), gap.significant ? " is better than " : " is ahead of ", bold(worse), " in ",
    h("strong", null, measure.title),
    ` by ${number(Math.abs(gap.difference), measure)} (${details.join(", ")})${
      measure.lower_is_better ? "; lower is better" : ""}`,
    isNumber(gap.better) &&
      `; better in ${counted(gap.better, model.nouns)}, equal in ${count(gap.equal)}, worse in ${count(gap.worse)}`,
    ".",
    !gap.significant && isNumber(gap.n_needed) && gap.n_needed > gap.n &&
      ` About ${counted(gap.n_needed, model.nouns)} are needed to detect a difference of this size.`);
}

function measuresSection(context, first, second, measures) {
  const {part, model} = context;
  const upward = (measure, found) => [found.difference, ...(found.interval ?? [])].filter(isNumber).map(
    (one) => (measure.lower_is_better ? -one : one));
  const limit = (measure) =>
    gapRange(measures.filter((one) => one.is_rate === measure.is_rate && (one.is_rate || one === measure))
               .flatMap((one) => upward(one, part.comparison(first, second, one.name))));
  const heads = [
    "Measure",
    ...[first, second].map(
      (system) => [h("i", {class: `dot ${model.system(system).class}`}), breakable(model.title(system))]),
    "Difference", "Verdict"
  ];
  const rows = measures.map((measure) => {
    const found = part.comparison(first, second, measure.name);
    const sign = measure.lower_is_better ? -1 : 1;
    const better = isNumber(found.difference) && found.difference !== 0
      ? (isGain(found.difference, measure) ? second : first)
      : null;
    const word = verdictOf(found, measure);
    const tone = word === "could be chance" || !word ? "unsure" : word;
    const cell = (system, place) => h("td", null,
      h("span", {class: better === system ? "best" : null},
        number(found.values?.[place] ?? part.value(system, measure.name)?.value, measure)),
      found.intervals?.[place] && h("span", {class: "sub"}, ends(found.intervals[place], measure)));
    const turnedInterval = found.interval && sign < 0 ? [-found.interval[1], -found.interval[0]] : found.interval;
    return [
      h("th", {scope: "row"}, h("span", {class: "measure"}, measure.title),
        measure.lower_is_better && h("span", {class: "sub"}, "lower is better")),
      cell(first, 0), cell(second, 1),
      h("td", {class: "drawn"},
        h("div", {class: "gap"},
          isNumber(found.difference) &&
            gapBar(sign * found.difference, turnedInterval, limit(measure), found.significant),
          h("span", {class: "amount"}, h("b", null, signed(found.difference, measure)),
            h("span", {class: "sub"}, ends(found.interval, measure, signed))))),
      h("td", {class: `words ${tone}`}, word ?? "not compared",
        isNumber(found.p_corrected) && h("span", {class: "sub"}, pValue(found.p_corrected, found.at_most)))
    ];
  });
  const csvRows = () => [[
    "measure", "first", "second", "n", "first_value", "second_value", "difference", "low", "high", "p_value",
    "p_corrected", "verdict", "test"
  ],
    ...measures.map((measure) => {
      const one = part.comparison(first, second, measure.name);
      return [
        measure.name, first, second, one.n, one.values?.[0], one.values?.[1], one.difference, one.interval?.[0],
        one.interval?.[1], one.p_value, one.p_corrected, verdictOf(one, measure), one.test
      ];
    })];
  return section("Measures",
    table(`${model.title(second)} minus ${model.title(first)}${
            model.level ? `, with ${percent(model.level)} intervals` : ""}; hollow: could be chance`,
      heads, rows, "measures"),
    h("button", {
      type: "button",
      class: "small",
      onclick: () => saveFile(fileName(`${second}-against-${first}`, "csv"), csv(csvRows()), "text/csv")
    },
      "Save as CSV"));
}

// How single examples change, and who is right.
function questionsSection(context, first, second, measure) {
  const {part, model} = context;
  const found = part.comparison(first, second, measure.name);
  const bars = [];
  const to = (versus) =>
    ({...EXAMPLES, system: second, other: first, measure: measure.name, versus, sort: `-${measure.name}`});
  const bar = (heading, parts) => {
    const n = parts.reduce((sum, one) => sum + one.n, 0);
    if (!n) return;
    bars.push(h("h3", null, heading),
      h("div", {class: "parts"},
        wholeBar(
          parts.map(
            (one) =>
              ({...one, text: count(one.n), link: (attributes, text) => kindLink(context, one.to, attributes, text)})),
          n),
        h("ul", {class: "key"},
          parts.map(
            (one) => h("li", null, h("i", {class: `swatch ${one.class}`}), link(context, one.to, name(one.label)),
              h("b", null, ` ${count(one.n)} `), h("span", {class: "faint"}, share(one.n, n)))))));
  };
  if (isNumber(found.better)) {
    bar(`Change in ${measure.title}`, [
      {n: found.better, class: "better", label: `${model.title(second)} better`, to: to("better")},
      {n: found.equal, class: "same", label: "same", to: to("equal")},
      {n: found.worse, class: "worse", label: `${model.title(second)} worse`, to: to("worse")}
    ]);
  }
  const mine = part.right(second), theirs = part.right(first);
  if (mine && theirs) {
    const counts = [0, 0, 0, 0];
    for (let row = 0; row < mine.length; row++) counts[2 * mine[row] + theirs[row]]++;
    bar("Right and wrong", [
      {n: counts[3], class: "same", label: "both right", to: to("both")},
      {n: counts[2], class: "better", label: `only ${model.title(second)} right`, to: to("only")},
      {n: counts[1], class: "worse", label: `only ${model.title(first)} right`, to: to("lost")},
      {n: counts[0], class: "neither", label: "both wrong", to: to("neither")}
    ]);
  }
  const nouns = model.nouns;
  return bars.length ? section(`Single ${nouns}`, bars) : null;
}

function slicesSection(context, first, second, measure) {
  const {part, model} = context;
  const sign = measure.lower_is_better ? -1 : 1;
  const found = [...gaps(part, first, second, measure)].sort(
    (a, b) => (a.n < FEW) - (b.n < FEW) || Math.abs(b.gap) - Math.abs(a.gap));
  if (!found.length) return null;
  const most = isNarrow() ? SLICES_NARROW : SLICES;
  const limit =
    gapRange(found.flatMap((one) => [one.gap, ...(one.interval ?? [])]).filter(isNumber).map((one) => sign * one));
  const turnedOf = (interval) => (interval && sign < 0 ? [-interval[1], -interval[0]] : interval);
  const line = (one) => sliceLine(context, one,
    sign * one.gap > 0 ? {system: first, other: second} : {system: second, other: first},
    gapBar(sign * one.gap, turnedOf(one.interval), limit, one.significant !== false), signed(one.gap, measure),
    ends(one.interval, measure, signed));
  return section("Where they differ",
    h("p", {class: "faint"},
      `${measure.title}, ${model.title(second)} minus ${model.title(first)}. Few: ${
        fewMeans(model.nouns)}. ${barsMean(part, found)}`),
    sliceLines(found.map(line), most));
}

function kindsSection(context, first, second) {
  const {part, model} = context;
  if (!part.data.kinds?.counts?.[first] || !part.data.kinds.counts[second]) return null;
  return lesserSection("Kinds of errors", () => kindTable(context, [model.system(first), model.system(second)]));
}

// The examples that change most in each direction.
function readSection(context, first, second, measure) {
  const {part, model} = context;
  if (!part.columns(first)?.values?.[measure.name] || !part.columns(second)?.values?.[measure.name]) return null;
  const a = part.values(first, measure.name), b = part.values(second, measure.name);
  const sign = measure.lower_is_better ? -1 : 1;
  const changes =
    part.once(`changes\n${first}\n${second}\n${measure.name}`, () => a.map((value, row) => sign * (b[row] - value)));
  const pick = (direction) => {
    const top = [];
    for (let row = 0; row < changes.length; row++) {
      const size = direction * changes[row];
      if (!(size > 0) || (top.length === CARDS && size <= top.at(-1)[0])) continue;
      top.push([size, row]);
      top.sort((x, y) => y[0] - x[0] || x[1] - y[1]);
      top.length = Math.min(top.length, CARDS);
    }
    return top.map(([, row]) => row);
  };
  const side = (heading, rows, versus) => rows.length > 0 &&
    h("div", null, h("h3", null, heading), rows.map((row) => smallCard(context, row, [first, second], measure)),
      h("p", null,
        link(context, {
          ...EXAMPLES,
          system: second,
          other: first,
          measure: measure.name,
          versus,
          sort: versus === "better" ? `-${measure.name}` : ""
        },
          `All of them in Examples`)));
  const losses = side(`Largest losses of ${model.title(second)}`, pick(-1), "worse"),
        gains = side(`Largest gains of ${model.title(second)}`, pick(1), "better");
  return losses || gains ? lesserSection("Examples to read", () => h("div", {class: "columns"}, losses, gains)) : null;
}

function smallCard(context, row, systems, measure) {
  const {part, model} = context;
  const {ids, question, gold} = part.examples;
  const texts = (list) => (list === null || list === undefined ? null : list.length ? list : ["no answer"]);
  return h("article", {class: "small-card"},
    h("p", {class: "head", dir: "auto"},
      link(context, {...EXAMPLES, system: systems[1], other: systems[0], example: String(ids[row])},
        short(question?.[row] ?? ids[row], 240))),
    gold?.[row] &&
      h("p", {dir: "auto"}, h("span", {class: "faint"}, "Gold "), short(gold[row].join(" / ") || "has no answer", 240)),
    systems.map((system) => h("p", {dir: "auto"}, h("i", {class: `dot ${model.system(system).class}`}),
                  h("span", {class: "faint"}, name(model.title(system)),
                    ` ${number(part.values(system, measure.name)[row], measure)} `),
                  texts(part.columns(system).answers?.[row])
                    ?.slice(0, 3)
                    .map((one, place) => [place ? " / " : "",
                           part.examples.are_texts && gold?.[row] && part.columns(system).answers[row].length
                             ? marked(short(one, 240), gold[row])
                             : short(one, 240)]))));
}

function testsSection(context, first, second, measures) {
  const {part, model} = context;
  const rows = measures.map((measure) => {
    const one = part.comparison(first, second, measure.name);
    return [
      measure.title, count(one.n), one.test ?? "–",
      isNumber(one.p_value) ? pValue(one.p_value, one.at_most).replace(/^p = /, "") : "–",
      isNumber(one.p_corrected) ? pValue(one.p_corrected, one.at_most).replace(/^p = /, "") : "–",
      isNumber(one.effect_size) ? plain(Number(one.effect_size.toFixed(3))) : "–",
      one.n_needed ? count(one.n_needed) : "–", h("td", {class: "words"}, one.cautions.map(model.caution).join("; ") || "–")
    ];
  });
  const test = model.document.test;
  const how = test
    ? `Requested test: ${test.name}; correction: ${test.correction}; ${count(test.n_permutations)} permutations.`
    : "";
  return fold("How certain, and by which test",
    () => [h("p", {class: "faint"}, how),
      table("Tests of the differences",
        ["Measure", "n", "Test", "p", "Corrected p", "Effect size (d)", "n needed", "Cautions"], rows)]);
}

function matrixSection(context, first, second) {
  const {part, model, state} = context;
  const there = part.measures.filter((measure) => part.data.comparisons.some((one) => one.measure === measure.name));
  const measure =
    there.find((one) => one.name === state.measure) ?? there.find((one) => one.name === part.leads?.name) ?? there[0];
  if (!measure) return null;
  const systems = part.systems;
  const rows = systems.map((row) => [breakable(row.title), ...systems.map((column) => {
    const found = row === column ? null : part.comparison(column.name, row.name, measure.name);
    if (!found || !isNumber(found.difference)) return h("td", {class: "self"}, row === column ? "" : "–");
    const word = verdictOf(found, measure), kind = word === "could be chance" ? "" : word;
    return h("td", {class: `${kind}${row.name === second && column.name === first ? " here" : ""}`},
      link(
        context, {first: column.name, second: row.name}, signed(found.difference, measure), kind && " *"));
  })]);
  return section("All pairs",
    there.length > 1 &&
      h("div", {class: "filters"},
        select("matrix-measure", "Measure", there.map((one) => [one.name, one.title]), measure.name,
          (value) => context.change({measure: value}))),
    table(`${measure.title}: the system of the row minus the system of the column; * better or worse; the others could be chance`,
      ["System", ...systems.map((system) => breakable(system.title))], rows, "matrix"));
}
