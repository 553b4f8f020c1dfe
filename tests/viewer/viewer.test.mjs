// The pure functions of the viewer, run by `node --test`. QASSAY_VIEWER is the folder of its modules, QASSAY_DOCUMENT a
// document of made_document(64).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(join(process.env.QASSAY_VIEWER, name)));
const charts = await load("charts.js");
const curves = await load("curves.js");
const examples = await load("examples.js");
const exported = await load("export.js");
const filter = await load("filter.js");
const finding = await load("finding.js");
const format = await load("format.js");
const model = await load("model.js");
const ranks = await load("ranks.js");
const remarks = await load("remarks.js");
const state = await load("state.js");
const table = await load("table.js");
const tokens = await load("tokens.js");

const read = () => model.read(JSON.parse(readFileSync(process.env.QASSAY_DOCUMENT, "utf8")));
const rate = { is_rate: true, scale: 100 };

test("numbers", () => {
  assert.equal(format.number(58.328, rate), "58.33");
  assert.equal(format.number(0.58328, { is_rate: true, scale: 1 }), "0.5833");
  assert.equal(format.number(-0.001, rate), "0.00");
  assert.equal(format.number(null, rate), "–");
  assert.equal(format.number(1234, { is_rate: false }), "1,234");
  assert.equal(format.signed(23.7, rate), "+23.70");
  assert.equal(format.signed(-23.7, rate), "−23.70");
  assert.equal(format.signed(0.001, rate), "0.00");
  assert.equal(format.ends([1, 2], rate), "1.00 to 2.00");
  assert.equal(format.ends([1, null], rate), "");
});

test("an exact half goes to the even digit, as on the command line", () => {
  const written = [[0.53125, 4], [0.59375, 4], [2.5, 0], [2.675, 2], [0.125, 2], [1 / 3, 4]].map((one) => format.decimals(...one));
  assert.deepEqual(written, ["0.5312", "0.5938", "2", "2.67", "0.12", "0.3333"]);
});

test("p-values are never printed as zero", () => {
  assert.equal(format.pValue(1), "p = 1");
  assert.equal(format.pValue(0.03125), "p = 0.0312");
  assert.equal(format.pValue(0.0002, true), "p ≤ 0.0002");
  assert.equal(format.pValue(1e-9, true), "p < 0.0001");
  assert.equal(format.pValue(null), "");
});

test("words", () => {
  assert.equal(format.counted(1, "queries"), "1 query");
  assert.equal(format.counted(2000, "questions"), "2,000 questions");
  assert.equal(format.listed(["a", "b", "c", "d"], 2), "a, b and 2 more");
  assert.equal(format.listed(["a", "b", "c"]), "a, b and c");
  assert.equal(format.share(1, 300), "0.3 %");
  assert.equal(format.tickText(-0.25), "−0.25");
});

test("the state survives the address, with any text", () => {
  const one = { ...state.DEFAULTS, tab: "examples", text: "a&b=c #d +é%", slice: "question word:who" };
  assert.deepEqual(state.parse(state.write(one)), one);
  assert.equal(state.write(state.DEFAULTS), "#");
  assert.deepEqual(state.parse("#tab=slices&unknown=1&__proto__=x"), { ...state.DEFAULTS, tab: "slices" });
});

test("every change but a replacement has its entry in the history, and typing shares one", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const calls = [], listeners = {};
  globalThis.addEventListener = (name, does) => (listeners[name] = does);
  const place = { hash: "", pathname: "/x", search: "" };
  const put = (how) => (_, __, address) => {
    calls.push(how);
    place.hash = address.startsWith("#") ? address : "";
  };
  const shown = [];
  const keeper = state.keepState(place, { pushState: put("push"), replaceState: put("replace") }, (one) => shown.push(one));
  keeper.change({ tab: "examples" });
  for (const text of ["s", "st", "sto"]) keeper.change({ text }, "soft");
  assert.deepEqual(calls, ["push", "push"]);
  context.mock.timers.tick(1000);
  assert.deepEqual(calls, ["push", "push", "replace"]);
  assert.equal(place.hash, "#tab=examples&text=sto");
  keeper.change({ text: "sto" });
  assert.equal(calls.length, 3, "no change, no entry");
  place.hash = "#tab=slices";
  listeners.popstate();
  assert.equal(keeper.get().tab, "slices");
  assert.equal(shown.at(-1).tab, "slices");
  keeper.change({ threshold: "0.5" }, "quiet");
  assert.equal(shown.at(-1).threshold, "", "a quiet change is not drawn");
});

