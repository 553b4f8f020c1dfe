// What was found, in sentences: which system is better, by how much, whether that could be chance, and where the other fails.
// A sentence is a list of pieces: texts, or {name}, {strong}, {text, to}: a change of state that shows what is behind it.

import {count, counted, ends, isNumber, number, percent, plain, pValue, signed} from "./format.js";
import {FEW, isGain, rankedPair, span, turned, verdictOf} from "./model.js";
import {EXAMPLES} from "./state.js";

const NEARLY_ALL = 0.9;  // of the examples: such a slice says no more than the whole

// The finding on a part: {sure, headline, sentences, also, better, worse, measure}. `sure` is the text of the badge, "" for none;
// `real` says that the difference is more than chance explains.
export function finding(part) {
  return part.once("finding", () => {
    if (!part.leads || !part.systems.length)
      return {sure: "", real: false, headline: ["No measure has a value"], sentences: [], also: ""};
    if (part.systems.length === 1) return findingOfOne(part);
    if (part.systems.length > 2 && part.ranking(part.leads.name))
      return findingOfRanks(part, part.ranking(part.leads.name));
    return findingOfPair(part, ...(leadingPair(part) ?? [part.systems[0].name, part.systems[1].name]));
  });
}

// The pair to show first: best and second of a ranking, else the first that is compared.
export function leadingPair(part) {
  const ranking = part.leads && part.ranking(part.leads.name);
  if (ranking && ranking.systems.length > 1) {
    const [best, second] = ranking.systems;
    if (part.comparison(second.system, best.system, ranking.measure)) return [second.system, best.system];
  }
  if (part.pairs.length) return part.pairs[0];
  return part.systems.length > 1 ? [part.systems[0].name, part.systems[1].name] : null;
}

function findingOfOne(part) {
  const system = part.systems[0].name, measure = part.leads;
  const value = part.value(system, measure.name);
  const base = {sure: "", real: false, better: "", worse: system, measure: measure.name, also: ""};
  if (!value || !isNumber(value.value))
    return {
      ...base,
      headline: [{name: system}, " has no value"],
      sentences: [[`${measure.title} applies to none of these ${part.model.nouns}.`]]
    };
  const sentences = [];
  const interval = span(value.low, value.high);
  if (interval) {
    sentences.push(
      [`On other ${part.model.nouns} ${hasRuns(part, system) ? "and in other runs " : ""}like these it may range from ${
        number(interval[0],
          measure)} to ${number(interval[1], measure)} (${percent(part.model.level)} interval, ${sizes(value)}).`]);
    const needed = hasRuns(part, system) ? "" : examplesFor(value, measure);
    if (needed) sentences.push([needed]);
  } else
    sentences.push([`Measured on ${counted(value.n, part.model.nouns)}.`]);
  const weak = weakestSlice(part, system, measure);
  if (weak)
    sentences.push([
      weak.slicing.requested ? "Of the requested slices, it is weakest on " : "It is weakest on ", {text: weak.title, to: examplesOfSlice(system, weak.key)},
      ` (${number(weak.value, measure)} against ${number(value.value, measure)} of all, n = ${count(weak.n)}).`
    ]);
  const most = mostErrors(part, system);
  if (most)
    sentences.push([
      "Its most frequent kind of error: ", {text: `“${most.name}”`, to: {...EXAMPLES, system, kind: most.name}},
      `, ${count(most.n)} of ${counted(part.size || part.n, part.model.nouns)}.`
    ]);
  return {
    ...base,
    sure: value.few ? (hasRuns(part, system) ? "few runs" : "few examples") : "",
    headline: [{name: system}, ": ", {strong: `${number(value.value, measure)} ${measure.title}`}],
    sentences,
    slice: weak
  };
}

