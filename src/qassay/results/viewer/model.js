// A result document as the views read it: lookups, and columns of examples as typed arrays. Nothing is computed that
// the document has.

import {
  compared,
  equals,
  haystack,
  maskOf,
  orderOf,
  orderOfTexts,
  reversed,
  rightness,
  search,
  within
} from "./filter.js";
import {isNumber} from "./format.js";

export const FEW = 30;  // examples, below which a slice makes no headline
export const fewMeans = (nouns) => `under ${FEW} ${nouns} or groups, or few of them vary`;
const FORMAT = "qassay.result/";
const READS = 1;  // the newest version of the format that these modules know

// The colour of each kind of error: kinds of different metrics that mean the same look the same.
const KIND_COLORS = {
  right: ["accepted", "correct", "relevant first", "supported", "true label first", "right"],
  none: ["no relevant", "no true labels", "not scored", "nothing to judge"],
  near: ["correct later", "found, not first", "same words", "refusal"],
  part: ["part of an answer", "partial", "partly supported"],
  over: ["found late", "hedged between several answers", "too long", "too many"],
  under: ["too few", "too short", "wrong number or date"],
  wrong: ["no shared word", "not supported", "other entity", "wrong", "wrong answer"],
  silent: ["gave no answer", "not attempted"],
  unread: ["answer not found", "no verdict", "unjudged top"],
  absent: ["no prediction", "not in the run"],
  needless: ["answered an unanswerable"],
  unfound: ["document not found", "not found"],
  contrary: ["negated"]
};

// The classes of the colours of kinds: by name, else a free one in order.
export function kindClasses(names) {
  const known = names.map((name) => Object.keys(KIND_COLORS).find((color) => KIND_COLORS[color].includes(name)));
  const free = Object.keys(KIND_COLORS).slice(2).filter((color) => !known.includes(color));
  let next = 0;
  return known.map((color) => `kind-${color ?? free[next++ % free.length] ?? "wrong"}`);
}

// Read a document; throws an Error with a sentence for the reader where it is none.
export function read(document) {
  const format = document?.format;
  if (typeof format !== "string" || !format.startsWith(FORMAT))
    throw new Error("This file is no result of qassay: it has no format “qassay.result”.");
  if (Number(format.slice(FORMAT.length)) > READS)
    throw new Error(
      `This result has the format ${format}, which is newer than this page. Open it with a newer qassay.`);
  for (const field of ["parts", "systems"])
    if (!Array.isArray(document[field]) || !document[field].length)
      throw new Error(`This result is damaged: its ${field} are missing. Make it again.`);
  const systems = document.systems.map(
    (system, place) =>
      ({...system, name: system.name, title: system.title || system.name, place, class: `system-${(place % 6) + 1}`}));
  const model = {
    document,
    systems,
    nouns: document.examples_name || "examples",
    level: document.interval?.confidence ?? null,
    system: (name) => systems.find((one) => one.name === name),
    caution: (code) => document.cautions?.[code] ?? code,
    title: (name) => systems.find((one) => one.name === name)?.title ?? name
  };
  model.parts = document.parts.map((part) => new Part(part, model));
  return model;
}

export class Part {
  constructor(part, model) {
    this.data = part;
    this.model = model;
    this.n = part.n;
    const scale = model.document.scale;
    this.measures = part.measures.map((measure) => ({...measure, scale}));
    this.byName = new Map(this.measures.map((measure) => [measure.name, measure]));
    this.systems = model.systems.filter((system) => part.values[system.name]);
    const main = this.measures.filter((measure) => measure.main);
    this.mains = main.length ? main : this.measures.slice(0, 1);
    this.leads = this.byName.get(part.leads) ?? this.mains[0] ?? null;
    const order = part.kinds?.order ?? [];
    const classes = kindClasses(order.map((kind) => kind.name));
    this.kinds = order.map((kind, code) => ({...kind, code, class: classes[code]}));
    this.examples = part.examples;
    this.size = part.examples?.ids?.length ?? 0;
    this.kept = new Map();
  }

