// One example: question, gold answers, what each system answered with marked words, and the context.

import {h, link, name} from "./dom.js";
import {number} from "./format.js";
import {EXAMPLES} from "./state.js";
import {cover, difference, find} from "./tokens.js";

const OPEN = 4;          // systems that are shown at once; further ones fold
const LONGEST = 20_000;  // characters of a context that are shown
const LEFT_OUT = "The texts of this example were left out of the document.";

export function card(context, row, system, other) {
  const {part} = context;
  const {ids, question, has_text: hasText} = part.examples;
  const leftOut = hasText && !hasText[row];
  const order = [system, other, ...part.systems.map((one) => one.name)].filter(
    (one, place, all) => one && all.indexOf(one) === place && part.columns(one));
  const answers = (names) => names.map((one) => answerOf(context, row, one));
  const beside = passage(context, row, order);
  if (!beside) {
    return h("article", {class: "example"}, title(ids[row], question?.[row]),
      leftOut && h("p", {class: "faint"}, LEFT_OUT), golds(context, row),
      h("div", {class: "columns"}, answers(order.slice(0, OPEN))), more(order, answers),
      part.examples.are_texts && part.examples.gold && markKey(), memberships(context, row, system));
  }
  const left = [
    leftOut ? h("p", {class: "faint"}, LEFT_OUT) : golds(context, row), answers(order.slice(0, OPEN)),
    more(order, answers), part.examples.are_texts && !leftOut && part.examples.gold && markKey()
  ];
  return h("article", {class: "example"}, title(ids[row], question?.[row]),
    h("div", {class: "columns"}, h("div", null, left), h("div", null, beside, memberships(context, row, system))));
}

function title(id, question) {
  return [h("h2", {class: "head", dir: "auto"}, question ?? String(id)), question && h("p", {class: "id"}, String(id))];
}

function more(order, answers) {
  return order.length > OPEN &&
    h("details", null, h("summary", null, `${order.length - OPEN} more systems`), answers(order.slice(OPEN)));
}

// --- gold and answers -------------------------------------------------------------------------------------------------

function golds(context, row) {
  const gold = context.part.examples.gold?.[row];
  if (!gold) return null;
  return [
    h("p", {class: "label"}, "Gold"),
    gold.length ? h("ul", {class: "golds"}, gold.slice(0, 20).map((one) => h("li", {dir: "auto"}, String(one))),
                    gold.length > 20 && h("li", {class: "faint"}, `and ${gold.length - 20} more`))
                : h("p", {class: "none"}, "has no answer")
  ];
}

function answerOf(context, row, system) {
  const {part, model} = context;
  const columns = part.columns(system);
  const kind = part.hasKinds(system) ? part.kinds[part.kindCodes(system)[row]] : null;
  const chosen = part.exampleMeasure(context.state.measure);
  const measures = part.exampleMeasures.length > 6
    ? part.exampleMeasures.filter((measure) => measure.main || measure === chosen)
    : part.exampleMeasures;
  const values = measures.filter((measure) => columns.values?.[measure.name])
                   .map((measure) => `${measure.title} ${number(part.values(system, measure.name)[row], measure)}`);
  const one = model.system(system);
  return h("div", {class: "answer-of"},
    h("p", {class: "label"}, h("i", {class: `dot ${one.class}`}), name(one.title),
      kind && [" · ", h("strong", {title: kind.meaning || null}, kind.name)],
      values.length > 0 && h("span", {class: "values"}, ` · ${values.join(" · ")}`)),
    columns.documents?.[row] ? documents(columns.documents[row]) : answerTexts(part, row, columns),
    columns.whole?.[row] &&
      h("details", null, h("summary", null, "Whole output"),
        h("p", {class: "text", dir: "auto", tabindex: 0}, columns.whole[row])),
    columns.reasons?.[row] &&
      h("ul", {class: "reasons"},
        columns.reasons[row].map(
          ([effect, words]) => h("li", null,
            h("strong", null,
              typeof effect === "number" ? (effect > 0 ? `+${effect.toFixed(2)}` : effect.toFixed(2).replace("-", "−"))
                                                       : String(effect)),
            " ", String(words)))));
}

