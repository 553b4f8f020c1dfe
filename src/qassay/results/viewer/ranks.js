// The tab Ranks: all systems in order, with plausible ranks and letters; by measure and by slice.

import {intervalChart, spanMark} from "./charts.js";
import {breakable, fold, h, link, name, section, select, table} from "./dom.js";
import {csv, figure, fileName, saveFile} from "./export.js";
import {count, counted, ends, isNumber, number, percent, pValue} from "./format.js";
import {span} from "./model.js";

const DRAWN = 40;   // systems of the chart
const MATRIX = 40;  // systems of the matrix

// The rankings of a state: of all examples, or of a group of a slicing.
export function rankingsOf(part, key) {
  const found = key ? part.findSlice(key) : null;
  return found ? (found.slicing.ranks?.[found.index] ?? []) : part.data.ranks;
}

// The order of the systems of a board by a column.
export function sortedBoard(rankings, shown, sort) {
  const key = sort.replace(/^-/, ""), down = sort.startsWith("-");
  const systems = shown.systems.map((one) => one.system);
  const ranking = rankings.find((one) => one.measure === key);
  const value = ranking ? new Map(ranking.systems.map((one) => [one.system, one.value ?? NaN])) : null;
  const compare = key === "name" ? (a, b) => a.localeCompare(b)
    : ranking                    ? (a, b) => value.get(a) - value.get(b) || 0
                                 : (a, b) => systems.indexOf(a) - systems.indexOf(b);
  const order = [...systems].sort(compare);
  return down ? order.reverse() : order;
}

export function ranksView(context) {
  const {part, state, model} = context;
  const sliced = part.data.slices.filter((slicing) => slicing.ranks?.some((one) => one.length));
  const rankings = rankingsOf(part, state.rankslice);
  const ranking = rankings.find((one) => one.measure === state.measure) ??
    rankings.find((one) => one.measure === part.leads?.name) ?? rankings[0];
  const choices = h(
    "div",
    { class: "filters" },
    part.data.ranks.length > 1 &&
      select(
        "rank-measure",
        "Ranked by",
        part.data.ranks.map((one) => [one.measure, part.measure(one.measure).title]),
        ranking?.measure,
        (value) => context.change({ measure: value, ranksort: "" })
      ),
    sliced.length > 0 && select("rank-slice", "Slice", [["", "all"], ...sliced.map((slicing) => [slicing.name.replaceAll("_", " "), slicing.labels.map((_, index) => [part.sliceKey(slicing, index), `${slicing.titles?.[index] ?? slicing.labels[index]} (${count(slicing.n[index])})`])])], state.rankslice, (value) => context.change({ rankslice: value })),
    h("div", { class: "field" }, h("label", { htmlFor: "rank-text" }, "Name contains"), h("input", { id: "rank-text", type: "search", value: state.rankname, oninput: (event) => context.change({ rankname: event.target.value }, "soft") }))
  );
  if (!ranking) return [choices, h("p", {class: "empty"}, "No system has a rank here.")];
  const measure = part.measure(ranking.measure);
  return [
    model.document.description && h("p", {class: "lead"}, model.document.description), choices,
    h("p", {class: "faint"},
      `${measure.title} on ${counted(ranking.n, model.nouns)}${
        isNumber(ranking.n_groups) ? ` in ${count(ranking.n_groups)} groups` : ""}${
        ranking.left_out ? `; ${count(ranking.left_out)} left out, which not all systems have`
                         : ""}. Systems that share a letter do not differ significantly (${
        ranking.test}, corrected for all pairs; a comparison of two systems alone is not, and may find a difference between them). ${
        "In brackets: the ranks that are plausible, for one system alone."}`),
    ranking.cautions?.map((code) => h("p", {class: "caution"}, `Caution: ${model.caution(code)}.`)),
    board(context, rankings, ranking, measure), chart(context, ranking, measure), matrix(context, ranking, measure)
  ];
}

