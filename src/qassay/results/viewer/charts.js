// Charts as SVG: intervals, bars, lines. Each has a text alternative; no two marks differ by colour alone.

import {h, svg} from "./dom.js";
import {isNumber, tickText} from "./format.js";

// The natural width of a chart; narrower on a phone, so that its text is never shrunk.
export function width(most = 560) {
  return Math.min(most, Math.max(300, document.documentElement.clientWidth - 40));
}

// Round numbers within [low, high], about `most` of them.
export function ticks(low, high, most = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
  const found = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index++)
    found.push(Number((index * step).toPrecision(12)));
  return found;
}

// A range that holds all numbers, with some room, cut to the range of the measure.
export function extent(numbers, [least, most] = [-Infinity, Infinity]) {
  const there = numbers.filter(isNumber);
  if (!there.length) return [0, 1];
  let [low, high] = [Math.min(...there), Math.max(...there)];
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  low = Math.max(least ?? -Infinity, low - room);
  high = Math.min(most ?? Infinity, high + room);
  return high > low ? [low, high] : [low - 0.5, low + 0.5];
}

// The mark of a system: a shape and a colour.
export function shape(place, x, y, hollow = false) {
  const attributes = {class: `mark${hollow ? " hollow" : ""}`};
  if (place % 4 === 1) return svg("rect", {...attributes, x: x - 5, y: y - 5, width: 10, height: 10});
  if (place % 4 === 2) return svg("path", {...attributes, d: `M${x} ${y - 6}L${x + 6} ${y + 5}H${x - 6}Z`});
  if (place % 4 === 3)
    return svg("path", {...attributes, d: `M${x} ${y - 6.5}L${x + 6.5} ${y}L${x} ${y + 6.5}L${x - 6.5} ${y}Z`});
  return svg("circle", {...attributes, cx: x, cy: y, r: 5.5});
}

// The legend of systems, as HTML.
export function legend(systems) {
  return h("ul", {class: "key"},
    systems.map((system) => h("li", null,
                  svg("svg", {class: `swatch ${system.class}`, viewBox: "0 0 16 16", "aria-hidden": "true"},
                    shape(system.place, 8, 8)),
                  h("bdi", null, system.title))));
}

function drawing(wide, high, label, ...children) {
  const node =
    svg("svg", {class: "chart", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label}, ...children);
  node.style.maxWidth = `${wide}px`;
  return node;
}

// Values with intervals, a row per label and a mark per series.
//   rows: [{label, note, marks: [{value, interval, text, few, class, place} or null]}]
export function intervalChart(rows, {label, range, zero = false, most = 620}) {
  const wide = width(most);
  const left = Math.min(
    wide * 0.34, 8 + Math.max(...rows.map((row) => Math.max(textWidth(row.label), textWidth(row.note ?? "")))));
  const right =
    wide - 8 - 8 * Math.max(...rows.flatMap((row) => row.marks.map((mark) => (mark ? mark.text.length : 1))));
  const numbers =
    rows.flatMap((row) => row.marks.flatMap((mark) => (mark ? [mark.value, ...(mark.interval ?? [])] : [])));
  const [low, high] = extent(zero ? [0, ...numbers] : numbers, range);
  const x = (value) => left + 8 + ((value - low) / (high - low)) * (right - left - 16);
  const parts = [];
  let y = 4;
  for (const row of rows) {
    const top = y;
    const lines = Math.max(row.marks.filter(Boolean).length, row.note ? 2 : 1);
    parts.push(svg("line", {class: "rule", x1: 0, x2: wide, y1: top, y2: top}));
    parts.push(svg("text", {x: 0, y: top + 17, class: "name"}, clip(row.label, left), svg("title", null, row.label)));
    if (row.note) parts.push(svg("text", {x: 0, y: top + 35, class: "faint"}, row.note));
    row.marks.filter(Boolean).forEach((mark, index) => {
      const middle = top + 13 + index * 19;
      if (!isNumber(mark.value)) return;
      const [from, to] = mark.interval ?? [mark.value, mark.value];
      parts.push(svg("g", {class: mark.class}, svg("title", null, mark.title ?? mark.text),
        isNumber(from) && isNumber(to) && from < to && svg("path", {
          class: `span${mark.few ? " few" : ""}`,
          d: `M${x(from)} ${middle - 4}v8M${x(from)} ${middle}H${x(to)}M${x(to)} ${middle - 4}v8`
        }),
        shape(mark.place, x(mark.value), middle, mark.hollow)));
      parts.push(svg("text", {x: wide, y: middle + 5, class: "value"}, mark.text));
    });
    y += lines * 19 + 8;
  }
  const marks = ticks(low, high, wide < 400 ? 3 : 5)
                  .map((tick) => [svg("line", {class: "grid", x1: x(tick), x2: x(tick), y1: 4, y2: y}),
                         svg("text", {x: x(tick), y: y + 16, class: "tick"}, tickText(tick))]);
  const axis = zero && low < 0 && high > 0 ? svg("line", {class: "axis", x1: x(0), x2: x(0), y1: 4, y2: y}) : null;
  return drawing(wide, y + 22, label, marks, axis, svg("line", {class: "rule", x1: 0, x2: wide, y1: y, y2: y}), parts);
}