  once(key, make) {
    if (!this.kept.has(key)) {
      if (this.kept.size > 200) this.kept.clear();
      this.kept.set(key, make());
    }
    return this.kept.get(key);
  }

  measure(name) {
    return this.byName.get(name) ?? {
      name,
      title: name,
      short: name,
      meaning: "",
      is_rate: true,
      scale: this.model.document.scale,
      low: null,
      high: null,
      lower_is_better: false
    };
  }

  value(system, measure) {
    return this.data.values[system]?.[measure] ?? null;
  }

  // The difference of `second` minus `first` in a measure, turned where the document has it the other way; null without one.
  comparison(first, second, measure) {
    return turned(this.data.comparisons, first, second, measure);
  }

  // All pairs that the document compares, each once.
  get pairs() {
    return this.once("pairs", () => {
      const seen = new Map();
      for (const {first, second} of this.data.comparisons) seen.set(`${first}\n${second}`, [first, second]);
      return [...seen.values()];
    });
  }

  ranking(measure) {
    return this.data.ranks.find((one) => one.measure === measure) ?? null;
  }

  // --- examples -------------------------------------------------------------------------------------------------------

  columns(system) {
    return this.examples?.systems?.[system] ?? null;
  }

  // The measures that have a value for each example of some system, in the order of the document.
  get exampleMeasures() {
    return this.once("exampleMeasures",
      () => this.measures.filter(
        (measure) => this.systems.some((system) => this.columns(system.name)?.values?.[measure.name])));
  }

  // The measure by which examples are shown: the requested one, else the leading one, else the first that has values.
  exampleMeasure(name) {
    const there = this.exampleMeasures;
    return there.find((one) => one.name === name) ?? there.find((one) => one.name === this.leads?.name) ?? there[0] ??
      null;
  }

  // A column of values; NaN without a value.
  values(system, measure) {
    return this.once(`values\n${system}\n${measure}`, () => {
      const column = this.columns(system)?.values?.[measure];
      const values = new Float64Array(this.size).fill(NaN);
      if (column)
        for (let row = 0; row < values.length; row++)
          if (column[row] !== null) values[row] = column[row];
      return values;
    });
  }

  // The kind of error of each example; -1 without one.
  kindCodes(system) {
    return this.once(`kinds\n${system}`,
      () => Int16Array.from(this.columns(system)?.kinds ?? {length: this.size, fill: 0}, (code) => code ?? -1));
  }

  hasKinds(system) {
    return this.kinds.length > 0 && Array.isArray(this.columns(system)?.kinds);
  }

  // Which examples a system has right: by the kind of error, else by a measure whose values are all the lowest or the highest
  // one; null if neither says so.
  right(system) {
    return this.once(`right\n${system}`, () => {
      if (this.hasKinds(system)) {
        const codes = this.kindCodes(system);
        const mask = new Uint8Array(this.size);
        for (let row = 0; row < mask.length; row++) mask[row] = this.kinds[codes[row]]?.right ? 1 : 0;
        return mask;
      }
      const measure = this.exampleMeasure("");
      if (!measure || !this.columns(system)?.values?.[measure.name]) return null;
      const best = measure.lower_is_better ? measure.low : measure.high;
      if (!isNumber(best) || !this.isTwoValued(measure)) return null;
      const values = this.values(system, measure.name);
      return measure.lower_is_better ? within(values, -Infinity, best) : within(values, best, Infinity);
    });
  }

  isTwoValued(measure) {
    return this.once(`two-valued\n${measure.name}`,
      () => this.systems.every(({name}) => this.values(name, measure.name)
                                             .every((value) => !(value > measure.low && value < measure.high))));
  }

  wrong(system) {
    return this.once(`wrong\n${system}`, () => {
      const right = this.right(system);
      return right && right.map((is) => 1 - is);
    });
  }