function findingOfPair(part, first, second) {
  const measure = part.leads;
  const found = part.comparison(first, second, measure.name);
  const base = {sure: "", real: false, better: "", worse: "", measure: measure.name, also: ""};
  if (!found && !part.pairs.length) return findingOfValues(part, measure);
  if (!found || !isNumber(found.difference)) {
    return {
      ...base,
      sure: "not compared",
      headline: ["Not compared"],
      sentences: [[`No ${measure.title} of these systems can be compared: the document has no difference of it.`]],
      first,
      second
    };
  }
  if (found.difference === 0) {
    return {
      ...base,
      sure: "equal",
      headline: ["No difference"],
      sentences: [[
        {name: second}, " and ", {name: first},
        ` have the same ${measure.title}, ${number(found.values?.[0], measure)} (n = ${count(found.n)}).`
      ]],
      first,
      second
    };
  }
  const better = isGain(found.difference, measure) ? second : first;
  const worse = better === second ? first : second;
  const gap = part.comparison(worse, better, measure.name);
  const details = [
    gap.interval && part.model.level && `${percent(part.model.level)} interval ${ends(gap.interval, measure, signed)}`,
    pValue(gap.p_corrected, gap.at_most), sizes(gap)
  ].filter(Boolean).join(", ");
  const amount = {strong: `${signed(gap.difference, measure)} ${measure.title}`};
  const lower = measure.lower_is_better ? "; lower is better" : "";
  const real = gap.significant;
  const sentences = [];
  let headline, sure;
  if (real) {
    [sure, headline] = ["better", [{name: better}, " is better than ", {name: worse}]];
    sentences.push([amount, ` (${details})${lower}: more than chance explains.`]);
    if (gap.few)
      sentences.push([`That depends on few ${
        gap.n_groups === null ? part.model.nouns : `groups of ${part.model.nouns}`}; more would make it clearer.`]);
  } else {
    const few = gap.n < FEW;
    sure = few ? "too few to say" : "could be chance";
    headline = few
      ? [`${counted(gap.n, part.model.nouns)} ${gap.n === 1 ? "is" : "are"} too few to say which is better`]
      : ["No clear winner"];
    sentences.push([{name: better}, " is ahead: ", amount, ` (${details})${lower}. That could be chance.`]);
    if (isNumber(gap.n_needed) && gap.n_needed > gap.n)
      sentences.push([`About ${counted(gap.n_needed, part.model.nouns)} are needed to detect a difference of this size.`]);
  }
  const worst = leadingSlice(gaps(part, worse, better, measure).filter((one) => one.loss > 0));
  if (worst && real) {
    sentences.push([
      {name: better}, " is furthest ahead on ", {
        text: worst.title,
        to: {...examplesOfSlice(worse, worst.key), other: better, kind: part.wrong(worse) ? "errors" : ""}
      },
      ` (${signed(worst.gap, measure)}, n = ${count(worst.n)}, the largest gap of ${
        worst.slicing.requested ? "requested " : ""}slices with n ≥ ${FEW}; ${
        sureWord(worst, "better")}).`
    ]);
  }
  const excess = excessErrors(part, better, worse);
  if (excess) sentences.push(excessSentence(excess, better, worse));
  const also =
    part.mains.filter((one) => one.name !== measure.name)
      .map((one) => [one, part.comparison(worse, better, one.name)])
      .filter(([, one]) => one && isNumber(one.difference))
      .map(([one, other]) => `${one.title} ${
             other.difference === 0
               ? "equal"
               : `${signed(other.difference, one)}, ${verdictOf(other, one)}`}`);
  return {
    ...base,
    sure,
    real,
    headline,
    sentences,
    better,
    worse,
    first,
    second,
    slice: worst,
    also: also.length ? `Also: ${also.slice(0, 4).join("; ")}.` : ""
  };
}

// The finding on systems that the document does not compare: who has the highest value, and that nothing was tested.
function findingOfValues(part, measure) {
  const sign = measure.lower_is_better ? -1 : 1;
  const there = part.systems.map((system) => ({name: system.name, value: part.value(system.name, measure.name)?.value}))
                  .filter((one) => isNumber(one.value))
                  .sort((a, b) => sign * (b.value - a.value));
  const base = {sure: "not tested", real: false, better: "", worse: "", measure: measure.name, also: ""};
  if (there.length < 2)
    return {
      ...base,
      sure: "",
      headline: ["No two systems have a value"],
      sentences: [[`${measure.title} applies to too few of these ${part.model.nouns}.`]]
    };
  const [best, worst] = [there[0], there.at(-1)];
  if (best.value === worst.value)
    return {
      ...base,
      sure: "equal",
      headline: ["No difference"],
      sentences: [[`All have the same ${measure.title}, ${number(best.value, measure)}.`]]
    };
  const excess = excessErrors(part, best.name, worst.name);
  return {
    ...base,
    better: best.name,
    worse: worst.name,
    headline: [{name: best.name}, ` has the ${measure.lower_is_better ? "lowest" : "highest"} ${measure.title}`],
    sentences: [
      [
        {strong: number(best.value, measure)}, " against ", {strong: number(worst.value, measure)}, " of ",
        {name: worst.name}, ". Whether that is more than chance was not tested; the command qassay compare does."
      ],
      ...(excess ? [excessSentence(excess, best.name, worst.name)] : [])
    ]
  };
}