function answerTexts(part, row, columns) {
  const answers = columns.answers?.[row];
  if (!columns.answers || answers === null || answers === undefined) return null;
  if (!answers.length) return h("p", {class: "none"}, "no answer");
  const gold = (part.examples.gold?.[row] ?? []).map(String);
  if (!part.examples.are_texts) {
    if (answers.length === 1)
      return h("p", null,
        gold.includes(String(answers[0])) ? h("mark", {class: "gold"}, String(answers[0])) : String(answers[0]));
    return h("ol", {class: "ranked"},
      answers.slice(0, 20).map(
        (one) => h("li", null, gold.includes(String(one)) ? h("mark", {class: "gold"}, String(one)) : String(one))),
      answers.length > 20 && h("li", {class: "faint"}, `and ${answers.length - 20} more`));
  }
  return answers.slice(0, 20).map(
    (one) => (one === "" ? h("p", {class: "none"}, "no answer")
                         : h("p", {class: "text", dir: "auto", tabindex: String(one).length > 600 ? 0 : null},
                             part.examples.gold ? marked(String(one), gold) : String(one))));
}

// An answer with its words marked.
export function marked(answer, gold) {
  if (!gold.length) return h("span", {class: "surplus"}, answer);
  return difference(answer, gold)
    .map(([piece, state]) => (state === "same" ? h("mark", {class: "gold"}, piece)
             : state === "surplus"             ? h("span", {class: "surplus"}, piece)
             : state === "missing"             ? h("del", {class: "missing"}, piece)
                                               : piece));
}

function markKey() {
  return h("p", {class: "key"}, h("mark", {class: "gold"}, "shared with the closest gold answer"),
    h("span", {class: "surplus"}, "surplus"), h("del", {class: "missing"}, "missing"));
}

function documents(list) {
  if (!list.length) return h("p", {class: "none"}, "no documents");
  return h("ol", {class: "ranked"}, list.map(([id, relevance]) => {
    const relevant = relevance === true || (typeof relevance === "number" && relevance > 0);
    return h("li", null, relevant ? h("mark", {class: "gold"}, String(id)) : String(id),
      h("span", {class: "faint"},
        relevance === null      ? " not judged"
          : relevance === true  ? " relevant"
          : relevance === false ? " not relevant"
                                : ` relevance ${relevance}`));
  }));
}

// --- context ----------------------------------------------------------------------------------------------------------

function passage(context, row, order) {
  const {part} = context;
  const {contexts, context: places, gold} = part.examples;
  const whole = places && places[row] >= 0 ? contexts[places[row]] : null;
  if (!whole) return null;
  const spans = (gold?.[row] ?? []).map((one) => ["", find(whole, String(one))]).filter(([, span]) => span);
  const from = Math.max(0, Math.min((spans[0]?.[1][0] ?? 0) - LONGEST / 2, whole.length - LONGEST));
  const text = whole.slice(from, from + LONGEST);
  const moved = spans.map(([, [start, end]]) => ["", [start - from, end - from]]).filter(([,
    [start, end]]) => start >= 0 && end <= text.length);
  for (const system of order.slice(0, 6)) {
    for (const answer of part.columns(system).answers?.[row] ?? []) {
      const span = find(text, String(answer));
      if (span) moved.push([system, span]);
    }
  }
  const named = order.filter((system) => moved.some(([one]) => one === system));
  const dash = (system) => `said said-${context.model.system(system).place % 3} ${context.model.system(system).class}`;
  const nodes = cover(text, moved).map(([piece, names]) => {
    let node = piece;
    for (const system of new Set(names)) node = system === "" ? node : h("span", {class: dash(system)}, node);
    return names.includes("") ? h("mark", {class: "gold"}, node) : node;
  });
  return [
    h("h3", null, "Context"),
    h("div", {class: "text passage", dir: "auto", tabindex: 0, role: "group", "aria-label": "Context"},
      from > 0 && "[…] ", nodes, from + LONGEST < whole.length && " […]"),
    h("p", {class: "key"},
      spans.length            ? h("mark", {class: "gold"}, "gold answer")
        : gold?.[row]?.length ? h("span", null, "the gold answer does not occur here literally")
                              : null,
      named.map((system) => h("span", {class: dash(system)}, name(context.model.title(system)))))
  ];
}

// The slices that the example is in.
function memberships(context, row, system) {
  const {part} = context;
  const items = part.data.slices.map((slicing) => [slicing, part.sliceCodes(slicing, system)?.[row] ?? -1]).filter(([,
    index]) => index >= 0);
  if (!items.length) return null;
  return h("dl", {class: "details"},
    items.slice(0, 12).map(([slicing, index]) => [h("dt", null, slicing.name.replaceAll("_", " ")),
                             h("dd", null,
                               link(context, {...EXAMPLES, system, slice: part.sliceKey(slicing, index)},
                                 name(String(slicing.labels[index]))))]));
}
