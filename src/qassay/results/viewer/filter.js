// Which examples are shown, and in which order: functions of typed arrays, without a page.

// Keep, in the order given, the rows that all tests accept. A test is a mask (Uint8Array) or a function of the row.
export function keep(order, tests) {
  const kept = new Uint32Array(order.length);
  const masks = tests.filter((test) => typeof test !== "function");
  const functions = tests.filter((test) => typeof test === "function");
  let size = 0;
  rows: for (let index = 0; index < order.length; index++) {
    const row = order[index];
    for (const mask of masks)
      if (!mask[row]) continue rows;
    for (const accepts of functions)
      if (!accepts(row)) continue rows;
    kept[size++] = row;
  }
  return kept.subarray(0, size);
}

// A mask of the rows in a list.
export function maskOf(rows, n) {
  const mask = new Uint8Array(n);
  for (const row of rows) mask[row] = 1;
  return mask;
}

// A mask of the rows whose value is within [low, high]; NaN is never within.
export function within(values, low, high) {
  const mask = new Uint8Array(values.length);
  for (let row = 0; row < values.length; row++) mask[row] = values[row] >= low && values[row] <= high ? 1 : 0;
  return mask;
}

// A mask of the rows with this code.
export function equals(codes, code) {
  const mask = new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) mask[row] = codes[row] === code ? 1 : 0;
  return mask;
}

// A mask of the rows where one value is better than another, worse or equal. `sign` is -1 where lower is better.
export function compared(how, mine, theirs, sign = 1) {
  const mask = new Uint8Array(mine.length);
  for (let row = 0; row < mine.length; row++) {
    const gap = sign * (mine[row] - theirs[row]);
    mask[row] = how === "better" ? gap > 0 : how === "worse" ? gap < 0 : gap === 0;
  }
  return mask;
}

// A mask of the rows that are right as said: "only" by the first, "lost": only by the second, "both", "neither".
export function rightness(how, mine, theirs) {
  const [first, second] = {only: [1, 0], lost: [0, 1], both: [1, 1], neither: [0, 0]}[how];
  const mask = new Uint8Array(mine.length);
  for (let row = 0; row < mine.length; row++) mask[row] = mine[row] === first && theirs[row] === second ? 1 : 0;
  return mask;
}

// The rows in ascending order of values; rows without a value come last, equal ones stay in file order.
export function orderOf(values) {
  const order = new Uint32Array(values.length);
  for (let row = 0; row < order.length; row++) order[row] = row;
  const key = Float64Array.from(values, (value) => (value === value ? value : Infinity));
  return order.sort((a, b) => key[a] - key[b] || a - b);
}

// The rows in alphabetic order of texts.
export function orderOfTexts(texts) {
  const order = new Uint32Array(texts.length);
  for (let row = 0; row < order.length; row++) order[row] = row;
  return order.sort((a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : a - b));
}

// An order from its end; equal values stay in file order where `values` are given.
export function reversed(order, values) {
  const turned = Uint32Array.from(order).reverse();
  if (!values) return turned;
  let start = 0;
  for (let index = 1; index <= turned.length; index++) {
    if (index === turned.length || !isEqual(values[turned[index]], values[turned[start]])) {
      turned.subarray(start, index).reverse();
      start = index;
    }
  }
  return turned;
}

function isEqual(one, other) {
  return one === other || (one !== one && other !== other);
}

// All texts of all rows as one lower-case text, which is searched faster than each of them.
export function haystack(n, textsOf) {
  const starts = new Uint32Array(n + 1);
  const parts = [];
  let size = 0;
  for (let row = 0; row < n; row++) {
    starts[row] = size;
    const part = `${textsOf(row).join("\n").toLowerCase()}\u0000`;
    parts.push(part);
    size += part.length;
  }
  starts[n] = size;
  return {text: parts.join(""), starts};
}

// A mask of the rows that contain a text, in any case.
export function search({text, starts}, needle) {
  const mask = new Uint8Array(starts.length - 1);
  const low = needle.toLowerCase();
  if (!low) return mask.fill(1);
  let row = 0;
  for (let at = text.indexOf(low); at >= 0; at = text.indexOf(low, starts[row])) {
    row = rowAt(starts, at, row);
    mask[row++] = 1;
  }
  return mask;
}

// The row whose text holds a position; `low` is the first that may.
function rowAt(starts, at, low) {
  let high = low + 1;
  for (let step = 1; high < starts.length - 1 && starts[high] <= at; step *= 2)
    high = Math.min(high + step, starts.length - 1);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// How many rows have each code, of `size` codes.
export function tally(codes, size, rows = null) {
  const counts = new Uint32Array(size);
  if (rows)
    for (const row of rows) counts[codes[row]]++;
  else
    for (const code of codes) counts[code]++;
  return counts;
}

// The mean of the values of some rows, and how many have one.
export function mean(values, rows) {
  let sum = 0, n = 0;
  for (const row of rows) {
    if (values[row] !== values[row]) continue;
    sum += values[row];
    n++;
  }
  return {mean: n ? sum / n : NaN, n};
}