test("a browser that refuses changes of the address does not stop the page", () => {
  globalThis.addEventListener = () => {};
  const refuse = () => {
    throw new Error("too many calls");
  };
  const keeper = state.keepState({ hash: "", pathname: "", search: "" }, { pushState: refuse, replaceState: refuse }, () => {});
  for (let index = 0; index < 300; index++) keeper.change({ low: String(index) });
  assert.equal(keeper.get().low, "299");
});

test("filters are kept in order and combined", () => {
  const order = Uint32Array.of(3, 1, 0, 2);
  assert.deepEqual([...filter.keep(order, [])], [3, 1, 0, 2]);
  assert.deepEqual([...filter.keep(order, [Uint8Array.of(1, 1, 0, 1), (row) => row !== 1])], [3, 0]);
  assert.deepEqual([...filter.within([1, NaN, 3], 1, 2)], [1, 0, 0]);
  assert.deepEqual([...filter.equals(Int16Array.of(-1, 2, 2), 2)], [0, 1, 1]);
  assert.deepEqual([...filter.maskOf([2, 0], 3)], [1, 0, 1]);
  assert.deepEqual([...filter.compared("better", [1, 2, NaN], [2, 1, 0], -1)], [1, 0, 0]);
  assert.deepEqual([...filter.compared("equal", [1, NaN], [1, NaN])], [1, 0]);
  const [mine, theirs] = [Uint8Array.of(1, 1, 0, 0), Uint8Array.of(1, 0, 1, 0)];
  const found = ["both", "only", "lost", "neither"].map((how) => [...filter.rightness(how, mine, theirs)].indexOf(1));
  assert.deepEqual(found, [0, 1, 2, 3]);
});

test("orders are stable and put rows without a value last", () => {
  assert.deepEqual([...filter.orderOf([2, NaN, 1, 2])], [2, 0, 3, 1]);
  assert.deepEqual([...filter.orderOfTexts(["b", "a", "b"])], [1, 0, 2]);
  assert.deepEqual([...filter.reversed(Uint32Array.of(1, 0, 2), ["b", "a", "b"])], [0, 2, 1]);
});

test("search finds rows in any case, also neighbours, and nothing across rows", () => {
  const texts = ["Paris", "in paris or Paris", "Rome", "PARIS", ""];
  const hay = filter.haystack(texts.length, (row) => [texts[row]]);
  assert.deepEqual([...filter.search(hay, "paris")], [1, 1, 0, 1, 0]);
  assert.deepEqual([...filter.search(hay, "parisin")], [0, 0, 0, 0, 0]);
  assert.deepEqual([...filter.search(hay, "")], [1, 1, 1, 1, 1]);
  const many = Array.from({ length: 3000 }, (_, row) => `row ${row}`);
  const found = filter.search(filter.haystack(3000, (row) => [many[row]]), "row 29");
  assert.equal(found.reduce((sum, one) => sum + one, 0), many.filter((text) => text.includes("row 29")).length);
});

test("counts and means", () => {
  assert.deepEqual([...filter.tally([0, 2, 2], 3)], [1, 0, 2]);
  assert.deepEqual(filter.mean([1, NaN, 3], [0, 1, 2]), { mean: 2, n: 2 });
});