  slicing(name) {
    return this.data.slices.find((one) => one.name === name) ?? null;
  }

  sliceCodes(slicing, system) {
    return slicing.of_systems ? slicing.codes[system] : slicing.codes;
  }

  sliceSize(slicing, index, system) {
    return slicing.of_systems ? (slicing.n[system]?.[index] ?? 0) : slicing.n[index];
  }

  // The key of a group in the address, and back.
  sliceKey(slicing, index) {
    return `${slicing.name}:${slicing.labels[index]}`;
  }

  findSlice(key) {
    for (const slicing of this.data.slices) {
      if (!key.startsWith(`${slicing.name}:`)) continue;
      const index = slicing.labels.findIndex((label) => String(label) === key.slice(slicing.name.length + 1));
      if (index >= 0)
        return {slicing, index, title: slicing.titles?.[index] ?? `${slicing.name} ${slicing.labels[index]}`};
    }
    return null;
  }

  // The masks of a state of the tab Examples, and the words of each filter: [{key, words, mask}].
  filters(state, system, other) {
    const found = [];
    const add = (keys, words, make) => found.push({
      keys,
      words,
      mask: this.once(
        `mask\n${system}\n${other}\n${keys.map((key) => state[key]).join("\n")}\n${keys}\n${state.measure}`, make)
    });
    const measure = this.exampleMeasure(state.measure);
    if (state.kind === "errors" && this.wrong(system))
      add(["kind"], "all errors", () => this.wrong(system));
    else if (state.kind && this.hasKinds(system)) {
      const code = this.kinds.findIndex((kind) => kind.name === state.kind);
      if (code >= 0) add(["kind"], state.kind, () => equals(this.kindCodes(system), code));
    }
    const slice = state.slice && this.findSlice(state.slice);
    if (slice && this.sliceCodes(slice.slicing, system))
      add(["slice"], slice.title, () => equals(this.sliceCodes(slice.slicing, system), slice.index));
    if (state.versus && other) {
      const title = this.model.title(other);
      const words = versusWords(title)[state.versus];
      if (["better", "worse", "equal"].includes(state.versus) && measure) {
        add(["versus"], words,
          () => compared(state.versus, this.values(system, measure.name), this.values(other, measure.name),
            measure.lower_is_better ? -1 : 1));
      } else if (words && this.right(system) && this.right(other)) {
        add(["versus"], words, () => rightness(state.versus, this.right(system), this.right(other)));
      }
    }
    if ((state.low !== "" || state.high !== "") && measure) {
      const low = state.low === "" ? -Infinity : Number(state.low),
            high = state.high === "" ? Infinity : Number(state.high);
      if (low === low && high === high) {
        const words = state.low === "" ? `${measure.title} ≤ ${state.high}`
          : state.high === "" ? `${measure.title} ≥ ${state.low}`
                              : `${measure.title} ${state.low} to ${state.high}`;
        add(["low", "high"], words, () => within(this.values(system, measure.name), low, high));
      }
    }
    if (state.ids) {
      const remark = this.remarks.find((one) => one.key === state.ids);
      if (remark?.examples)
        add(["ids"], `the ${remark.examples.length} of “${remark.text}”`, () => maskOf(remark.examples, this.size));
    }
    if (state.text) add(["text"], `contains “${state.text}”`, () => search(this.haystack, state.text));
    return found;
  }

  // The order of the rows by a column: "id", "question", "kind" or a measure; "-" before it: descending.
  order(sort, system) {
    return this.once(`order\n${sort}\n${system}`, () => {
      const key = sort.replace(/^-/, ""), down = sort.startsWith("-");
      if (key === "id")
        return down ? reversed(orderOfTexts(this.examples.ids.map(String)))
                    : orderOfTexts(this.examples.ids.map(String));
      if (key === "question") {
        const order = orderOfTexts(
          (this.examples.question ?? this.examples.ids).map((text) => (text ?? "").toString().toLowerCase()));
        return down ? reversed(order) : order;
      }
      const values = key === "kind" ? Float64Array.from(this.kindCodes(system)) : this.values(system, key);
      if (!down) return orderOf(values);
      return orderOf(values.map((value) => -value));
    });
  }