function board(context, rankings, ranking, measure) {
  const {part, model, state} = context;
  const by = new Map(ranking.systems.map((one) => [one.system, one]));
  const others = rankings.filter((one) => one !== ranking).slice(0, 5);
  const needle = state.rankname.toLowerCase();
  const sort = state.ranksort || "rank";
  const order =
    sortedBoard([ranking, ...others], ranking, sort)
      .filter((system) => model.title(system).toLowerCase().includes(needle) ||
          Object.values(model.system(system)?.facts ?? {}).some((fact) => String(fact).toLowerCase().includes(needle)));
  const range = rangeOf(measure, ranking);
  const facts = [...new Set(ranking.systems.flatMap((one) => Object.keys(model.system(one.system)?.facts ?? {})))];
  const head = (key, text) =>
    h("th", {scope: "col",
      "aria-sort": sort === key ? "ascending"
        : sort === `-${key}` ? "descending"
                             : null},
      h("button",
        {type: "button", id: `sort-${key}`, onclick: () => context.change({ranksort: sort === key ? `-${key}` : key})},
        text));
  const hasShare = ranking.systems.some((one) => isNumber(one.best_share));
  const heads = [
    head("rank", "Rank"), head("name", "System"), head(ranking.measure, measure.title),
    h("th", {scope: "col"}, "Letters"),
    hasShare && h("th", {scope: "col", title: "share of resamples in which it is the best"}, "Best in"),
    others.map((one) => head(one.measure, part.measure(one.measure).title)),
    facts.map((one) => h("th", {scope: "col", class: "words"}, one))
  ];
  const rows = order.map((key) => {
    const one = by.get(key), system = model.system(key);
    const link_ = system?.link && /^https?:\/\//i.test(system.link)
      ? h("a", {class: "out", href: system.link, rel: "noopener noreferrer"}, " link ↗")
      : null;
    return h("tr", {class: one.tied_with_best ? "tied" : null},
      h("td", {class: "rank"}, h("strong", null, isNumber(one.rank) ? String(one.rank) : "–"),
        one.rank_interval && one.rank_interval[0] !== one.rank_interval[1] &&
          h("span", {class: "sub"}, `(${one.rank_interval[0]}–${one.rank_interval[1]})`)),
      h("th", {scope: "row"}, breakable(system?.title ?? key), link_),
      h("td", {class: "value"}, h("b", null, number(one.value, measure)),
        spanMark(one.value, span(one.low, one.high), range, ""),
        h("span", {class: "sub"}, ends([one.low, one.high], measure), one.few && " few")),
      h("td", {class: "letters"}, one.letters || "–"),
      hasShare && h("td", null, isNumber(one.best_share) ? percent(Number(one.best_share.toFixed(2))) : "–"),
      others.map((other) => {
        const cell = other.systems.find((row) => row.system === key);
        return h("td", null, number(cell?.value, part.measure(other.measure)),
          cell && h("span", {class: "sub"}, `rank ${cell.rank}`));
      }),
      facts.map((fact) => h("td", {class: "words"}, system?.facts?.[fact] ?? "–")));
  });
  const caption = `${counted(order.length, "systems")} by ${measure.title}${
    model.level ? ` with ${percent(ranking.confidence ?? model.level)} intervals` : ""}`;
  return h("section", null, h("h2", null, "Ranking"),
    h("div", {class: "scroll board", role: "group", "aria-label": caption, tabindex: 0},
      h("table", null, h("caption", null, caption), h("thead", null, h("tr", null, heads)), h("tbody", null, rows))),
    h("button", {
      type: "button",
      class: "small",
      onclick: () =>
        saveFile(fileName(`ranks-${ranking.measure}`, "csv"), csv(boardRows(model, rankings, ranking)), "text/csv")
    },
      "Save as CSV"));
}

// A board as rows of a CSV file.
export function boardRows(model, rankings, ranking) {
  const others = rankings.filter((one) => one !== ranking);
  return [
    [
      "rank", "first rank", "last rank", "system", ranking.measure, "low", "high", "letters", "best share",
      ...others.map((one) => one.measure)
    ],
    ...ranking.systems.map((one) => [one.rank, one.rank_interval?.[0], one.rank_interval?.[1], model.title(one.system),
                             one.value, one.low, one.high, one.letters, one.best_share,
                             ...others.map((other) => other.systems.find((row) => row.system === one.system)?.value)])
  ];
}

function rangeOf(measure, ranking) {
  if (isNumber(measure.low) && isNumber(measure.high)) return [measure.low, measure.high];
  const numbers = ranking.systems.flatMap((one) => [one.value, one.low, one.high]).filter(isNumber);
  return numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : [0, 1];
}

function chart(context, ranking, measure) {
  const {model} = context;
  const rows = ranking.systems.slice(0, DRAWN).filter((one) => isNumber(one.value)).map((one) => ({
    label: model.title(one.system),
    note: "",
    marks: [{
      value: one.value,
      interval: span(one.low, one.high),
      text: number(one.value, measure),
      class: one.tied_with_best ? "tied" : "same",
      place: one.tied_with_best ? 0 : 1,
      title: `${model.title(one.system)}: ${number(one.value, measure)}`
    }]
  }));
  const caption =
    `${measure.title} with intervals, best first; circles: the best and those not distinguishable from it`;
  return rows.length ? section("Values with intervals",
                         figure(caption, intervalChart(rows, {label: caption, range: [measure.low, measure.high]}),
                           `ranks-${ranking.measure}`))
                     : null;
}

function matrix(context, ranking, measure) {
  const {model, part} = context;
  if (!ranking.p_values || ranking.systems.length > MATRIX) return null;
  const alpha = 1 - (ranking.confidence ?? 0.95);
  const rows =
    ranking.systems.map((row, a) => [breakable(model.title(row.system)), ...ranking.systems.map((column, b) => {
      const p = ranking.p_values[a]?.[b];
      if (!isNumber(p)) return h("td", {class: "self"}, a === b ? "" : "–");
      const kind = p < alpha ? (a < b ? "better" : "worse") : "alike";
      const written = pValue(p).replace(/^p (= )?/, "");
      return h("td", {class: kind},
        part.comparison(column.system, row.system, ranking.measure)
          ? link(context, {tab: "compare", first: column.system, second: row.system}, written)
          : written);
    })]);
  const make =
    () => [h("p", {class: "faint"},
             `Corrected p of all pairs in ${measure.title}. Below ${
               Number(alpha.toFixed(6))} two systems differ significantly: green, the row is better; red, it is worse.`),
      table(`Corrected p-values of all pairs in ${measure.title}`,
        ["System", ...ranking.systems.map((one) => breakable(model.title(one.system)))], rows, "matrix")];
  return rows.length > 12 ? fold("Which systems differ", make) : section("Which systems differ", make());
}