function excessSentence(excess, better, worse) {
  return [
    "Kind of error with the largest excess: ",
    {text: `“${excess.name}”`, to: {...EXAMPLES, system: worse, other: better, kind: excess.name}},
    `, ${count(excess.mine)} against ${count(excess.theirs)} of `, {name: better}, "."
  ];
}

function findingOfRanks(part, ranking) {
  const measure = part.measure(ranking.measure);
  const first = ranking.systems[0], others = ranking.systems.slice(1);
  const alike = others.filter((one) => one.tied_with_best), behind = others.filter((one) => !one.tied_with_best);
  const written = number(first.value, measure);
  const base = {better: first.system, worse: others.at(-1)?.system ?? "", measure: ranking.measure, also: ""};
  if (!alike.length) {
    return {
      ...base,
      sure: "better",
      real: true,
      headline: [{name: first.system}, ` is the best of ${ranking.systems.length} systems`],
      sentences: [[
        {name: first.system}, " has ", {strong: `${measure.title} ${written}`},
        `, n = ${count(ranking.n)}. Every other system is behind by more than chance.`
      ]]
    };
  }
  const few = ranking.n < FEW;
  return {
    ...base,
    sure: few ? "too few to say" : "could be chance",
    real: false,
    headline:
      [few ? `${counted(ranking.n, part.model.nouns)} ${ranking.n === 1 ? "is" : "are"} too few to name a winner`
           : "No clear winner"],
    sentences: [[
      {name: first.system}, " is first, ", {strong: `${measure.title} ${written}`},
      `, n = ${count(ranking.n)}. It does not differ significantly from `, ...listedNames(alike),
      ...(behind.length
          ? ["; ", ...listedNames(behind), ` ${behind.length === 1 ? "is" : "are"} behind by more than chance.`]
          : ["."])
    ]]
  };
}

function listedNames(systems, most = 3) {
  const rest = systems.length - most;
  return systems.slice(0, most)
    .flatMap((one, place) => [place ? (rest <= 0 && place === Math.min(most, systems.length) - 1 ? " and " : ", ") : "",
               {name: one.system}])
    .concat(rest > 0 ? [` and ${rest} more`] : []);
}

function sizes(one) {
  return `n = ${count(one.n)}${isNumber(one.n_groups) ? ` in ${count(one.n_groups)} groups` : ""}`;
}

// Whether the values of a system are means over repeated runs, so that more examples alone do not narrow them.
export function hasRuns(part, system) {
  return Boolean(part.data.runs?.[system]);
}

// How many examples narrow the interval of a rate to one hundredth of the scale; "" if it is as narrow, or unknown.
export function examplesFor(value, measure) {
  const interval = span(value?.low, value?.high);
  if (!interval || !measure.is_rate || isNumber(value.n_groups)) return "";
  const target = measure.scale / 100, half = (interval[1] - interval[0]) / 2;
  if (!(half > target)) return "";
  const needed = Number((value.n * (half / target) ** 2).toPrecision(2));
  return `To know it to ±${plain(target)} takes about ${count(needed)}.`;
}

function examplesOfSlice(system, key) {
  return {...EXAMPLES, system, slice: key};
}

// The first of sorted slices that are large enough for a headline: of a requested slicing, if there is one.
export function leadingSlice(slices) {
  const large = slices.filter((one) => one.n >= FEW);
  return large.find((one) => one.slicing.requested) ?? large[0];
}