// About how wide a text is; characters of East Asian scripts are twice as wide as others.
function textWidth(text) {
  return [...text].reduce((sum, one) => sum + (one > "\u2e7f" ? 14 : 7), 0);
}

function clip(text, room) {
  const shown = [...text];
  while (shown.length > 3 && textWidth(shown.join("")) > room) shown.pop();
  return shown.length < [...text].length ? `${shown.slice(0, -1).join("")}…` : text;
}

// Lines of y over x, an axis each.
//   lines: [{name, x, y, class, place, low, high}]; low and high: a band
//   at: an x that is marked by a vertical line; points: whether each point is drawn
export function lineChart(lines,
  {label, xTitle, yTitle, xRange, yRange, at = null, points = false, diagonal = false, steps = false, most = 620}) {
  const wide = width(most), tall = Math.round(Math.min(340, wide * 0.58)), bottom = 42, top = 12, right = 12;
  const [x0, x1] = xRange ?? extent(lines.flatMap((line) => [...line.x]));
  const [y0, y1] = yRange ?? extent(lines.flatMap((line) => [...line.y, ...(line.low ?? []), ...(line.high ?? [])]));
  const left = 14 + 7.5 * Math.max(...ticks(y0, y1, 4).map((tick) => tickText(tick).length));
  const x = (value) => left + ((value - x0) / (x1 - x0 || 1)) * (wide - left - right);
  const y = (value) => tall - bottom - ((value - y0) / (y1 - y0 || 1)) * (tall - bottom - top);
  const parts = [];
  for (const tick of ticks(y0, y1, 4)) {
    parts.push(svg("line", {class: "grid", x1: left, x2: wide - right, y1: y(tick), y2: y(tick)}),
      svg("text", {class: "value", x: left - 6, y: y(tick) + 4}, tickText(tick)));
  }
  for (const tick of ticks(x0, x1, wide < 400 ? 4 : 6))
    parts.push(svg("text", {class: "tick", x: x(tick), y: tall - bottom + 18}, tickText(tick)));
  parts.push(svg("line", {class: "axis", x1: left, x2: wide - right, y1: tall - bottom, y2: tall - bottom}));
  parts.push(svg("text", {class: "tick faint", x: (left + wide - right) / 2, y: tall - 6}, xTitle));
  if (diagonal)
    parts.push(svg("line", {
      class: "grid dashed",
      x1: x(Math.max(x0, y0)),
      y1: y(Math.max(x0, y0)),
      x2: x(Math.min(x1, y1)),
      y2: y(Math.min(x1, y1))
    }));
  for (const line of lines) {
    const there = [...line.x.keys()].filter((index) => isNumber(line.x[index]) && isNumber(line.y[index]));
    const path = there
                   .map((index, place) => `${place ? (steps ? `H${round(x(line.x[index]))}V` : "L") : "M"}${
                          place && steps ? "" : `${round(x(line.x[index]))} `}${round(y(line.y[index]))}`)
                   .join("");
    const band = line.low && there.every((index) => isNumber(line.low[index]) && isNumber(line.high[index]))
      ? `M${there.map((index) => `${round(x(line.x[index]))} ${round(y(line.high[index]))}`).join("L")}L${
            [...there].reverse().map((index) => `${round(x(line.x[index]))} ${round(y(line.low[index]))}`).join("L")}Z`
      : null;
    parts.push(svg("g", {class: line.class}, svg("title", null, line.name),
      band && svg("path", {class: "band", d: band}), svg("path", {class: `line dash-${line.place % 4}`, d: path}),
      points && there.map((index) => shape(line.place, x(line.x[index]), y(line.y[index])))));
  }
  if (isNumber(at) && at >= x0 && at <= x1) {
    parts.push(svg("line", {class: "here", x1: x(at), x2: x(at), y1: top, y2: tall - bottom}));
    for (const line of lines) {
      const index = nearest(line.x, at);
      if (index >= 0 && isNumber(line.y[index]))
        parts.push(svg("g", {class: line.class}, shape(line.place, x(line.x[index]), y(line.y[index]))));
    }
  }
  return [h("p", {class: "faint axis-title"}, yTitle), drawing(wide, tall, label, parts)];
}

