// Numbers, names and p-values as texts. Every surface of the viewer writes numbers by these functions.

const ABSENT = "–";
const MINUS = "−";

const counts = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

export function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

// 11873 -> "11,873".
export function count(value) {
  return isNumber(value) ? counts.format(value) : ABSENT;
}

// 1, "question" -> "1 question"; 2 -> "2 questions".
export function counted(value, nouns) {
  return `${count(value)} ${value === 1 ? singular(nouns) : nouns}`;
}

// "queries" -> "query", "questions" -> "question".
export function singular(nouns) {
  if (nouns.endsWith("ies")) return `${nouns.slice(0, -3)}y`;
  return nouns.endsWith("s") ? nouns.slice(0, -1) : nouns;
}

// A value with so many decimals. The exact value of a half goes to the even digit, as in the tables of the command line.
export function decimals(value, digits) {
  const written = value.toFixed(digits);
  const exact = value.toFixed(Math.min(100, digits + 60));
  const rest = exact.slice(exact.indexOf(".") + 1 + digits);
  if (!/^50*$/.test(rest)) return written;
  const cut = exact.slice(0, exact.length - rest.length).replace(/\.$/, "");
  return Number(cut.at(-1)) % 2 ? written : cut;
}

// A value as a text. A rate has four decimals where its scale is 1 and two where it is 100; other numbers have four digits.
export function number(value, measure) {
  if (!isNumber(value)) return ABSENT;
  if (!measure?.is_rate) return plain(value);
  const written = decimals(value, measure.scale === 100 ? 2 : 4);
  return (/[1-9]/.test(written) ? written : written.replace("-", "")).replace("-", MINUS);
}

// A number without a scale: four significant digits, counts in full.
export function plain(value) {
  if (!isNumber(value)) return ABSENT;
  if (Number.isInteger(value)) return count(value).replace("-", MINUS);
  const size = Math.abs(value);
  const digits = size >= 1000 ? decimals(value, 0)
    : size >= 100             ? decimals(value, 1)
    : size >= 10              ? decimals(value, 2)
    : size >= 0.001           ? decimals(value, 4)
                              : value.toPrecision(2);
  return digits.replace("-", MINUS);
}

// A round number of an axis, as short as it can be.
export function tickText(value) {
  const written = Math.abs(value) >= 1000 ? counts.format(value) : String(Number(value.toPrecision(6)));
  return written.replace("-", MINUS);
}

// A difference with its sign: "+23.72", "−1.00", "0.00".
export function signed(value, measure) {
  const written = number(value, measure);
  return isNumber(value) && value > 0 && /[1-9]/.test(written) ? `+${written}` : written;
}

// The ends of an interval: "46.85 to 68.97"; "" without one.
export function ends(interval, measure, write = number) {
  if (!interval || !isNumber(interval[0]) || !isNumber(interval[1])) return "";
  return `${write(interval[0], measure)} to ${write(interval[1], measure)}`;
}

// "p = 0.0004", "p < 0.0001", "p ≤ 0.0002" where p is an upper bound.
export function pValue(p, atMost = false) {
  if (!isNumber(p)) return "";
  if (p < 0.0001) return "p < 0.0001";
  return `p ${atMost ? "≤" : "="} ${places(p)}`;
}

function places(p) {
  if (p >= 1) return "1";
  return decimals(p, 4);
}

// A share in percent: "48 %".
export function share(part, whole) {
  return whole ? `${decimals((100 * part) / whole, part && part / whole < 0.01 ? 1 : 0)} %` : "";
}

// "95 %".
export function percent(level) {
  return `${Number((100 * level).toPrecision(6))} %`;
}

// Names in a sentence: "a", "a and b", "a, b and c", "a, b, c and 4 more".
export function listed(names, most = 3) {
  const shown = names.slice(0, most);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(", ")} and ${rest} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

// A text of one line, shortened.
export function short(text, most = 200) {
  const line = String(text ?? "").replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
