// The functions of the front page that need no browser.

import assert from "node:assert/strict";
import {test} from "node:test";

const load = (name) => import(new URL(`../../src/qassay/space/front/${name}`, import.meta.url));
const {optionsText, presetsOf, progressText} = await load("options.js");
const {read, refusal, sentence, ending} = await load("client.js");
const {escaped, pageOf, sizeText, documentOf} = await load("files.js");
const {pack, unpack} = await load("keep.js");

test("settings, columns and options become lines", () => {
  const text = optionsText({metric: "answer_match", preset: "", confidence: "0.9", groups: ""},
    "ids=qid\n\n references = gold ", "seed=1\n names=a,b\n");
  assert.equal(text, "metric=answer_match\nconfidence=0.9\ncolumns=ids=qid\ncolumns=references = gold\nseed=1\nnames=a,b");
  assert.equal(optionsText({metric: ""}), "");
  assert.throws(() => optionsText({confidence: "0.9"}, "", "confidence = 0.8"), /confidence/);
});

test("presets of a metric, or of all", () => {
  const presets = {a: ["x"], b: [], c: ["y"]};
  assert.deepEqual(presetsOf(presets, "").map(([name]) => name), ["a", "c"]);
  assert.deepEqual(presetsOf(presets, "c").map(([name]) => name), ["c"]);
});

test("messages of the queue", () => {
  assert.deepEqual(read({msg: "estimation", rank: 2}), {progress: {place: 3}});
  assert.deepEqual(read({msg: "process_starts"}), {progress: {scoring: true}});
  assert.deepEqual(read({msg: "process_completed", success: true, output: {data: ["key"]}}), {key: "key"});
  assert.equal(read({msg: "process_completed", success: false, output: {error: "gold.json: row 3 has no id"}}).error,
    "gold.json: row 3 has no id.");
  assert.match(read({msg: "unexpected_error"}).error, /server/);
  assert.deepEqual(read({msg: "heartbeat"}), {});
  assert.match(progressText({place: 3}), /3/);
  assert.match(progressText({sent: 0.456}), /45 %/);
});

test("answers that are no success", () => {
  assert.equal(refusal(413, '{"detail": "too large"}'), "Too large.");
  assert.match(refusal(503, ""), /visitors/);
  assert.match(refusal(500, "<html>x</html>"), /500/);
  assert.equal(sentence("there is no gold file"), "There is no gold file.");
});

test("names and sizes of files", () => {
  assert.equal(ending("a.b.json"), ".json");
  assert.equal(ending("../../etc/passwd"), "");
  assert.equal(ending("x.<b>"), "");
  assert.deepEqual([999, 20_480, 20_000_000].map(sizeText), ["999 B", "20 kB", "20.0 MB"]);
});

test("a page holds any text as text", () => {
  const hostile = "</script><img src=x onerror=1>$&$1@data@";
  const page = pageOf("<title>@title@</title>@static@|@data@", {a: hostile}, hostile, [hostile]);
  assert.equal(JSON.parse(page.split("|")[1]).a, hostile);
  assert.ok(!page.includes("<img") && !page.includes("</script>"));
  assert.equal(escaped(`<&>"'`), "&lt;&amp;&gt;&quot;&#x27;");
});

test("results as files, packed or not", async () => {
  const packed = await pack('{"a": 1}');
  assert.equal(await unpack(packed), '{"a": 1}');
  assert.deepEqual(await documentOf(new File([packed], "x.json.gz")), {a: 1});
  assert.deepEqual(await documentOf(new File(['{"a": 1}'], "x.json")), {a: 1});
  for (const content of ["{", new Uint8Array([0x1f, 0x8b, 1])])
    await assert.rejects(documentOf(new File([content], "odd.json")), /odd\.json/);
});
