// The tab Curves: thresholds with a slider, precision and recall, measures over k, reliability, classes.

import {extent, intervalChart, legend, lineChart} from "./charts.js";
import {fold, h, name, section, select, table} from "./dom.js";
import {csv, figure, fileName, saveFile} from "./export.js";

import {count, isNumber, number, percent, plain, short} from "./format.js";

const TITLES = {
  threshold: "No-answer threshold",
  reliability: "Reliability of the probabilities",
  precision_recall: "Precision and recall",
  risk_coverage: "Risk and coverage",
  over_k: "Over the cutoff k",
  first_rank: "First right result",
  classes: "F1 of each class"
};
const SYSTEMS = 6;  // lines in one chart
const BARS = 40;    // classes and ranks that are drawn

// Curves of one drawing: those with the same name, measure and class, of all systems.
export function groupsOf(curves) {
  const groups = new Map();
  for (const curve of curves) {
    const key = [curve.name, curve.measure ?? "", curve.label ?? ""].filter(Boolean).join(":");
    if (!groups.has(key))
      groups.set(key, {
        key,
        name: curve.name,
        measure: curve.measure,
        label: curve.label,
        title: [
          TITLES[curve.name] ?? curve.title, curve.name === "threshold" || curve.name === "over_k" ? curve.y_title : "",
          curve.label ?? ""
        ].filter(Boolean)
                 .join(", "),
        curves: []
      });
    groups.get(key).curves.push(curve);
  }
  return [...groups.values()];
}

export function curvesView(context) {
  const {part, state} = context;
  const groups = groupsOf(part.data.curves);
  if (!groups.length) return h("p", {class: "empty"}, "This document has no curves.");
  const group = groups.find((one) => one.key === state.curve) ?? groups[0];
  const box = h("div", {class: "curve"});
  return [
    groups.length > 1 &&
      h("div", {class: "filters"},
        select("curve", "Curve", groups.map((one) => [one.key, one.title]), group.key,
          (value) => context.change({curve: value, threshold: ""}))),
    h("section", null, h("h2", null, group.title),
      group.name === "threshold"          ? thresholds(context, group)
        : group.curves[0].draw === "bars" ? bars(context, group)
                                          : plainCurves(context, group),
      h("div", null, box))
  ];
}

function linesOf(context, group) {
  return group.curves.filter((curve) => context.model.system(curve.system)).slice(0, SYSTEMS).map((curve) => {
    const system = context.model.system(curve.system);
    return {
      name: system.title,
      x: curve.x,
      y: curve.y,
      low: curve.low,
      high: curve.high,
      class: system.class,
      place: system.place,
      curve,
      system
    };
  });
}

function axes(context, group) {
  const [curve] = group.curves;
  const measure = curve.measure ? context.part.measure(curve.measure) : null;
  return {
    xTitle: curve.x_title,
    yTitle: curve.y_title,
    xRange: curve.x_range,
    yRange: curve.y_range ?? extent(group.curves.flatMap((one) => [...one.y, ...(one.low ?? []), ...(one.high ?? [])])),
    measure
  };
}

function plainCurves(context, group) {
  const lines = linesOf(context, group), looks = axes(context, group);
  const caption = `${group.title}: ${looks.yTitle} over ${looks.xTitle}`;
  const marks = lines.filter((line) => line.curve.mark);
  return [
    figure(caption,
      [
        legend(lines.map((line) => line.system)), lineChart(lines, {
          ...looks,
          label: `${caption}, of ${lines.map((line) => line.name).join(", ")}`,
          points: group.curves[0].draw === "points" || group.name === "over_k",
          diagonal: group.name === "reliability",
          steps: group.curves[0].draw === "steps"
        })
      ],
      group.key),
    marks.length > 0 &&
      h("ul", null,
        marks.map((line) => h("li", null, name(line.name),
                    `: ${line.curve.mark.title} at ${plain(line.curve.mark.x)}, ${looks.yTitle} ${
                      looks.measure ? number(line.curve.mark.y, looks.measure) : plain(line.curve.mark.y)}`))),
    pointsTable(context, group)
  ];
}

function pointsTable(context, group) {
  const heads = ["System", group.curves[0].x_title, group.curves[0].y_title, ...(group.curves[0].n ? ["n"] : [])];
  const rows = () => group.curves.flatMap(
    (curve) => curve.x.map((x, index) => [curve.system, x, curve.y[index], ...(curve.n ? [curve.n[index]] : [])]));
  return [
    h("button", {
      type: "button",
      class: "small",
      onclick: () => saveFile(fileName(group.key.replaceAll(":", "-"), "csv"), csv([heads, ...rows()]), "text/csv")
    },
      "Save the points as CSV"),
    fold("The points as a table",
      () => table(group.title, heads, rows().slice(0, 1500).map(([system, x,
        ...rest]) => [name(context.model.title(system)), isNumber(x) ? plain(x) : String(x), ...rest.map(plain)]),
        "tall"))
  ];
}