test("words of answers are marked against the closest gold answer", () => {
  assert.deepEqual(tokens.difference("the quick fox", ["a fox", "quick brown fox"]), [["the ", ""], ["quick fox", "same"], [" ", ""], ["brown", "missing"]]);
  assert.deepEqual(tokens.difference("1858-1861", ["1858–1861"]).map(([, kind]) => kind), ["surplus", "", "missing"]);
  assert.deepEqual(tokens.difference("Paris.", ["paris"]), [["Paris.", "same"]]);
  assert.deepEqual(tokens.difference("東京都", ["東京"]), [["東京", "same"], ["都", "surplus"]]);
  assert.equal(tokens.difference("<b>x</b> y", ["y"]).map(([piece]) => piece).join(""), "<b>x</b> y");
});

test("passages are found where they are, else in any case", () => {
  assert.deepEqual(tokens.find("a cat, a dog, a cat", "cat", 16), [16, 19]);
  assert.deepEqual(tokens.find("A cat", "a CAT"), [0, 5]);
  assert.equal(tokens.find("abc", " "), null);
  assert.deepEqual(tokens.cover("abcd", [["x", [1, 3]], ["y", [2, 4]]]), [["a", []], ["b", ["x"]], ["c", ["x", "y"]], ["d", ["y"]]]);
});