function round(value) {
  return Math.round(value * 10) / 10;
}

// The index of the number nearest to a value; -1 in an empty list.
export function nearest(numbers, value) {
  let best = -1;
  for (let index = 0; index < numbers.length; index++) {
    if (isNumber(numbers[index]) && (best < 0 || Math.abs(numbers[index] - value) < Math.abs(numbers[best] - value)))
      best = index;
  }
  return best;
}

// A value and its interval within a range, as a small line.
export function spanMark(value, interval, [low, high], kind) {
  const place = (one) => `${Math.min(100, Math.max(0, (100 * (one - low)) / (high - low || 1)))}%`;
  const box = h("span", {class: `interval ${kind}`, "aria-hidden": "true"});
  if (!isNumber(value)) return box;
  if (interval && isNumber(interval[0]) && isNumber(interval[1])) {
    const span = h("i");
    span.style.left = place(interval[0]);
    span.style.right = `calc(100% - ${place(interval[1])})`;
    box.append(span);
  }
  const dot = h("b");
  dot.style.left = place(value);
  box.append(dot);
  return box;
}

// The range of bars of differences: it holds zero and all numbers.
export function gapRange(numbers) {
  const there = [0, ...numbers.filter(isNumber)];
  const range = [Math.min(...there), Math.max(...there)];
  return range[0] < range[1] ? range : [-1, 1];
}

// A difference as a bar from zero with its interval, within a range. `sure`: filled; hollow otherwise.
export function gapBar(value, interval, [low, high], sure) {
  const place = (one) => 1 + (98 * (one - low)) / (high - low);
  const from = Math.min(place(0), place(value)), to = Math.max(place(0), place(value));
  const tone = value > 0 ? "better" : value < 0 ? "worse" : "same";
  return svg("svg", {class: `gap-bar ${tone}${sure ? "" : " open"}`, "aria-hidden": "true"},
    isNumber(value) && svg("rect", {x: `${from}%`, width: `${to - from}%`, y: 4, height: 9}),
    interval && isNumber(interval[0]) && isNumber(interval[1]) &&
      [
        svg("line", {class: "whisker", x1: `${place(interval[0])}%`, x2: `${place(interval[1])}%`, y1: 8.5, y2: 8.5}),
        interval.map(
          (end) => svg("line", {class: "whisker", x1: `${place(end)}%`, x2: `${place(end)}%`, y1: 5.5, y2: 11.5}))
      ],
    svg("line", {class: "zero", x1: `${place(0)}%`, x2: `${place(0)}%`, y1: 1, y2: 16}));
}

// Shares of a whole as one bar. parts: [{n, label, class, link}]; link: (children) -> node.
export function wholeBar(parts, n) {
  return h("div", {class: "whole"}, parts.filter((part) => part.n).map((part) => {
    const shown = part.n / n > 0.06 ? part.text : "";
    const node = part.link(
      {class: `piece ${part.class}`, title: `${part.label}: ${part.text}`, "aria-label": `${part.label}: ${part.text}`},
      shown);
    node.style.flexGrow = part.n;
    return node;
  }));
}

// A chart as the text of an SVG file: the looks that the style sheet gives become attributes.
export function svgText(chart) {
  const copy = chart.cloneNode(true);
  const looks = [
    "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity", "opacity", "font-size",
    "font-weight", "font-family", "text-anchor"
  ];
  const originals = [chart, ...chart.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, index) => {
    const style = getComputedStyle(originals[index]);
    for (const look of looks) node.setAttribute(look, style.getPropertyValue(look));
    node.removeAttribute("class");
  });
  const [, , wide, tall] = chart.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", wide);
  copy.setAttribute("height", tall);
  copy.removeAttribute("style");
  return new XMLSerializer().serializeToString(copy);
}