// The slices of a part in which `worse` is compared with `better`, the largest loss first; those of fewer than 30 come last.
//   [{slicing, index, key, title, n, gap, loss, interval, values, significant, few}]; gap is better minus worse, and
//   significant is null where the slice is not tested
export function gaps(part, worse, better, measure) {
  return part.once(`gaps\n${worse}\n${better}\n${measure.name}`, () => {
    const found = [];
    for (const slicing of part.data.slices) {
      if (slicing.of_systems) continue;
      slicing.labels.forEach((label, index) => {
        if (slicing.repeats?.[index]) return;
        const one = turned(slicing.comparisons[index], worse, better, measure.name);
        const values = [worse, better].map((system) => slicing.values[index][system]?.[measure.name]?.value ?? null);
        const gap = isNumber(one?.difference)          ? one.difference
          : isNumber(values[0]) && isNumber(values[1]) ? values[1] - values[0]
                                                       : null;
        if (gap === null) return;
        const n = one?.n ?? slicing.n[index];
        const tested = one ?? rankedPair(slicing.ranks?.[index]?.find((of) => of.measure === measure.name), worse, better);
        found.push({
          slicing,
          index,
          key: part.sliceKey(slicing, index),
          title: slicing.titles?.[index] ?? `${slicing.name}: ${label}`,
          n,
          gap,
          loss: measure.lower_is_better ? -gap : gap,
          interval: one?.interval ?? null,
          values,
          significant: tested?.significant ?? null,
          p_corrected: tested?.p_corrected ?? null,
          few: n < FEW || (one?.few ?? false)
        });
      });
    }
    const whole = found.filter((one) => one.n < NEARLY_ALL * part.n || one.n === 0);
    return (whole.length ? whole : found).sort((a, b) => (a.n < FEW) - (b.n < FEW) || b.loss - a.loss);
  });
}

// Whether the loss on a slice of `gaps` is more than chance, in words.
export function sureWord(one, sure = "worse") {
  return one.significant === null ? "not tested" : one.significant ? sure : "could be chance";
}

// The slices of a system by its value, the worst first; slices of fewer than 30 come after the others.
export function weakest(part, system, measure) {
  return part.once(`weakest\n${system}\n${measure.name}`, () => {
    const found = [];
    for (const slicing of part.data.slices) {
      if (slicing.of_systems) continue;
      slicing.labels.forEach((label, index) => {
        const one = slicing.values[index][system]?.[measure.name];
        if (slicing.repeats?.[index] || !isNumber(one?.value)) return;
        found.push({
          slicing,
          index,
          key: part.sliceKey(slicing, index),
          title: slicing.titles?.[index] ?? `${slicing.name}: ${label}`,
          n: one.n,
          value: one.value,
          interval: span(one.low, one.high),
          few: one.few
        });
      });
    }
    const sign = measure.lower_is_better ? -1 : 1;
    return found.sort((a, b) => (a.n < FEW) - (b.n < FEW) || sign * (a.value - b.value));
  });
}

// The slice on which a system is weakest, if its interval excludes the value of all examples; null without one.
function weakestSlice(part, system, measure) {
  const all = part.value(system, measure.name).value;
  const found = weakest(part, system, measure).filter((one) => one.n < NEARLY_ALL * part.n);
  const worst = [leadingSlice(found), leadingSlice(found.filter((one) => !one.slicing.requested))];
  return worst.find(
           (one) => one?.interval && (measure.lower_is_better ? one.interval[0] > all : one.interval[1] < all)) ?? null;
}

function mostErrors(part, system) {
  const counts = part.data.kinds?.counts?.[system];
  const errors = part.kinds.filter((kind) => !kind.right && counts?.[kind.name])
                   .map((kind) => ({name: kind.name, n: counts[kind.name]}));
  return errors.sort((a, b) => b.n - a.n)[0] ?? null;
}

function excessErrors(part, better, worse) {
  const counts = part.data.kinds?.counts;
  if (!counts?.[better] || !counts[worse]) return null;
  const found =
    part.kinds.filter((kind) => !kind.right)
      .map((kind) => ({name: kind.name, mine: counts[worse][kind.name] ?? 0, theirs: counts[better][kind.name] ?? 0}))
      .sort((a, b) => b.mine - b.theirs - (a.mine - a.theirs))[0];
  const excess = found ? found.mine - found.theirs : 0;
  return excess >= Math.max(2, Math.sqrt(found?.mine + found?.theirs)) ? found : null;  // less may well be chance
}

// Whose errors are read first, and against whom: the worse system of the finding.
export function usualSystems(part) {
  const found = finding(part);
  const system = found.worse || part.systems[0]?.name || "";
  return [
    system,
    found.better && found.better !== system ? found.better
                                            : (part.systems.find((one) => one.name !== system)?.name ?? "")
  ];
}

// A sentence as plain text.
export function plainText(pieces, model) {
  return pieces
    .map((piece) => (typeof piece === "string" ? piece
             : piece.name !== undefined        ? model.title(piece.name)
                                               : (piece.strong ?? piece.text)))
    .join("");
}