test("axes", () => {
  assert.deepEqual(charts.ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(charts.ticks(3, 3), [3]);
  assert.deepEqual(charts.extent([0, 100], [0, 100]), [0, 100]);
  assert.deepEqual(charts.extent([]), [0, 1]);
  assert.deepEqual(charts.gapRange([]), [-1, 1]);
  assert.deepEqual(charts.gapRange([-3, -1, null]), [-3, 0]);
  assert.equal(charts.nearest([0, null, 0.5, 1], 0.6), 2);
  assert.equal(curves.held([0, 0.5, 1], 0.7), 1);
  assert.equal(curves.held([0.2], 0.1), -1);
});

test("only rows in sight exist", () => {
  assert.deepEqual(table.range(0, 400, 40, 100_000), [0, 18]);
  assert.deepEqual(table.range(4_000_000 - 400, 400, 40, 100_000), [99_982, 100_000]);
  assert.equal(table.topFor(0, 100, 400, 40), 0);
  assert.equal(table.topFor(5, 100, 400, 40), 100);
  assert.equal(table.topFor(50, 0, 400, 40), 1640);
});

test("CSV quotes, and texts that a spreadsheet would run begin with an apostrophe", () => {
  assert.equal(exported.csv([["a", 'say "hi", now', -1.5, "=1+1", "-x", null, NaN]]), 'a,"say ""hi"", now",-1.5,\'=1+1,\'-x,,\r\n');
  assert.equal(exported.fileName("../../etc/pass wd", "csv"), "etc-pass-wd.csv");
  assert.equal(exported.fileName("…", "csv"), "result.csv");
});

test("a document that is none, or too new, is refused in a sentence", () => {
  assert.throws(() => model.read({}), /no result of qassay/);
  assert.throws(() => model.read(null), /no result of qassay/);
  assert.throws(() => model.read({format: "qassay.result/1", parts: [], systems: [{}]}), /its parts are missing/);
  assert.throws(() => model.read({ format: "qassay.result/2" }), /qassay.result\/2.*newer/);
});

test("the documents of all versions are read", () => {
  const whole = model.read(JSON.parse(readFileSync(new URL("result-1.json", import.meta.url), "utf8")));
  assert.equal(finding.finding(whole.parts[0]).measure, "f1");
  assert.equal(examples.rowsOf(whole.parts[0], state.DEFAULTS).rows.length, 6);
});

test("fields that a later document adds are passed over", () => {
  const data = JSON.parse(readFileSync(process.env.QASSAY_DOCUMENT, "utf8"));
  data.more = { of: "this" };
  data.parts[0].measures[0].unit = "x";
  assert.equal(model.read(data).parts[0].n, 64);
});

test("kinds of errors have colours by name, and others free ones", () => {
  assert.deepEqual(model.kindClasses(["correct", "too long", "a kind of mine"]), ["kind-right", "kind-over", "kind-near"]);
});

test("measures keep the order of the document; those that follow their whole stand below it", () => {
  const [part] = read().parts;
  assert.deepEqual(part.measures.map((one) => one.name), part.data.measures.map((one) => one.name));
  const one = (name, within = null) => ({ name, within });
  const listed = [one("f1"), one("f1[a]", "f1"), one("f1[a]@2", "f1[a]"), one("f1[b]", "f1"), one("em"), one("f1[c]", "f1")];
  assert.deepEqual(model.depths(listed), [0, 1, 2, 1, 0, 0]);
});

test("the finding names the better system, the slice and the kind where the other fails", () => {
  const whole = read(), [part] = whole.parts;
  const found = finding.finding(part);
  assert.equal(found.better, "large_model");
  assert.equal(found.worse, "small_model");
  assert.equal(finding.plainText(found.headline, whole), "large_model is better than small_model");
  assert.match(finding.plainText(found.sentences[0], whole), /^\+\d+\.\d\d F1 \(95 % interval \+.* to \+.*, p = 0\.0004, n = 64\)/);
  assert.deepEqual(finding.usualSystems(part), ["small_model", "large_model"]);
});

test("a slice below 30 makes no headline and comes after the others", () => {
  const [part] = read().parts;
  const found = finding.gaps(part, "small_model", "large_model", part.measure("f1"));
  const few = found.map((one) => one.n < model.FEW);
  assert.deepEqual(few, [...few].sort());
  for (let index = 1; index < found.length; index++) {
    if (few[index] === few[index - 1]) assert.ok(found[index].loss <= found[index - 1].loss);
  }
});

test("slices of a board have the p-values of its ranks, and without a test they are not called chance", () => {
  const whole = JSON.parse(readFileSync(process.env.QASSAY_DOCUMENT, "utf8"));
  const [slicing] = whole.parts[0].slices;
  const systems = ["large_model", "small_model"].map((system) => ({ system }));
  slicing.comparisons = slicing.labels.map(() => []);
  slicing.ranks = slicing.labels.map((_, index) => {
    const p = index ? 0.2 : 0.01;
    return index < 2 ? [{ measure: "f1", confidence: 0.95, systems, p_values: [[null, p], [p, null]] }] : [];
  });
  const [part] = model.read(whole).parts;
  const found = finding.gaps(part, "small_model", "large_model", part.measure("f1")).filter((one) => one.slicing.name === slicing.name);
  const words = [...found].sort((a, b) => a.index - b.index).map((one) => [finding.sureWord(one), one.p_corrected]);
  assert.deepEqual(words.slice(0, 3), [["worse", 0.01], ["could be chance", 0.2], ["not tested", null]]);
});

test("without kinds of errors, only a measure of two values says what is right", () => {
  const whole = JSON.parse(readFileSync(process.env.QASSAY_DOCUMENT, "utf8"));
  whole.parts[0].kinds = null;
  assert.equal(model.read(whole).parts[0].right("small_model"), null);
  whole.parts[0].leads = "exact_match";
  assert.ok(model.read(whole).parts[0].right("small_model").some(Boolean));
});

test("a kind of error is mentioned where its excess is no noise", () => {
  const whole = JSON.parse(readFileSync(process.env.QASSAY_DOCUMENT, "utf8"));
  const said = (mine, theirs) => {
    whole.parts[0].kinds.counts = { small_model: { partial: mine }, large_model: { partial: theirs } };
    const [part] = model.read(whole).parts;
    return finding.finding(part).sentences.some((one) => one[0].startsWith?.("Kind of error"));
  };
  assert.deepEqual([said(2, 1), said(20, 17), said(9, 3)], [false, false, true]);
});

test("the slice of the headline is of a requested slicing first, with the sign of the headline", () => {
  const [part] = read().parts;
  const of = (n, requested, title) => ({ n, slicing: { requested }, title });
  assert.equal(finding.leadingSlice([of(40, false, "a"), of(29, true, "b"), of(30, true, "c")]).title, "c");
  assert.equal(finding.leadingSlice([of(40, false, "a"), of(29, true, "b")]).title, "a");
  assert.equal(finding.leadingSlice([]), undefined);
  const worst = finding.finding(part).slice;
  if (worst) assert.ok(worst.gap > 0);
});

test("a comparison reads the same from both sides", () => {
  const [part] = read().parts;
  const there = part.comparison("small_model", "large_model", "f1"), back = part.comparison("large_model", "small_model", "f1");
  assert.equal(back.difference, -there.difference);
  assert.deepEqual(back.interval, [-there.interval[1], -there.interval[0]]);
  assert.deepEqual([back.better, back.worse], [there.worse, there.better]);
  assert.deepEqual(back.values, [...there.values].reverse());
  assert.equal(part.comparison("small_model", "nobody", "f1"), null);
});

test("filters of examples agree with the counts of the document", () => {
  const [part] = read().parts;
  const rows = (more) => examples.rowsOf(part, { ...state.DEFAULTS, system: "small_model", other: "large_model", ...more }).rows.length;
  assert.equal(rows({}), 64);
  for (const [kind, n] of Object.entries(part.data.kinds.counts.small_model)) assert.equal(rows({ kind }), n, kind);
  assert.equal(rows({ kind: "errors" }), 64 - part.data.kinds.counts.small_model.correct);
  const [slicing] = part.data.slices;
  slicing.labels.forEach((label, index) => assert.equal(rows({ slice: part.sliceKey(slicing, index) }), slicing.n[index], label));
  const there = part.comparison("large_model", "small_model", "f1");
  assert.deepEqual(["better", "equal", "worse"].map((versus) => rows({ versus })), [there.better, there.equal, there.worse]);
  assert.equal(["both", "only", "lost", "neither"].reduce((sum, versus) => sum + rows({ versus }), 0), 64);
  assert.equal(rows({ ids: part.remarks[0].key }), 2);
  assert.equal(rows({ text: "Q-1" }), 11);
  assert.equal(rows({ low: "100" }) + rows({ high: "99.999" }), 64);
  assert.equal(rows({ slice: "no such:thing", kind: "no such" }), 64, "an unknown filter of an old link is passed over");
});

test("CSV of examples has what is shown", () => {
  const [part] = read().parts;
  const [heads, ...rows] = examples.exampleRows(part, { ...state.DEFAULTS, system: "small_model", kind: "errors", sort: "id" });
  assert.deepEqual(heads.slice(0, 4), ["id", "question", "gold", "small_model: answer"]);
  assert.equal(rows.length, 64 - part.data.kinds.counts.small_model.correct);
  assert.equal(remarks.valueRows(part).length, 1 + 2 * 4);
});

test("boards are sorted by any column, and back", () => {
  const ranking = (measure, names) => ({ measure, systems: names.map((system, index) => ({ system, value: 9 - index, rank: index + 1 })) });
  const both = [ranking("f1", ["b", "a", "c"]), ranking("em", ["c", "b", "a"])];
  assert.deepEqual(ranks.sortedBoard(both, both[0], "rank"), ["b", "a", "c"]);
  assert.deepEqual(ranks.sortedBoard(both, both[0], "-em"), ["c", "b", "a"]);
  assert.deepEqual(ranks.sortedBoard(both, both[0], "name"), ["a", "b", "c"]);
  assert.deepEqual(curves.groupsOf([{ name: "over_k", measure: "recall", y_title: "Recall" }, { name: "over_k", measure: "recall", y_title: "Recall" }, { name: "classes", measure: null }]).map((one) => one.curves.length), [2, 1]);
});