  get haystack() {
    return this.once("haystack", () => {
      const {ids, question, gold} = this.examples;
      const columns = this.systems.map((system) => this.columns(system.name)?.answers);
      return haystack(this.size,
        (row) => [String(ids[row]), question?.[row] ?? "", ...(gold?.[row] ?? []).map(String),
          ...columns.flatMap((answers) => (answers?.[row] ?? []).map(String))]);
    });
  }

  rowOf(id) {
    const rows = this.once("rows", () => new Map(this.examples.ids.map((one, row) => [String(one), row])));
    return rows.get(String(id)) ?? -1;
  }

  // --- remarks --------------------------------------------------------------------------------------------------------

  // The remarks on this part, each with a key for the address.
  get remarks() {
    return this.once("remarks",
      () => this.model.document.remarks.map((remark, index) => ({...remark, key: `${remark.id}-${index}`}))
              .filter((remark) => !remark.metric || remark.metric === this.data.metric));
  }
}

// What a system may be against another, in words.
export function versusWords(other) {
  return {
    better: `better than ${other}`,
    worse: `worse than ${other}`,
    equal: `equal to ${other}`,
    only: `right, ${other} is wrong`,
    lost: `wrong, ${other} is right`,
    both: "both right",
    neither: "both wrong"
  };
}

// A comparison from a list, as `second` minus `first`, with its interval as a pair; null if the list has none of this pair.
export function turned(list, first, second, measure) {
  for (const one of list) {
    if (one.measure !== measure) continue;
    const same = one.first === first && one.second === second;
    if (!same && !(one.first === second && one.second === first)) continue;
    const {difference, values, intervals} = one;
    if (same) return {...one, interval: span(one.low, one.high)};
    return {
      ...one,
      first,
      second,
      difference: minus(difference),
      interval: span(minus(one.high), minus(one.low)),
      values: values && [values[1], values[0]],
      intervals: intervals && [intervals[1], intervals[0]],
      better: one.worse,
      worse: one.better,
      effect_size: minus(one.effect_size)
    };
  }
  return null;
}

function minus(value) {
  return isNumber(value) ? -value : null;
}

// The corrected p of two systems in a ranking, and whether it is significant; null where they are not tested.
export function rankedPair(ranking, first, second) {
  const [row, column] = [first, second].map((name) => ranking?.systems.findIndex((one) => one.system === name));
  const p = ranking?.p_values?.[row]?.[column];
  return isNumber(p) ? {p_corrected: p, significant: p < Number((1 - (ranking.confidence ?? 0.95)).toFixed(12))} : null;
}

// The depth of each measure below those that it is a part of.
export function depths(measures) {
  const found = [];
  measures.forEach((measure, place) => {
    let above = place - 1;
    while (above >= 0 && measures[above].name !== measure.within && found[above]) above--;
    found.push(measure.within && measures[above]?.name === measure.within ? 1 + found[above] : 0);
  });
  return found;
}

// Whether a difference in a measure is a gain.
export function isGain(difference, measure) {
  return measure.lower_is_better ? difference < 0 : difference > 0;
}

// What the second system of a comparison is: "better", "worse" or "could be chance"; null without a difference.
export function verdictOf(found, measure) {
  if (!isNumber(found?.difference)) return null;
  if (!found.significant || found.difference === 0) return "could be chance";
  return isGain(found.difference, measure) ? "better" : "worse";
}

// Two ends as an interval; null where one is missing.
export function span(low, high) {
  return isNumber(low) && isNumber(high) ? [low, high] : null;
}
