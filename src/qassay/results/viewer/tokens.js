// Which words of an answer are shared with a gold answer, and where answers occur in a context.

// Words and the spaces between them, in order; joined they are the text. Words are between spaces; a character of a script without spaces
// is a word.
export function pieces(text) {
  return text.match(
           /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|\s+/gu) ??
    [];
}

// What words are compared by: without upper case and ASCII punctuation, as the rules of SQuAD have it.
function key(piece) {
  return piece.toLowerCase().replace(/[!-/:-@[-`{-~]/g, "");
}

function isWord(piece) {
  return key(piece).trim() !== "";
}

const SKIPPED = new Set(["a", "an", "the"]);

// An answer beside the closest of its gold answers: [text, state] with state "same", "surplus", "missing" or "".
// Words are compared as bags, as F1 does; without upper case, signs and English articles.
export function difference(answer, golds) {
  const mine = pieces(answer);
  const closest = golds.map(pieces).reduce((best, gold) => {
    const found = shared(mine, gold);
    return best === null || found > best.found ? {gold, found} : best;
  }, null);
  if (closest === null) return mine.map((piece) => [piece, ""]);
  const left = bag(closest.gold);
  const marked = mine.map((piece) => {
    if (!isWord(piece) || SKIPPED.has(key(piece))) return [piece, ""];
    return [piece, take(left, key(piece)) ? "same" : "surplus"];
  });
  const missing = [];
  const rest = bag(closest.gold);
  for (const piece of mine)
    if (isWord(piece)) take(rest, key(piece));
  for (const piece of closest.gold) {
    if (isWord(piece) && !SKIPPED.has(key(piece)) && take(rest, key(piece))) missing.push(piece);
  }
  return join([...marked, ...(missing.length ? [[" ", ""], [missing.join(" "), "missing"]] : [])]);
}

function bag(list) {
  const counts = new Map();
  for (const piece of list)
    if (isWord(piece)) counts.set(key(piece), (counts.get(key(piece)) ?? 0) + 1);
  return counts;
}

function take(counts, word) {
  const n = counts.get(word) ?? 0;
  if (n) counts.set(word, n - 1);
  return n > 0;
}

function shared(mine, gold) {
  const left = bag(gold);
  const words = mine.filter((piece) => isWord(piece) && !SKIPPED.has(key(piece)));
  const size = gold.filter((piece) => isWord(piece) && !SKIPPED.has(key(piece))).length;
  const same = words.filter((piece) => take(left, key(piece))).length;
  return words.length + size ? (2 * same) / (words.length + size) : 1;
}

// Neighbours with one state as one piece, spaces between two of them included.
function join(marked) {
  const joined = [];
  marked.forEach(([piece, state], index) => {
    const last = joined.at(-1);
    const between = state === "" && /^\s+$/.test(piece) && last?.[1] && last[1] === marked[index + 1]?.[1];
    if (last && (last[1] === state || between))
      last[0] += piece;
    else
      joined.push([piece, state]);
  });
  return joined;
}

// Where a passage occurs in a context: at `start` if it is there, else the first time, else in any case; null if nowhere.
export function find(context, passage, start = null) {
  if (!passage.trim()) return null;
  if (Number.isInteger(start) && start >= 0 && context.startsWith(passage, start))
    return [start, start + passage.length];
  let at = context.indexOf(passage);
  if (at < 0) {
    const low = context.toLowerCase(), lowPassage = passage.toLowerCase();
    if (low.length === context.length && lowPassage.length === passage.length) at = low.indexOf(lowPassage);
  }
  return at < 0 ? null : [at, at + passage.length];
}

// A context in pieces: [text, names of the passages that cover it]. `passages` are [name, [start, end]].
export function cover(context, passages) {
  const edges = [...new Set([0, context.length, ...passages.flatMap(([, span]) => span)])].sort((a, b) => a - b);
  const parts = [];
  for (let index = 0; index + 1 < edges.length; index++) {
    const [start, end] = [edges[index], edges[index + 1]];
    parts.push([
      context.slice(start, end), passages.filter(([, span]) => span[0] <= start && end <= span[1]).map(([one]) => one)
    ]);
  }
  return parts;
}