// The threshold above which an answer is withheld, with a slider.
function thresholds(context, group) {
  const {state, model} = context;
  const lines = linesOf(context, group), looks = axes(context, group);
  const all = lines.flatMap((line) => line.x).filter(isNumber);
  const range = looks.xRange ?? [Math.min(...all), Math.max(...all)];
  const marked = lines.find((line) => line.curve.mark);
  const start =
    isNumber(parseFloat(state.threshold)) ? parseFloat(state.threshold) : (marked?.curve.mark.x ?? range[1]);
  const holder = h("div"), readout = h("div", {"aria-live": "polite"}), shown = h("output", {htmlFor: "threshold"});
  const caption = `${group.title}: answers with a probability above the threshold are withheld`;
  const slider = h("input", {
    id: "threshold",
    type: "range",
    min: range[0],
    max: range[1],
    step: (range[1] - range[0]) / 1000 || 0.001,
    value: start,
    oninput: () => move(parseFloat(slider.value), true)
  });

  function move(at, put) {
    shown.textContent = plain(Number(at.toFixed(4)));
    holder.replaceChildren(figure(caption,
      [
        legend(lines.map((line) => line.system)),
        lineChart(lines,
          {...looks, at, steps: true, most: 470, label: `${caption}, of ${lines.map((line) => line.name).join(", ")}`})
      ],
      group.key));
    const rows = lines.map((line) => {
      const index = held(line.x, at);
      const mark = line.curve.mark;
      return [
        name(line.name), index < 0 ? "–" : number(line.y[index], looks.measure),
        index < 0 || !line.curve.answered ? "–" : percent(Number(line.curve.answered[index].toFixed(3))),
        mark ? number(mark.y, looks.measure) : "–", mark ? plain(mark.x) : "–"
      ];
    });
    readout.replaceChildren(table(`At the threshold ${shown.textContent}`,
      ["System", looks.yTitle, "answered", "at best", "best threshold"], rows));
    if (put) context.change({threshold: String(Number(at.toFixed(4)))}, "quiet");
  }
  move(start, false);
  return h("div", {class: "columns"}, holder,
    h("div", null, h("div", {class: "field slider"}, h("label", {htmlFor: "threshold"}, "Threshold"), slider, shown),
      readout,
      marked &&
        h("p", {class: "ways"},
          lines.filter((line) => line.curve.mark)
            .map((line) => h("button", {
              type: "button",
              class: "way",
              onclick: () => {
                slider.value = line.curve.mark.x;
                move(line.curve.mark.x, true);
              }
            },
                   `Best of ${short(model.title(line.system.name), 30)}`))),
      pointsTable(context, group)));
}

// The index of the point whose value holds at x: the last that is not above it; -1 before the first.
export function held(numbers, x) {
  let low = -1, high = numbers.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
}

function bars(context, group) {
  const systems = linesOf(context, group);
  const looks = axes(context, group);
  const labels = [...new Set(systems.flatMap((line) => line.x.map(String)))].slice(0, BARS);
  const rate = looks.measure ?? null;
  const write = (value) => (rate ? number(value, rate) : plain(value));
  const rows = labels.map((label) => ({
    label,
    note: systems[0].curve.n ? `n = ${count(systems[0].curve.n[systems[0].x.map(String).indexOf(label)])}` : "",
    marks: systems.map((line) => {
      const index = line.x.map(String).indexOf(label);
      const value = index < 0 ? null : line.y[index];
      if (!isNumber(value)) return null;
      const interval = isNumber(line.low?.[index]) ? [line.low[index], line.high[index]] : null;
      return {
        value,
        interval,
        text: write(value),
        class: line.class,
        place: line.place,
        title: `${line.name}, ${label}: ${write(value)}`
      };
    })
  }));
  const caption = `${group.title}: ${looks.yTitle} by ${looks.xTitle}`;
  return [
    figure(caption,
      [
        legend(systems.map((line) => line.system)),
        intervalChart(rows, {label: caption, range: looks.yRange ?? [0, null], zero: group.name === "first_rank"})
      ],
      group.key),
    pointsTable(context, group)
  ];
}
