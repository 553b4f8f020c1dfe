"use strict";
// The page of a leaderboard: the reader's choices are the state, the address stores it, and `render` shows it.
// Names and texts are inserted as text nodes only.
const data = JSON.parse(document.getElementById("data").textContent);
const [VALUE, LOW, HIGH, RANK, FIRST, LAST, LETTERS, BEST, TIED] = [0, 1, 2, 3, 4, 5, 6, 7, 8]; // places in a row
const DASH = "–", MANY_MEASURES = 6, MANY_SYSTEMS = 25;
const table = document.querySelector(".board table"), heads = [...table.tHead.rows[0].cells];
const $ = id => document.getElementById(id);
const viewKey = view => (view.slice ? `${view.slice} = ${view.label}` : "");
const collator = new Intl.Collator("en", {numeric: true});

// --- elements ---------------------------------------------------------------------------------------------------

function put(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child !== null));
  return element;
}
const make = (tag, attributes = {}, ...children) => put(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) =>
  put(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const labelled = (text, control) => make("div", {class: "field"}, make("label", {for: control.id}, text), control);
function choice(id, options, act) {
  return make("select", {id, onchange: event => act(event.target.value)},
    options.map(([value, text]) => make("option", {value}, text)));
}
function plainTable(caption, columns, rows) {
  return make("div", {class: "scroll", role: "group", "aria-label": caption, tabindex: 0}, make("table", {},
    make("caption", {}, make("span", {}, caption)),
    make("thead", {}, make("tr", {}, columns.map(name => make("th", {scope: "col"}, name)))),
    make("tbody", {}, rows.map(([head, ...cells]) =>
      make("tr", {}, make("th", {scope: "row"}, head), cells.map(cell => make("td", {}, cell)))))));
}
// A name, which may wrap after "_" and "-".
const nameOf = system => make("bdi", {}, data.systems[system].name.split(/(?<=[_-])(?=[^_-])/)
  .flatMap((part, place) => (place ? [make("wbr"), part] : [part])));

// --- numbers ----------------------------------------------------------------------------------------------------

// Numbers as Python writes them: exact ties are rounded to an even last digit.
function fixed(number, digits) {
  let text = Math.abs(number).toFixed(digits);
  const between = Math.abs(number * 2 ** (digits + 1)) % 2 === 1;
  if (between && "13579".includes(text.slice(-1))) text = (Math.abs(number) - 10 ** -(digits + 2)).toFixed(digits);
  return (number < 0 && Number(text) ? "−" : "") + text;
}
function written(value, measure) {
  if (value === null) return DASH;
  if (!measure.rate && Number.isInteger(value)) return value.toLocaleString("en-US").replace("-", "−");
  return measure.rate && data.percent ? fixed(100 * value, 2) : fixed(value, 4);
}
const signed = (value, measure) =>
  (value > 0 && /[1-9]/.test(written(value, measure)) ? "+" : "") + written(value, measure);
const ends = (row, measure) =>
  row[LOW] === null || row[HIGH] === null ? "" : `${written(row[LOW], measure)} to ${written(row[HIGH], measure)}`;
const ranks = row => (row[FIRST] === row[LAST] ? `${row[FIRST]}` : `${row[FIRST]} to ${row[LAST]}`);
function share(row) {
  const part = row[BEST];
  if (part === null) return DASH;
  return `${part > 0 && part < .005 ? "< 1" : part > .995 && part < 1 ? "> 99" : fixed(100 * part, 0)}\u00a0%`;
}
const pText = p => (p === null ? DASH : p === 0 ? "< 0.0001" : (p / 1e4).toFixed(4));
const pEquation = p => (p === 0 ? "p < 0.0001" : `p = ${pText(p)}`);

// The rows of a ranking by system, its letters, and the axis of its bars, computed when first shown.
function lookup(ranking) {
  if (ranking.place) return ranking;
  ranking.place = new Map(ranking.order.map((system, place) => [system, place]));
  ranking.letters = ranking.rows.map(row => new Set(row[LETTERS].match(/[a-z]\d*/g)));
  const all = ranking.rows.flatMap(row => row.slice(VALUE, HIGH + 1)).filter(end => end !== null);
  ranking.least = Math.min(...all);
  ranking.span = Math.max(...all) - ranking.least || 1;
  return ranking;
}
const rowOf = (ranking, system) => (ranking ? ranking.rows[lookup(ranking).place.get(system)] ?? null : null);
function pairOf(ranking, a, b) {
  const {place, letters, rows, p} = lookup(ranking);
  const [i, j] = [place.get(a), place.get(b)].sort((x, y) => x - y);
  if (i === undefined || j === undefined) return {p: null, differ: false};
  const known = rows[i][VALUE] !== null && rows[j][VALUE] !== null;
  return {p: p ? p[i * (rows.length - 1) - i * (i - 1) / 2 + j - i - 1] : null,
    differ: known && ![...letters[i]].some(letter => letters[j].has(letter))};
}
const isAhead = (ranking, a, b) => lookup(ranking).place.get(a) < lookup(ranking).place.get(b);

// --- state ------------------------------------------------------------------------------------------------------

const columnKeys = heads.map(head => head.dataset.key).filter(key => /^(fact|measure):|^best$/.test(key));
const hiddenAtFirst = columnKeys.filter(key => key.startsWith("measure:")).slice(MANY_MEASURES);
const initial = () => ({view: 0, measure: 0, sort: "rank", reverse: false, filter: "", tied: false,
  hidden: new Set(hiddenAtFirst), system: null, first: null, second: null});
let state = initial();

const systemOf = key => {
  const place = data.systems.findIndex(system => system.key === key);
  return place < 0 ? null : place;
};
function fromAddress() {
  const text = location.hash.slice(1);
  const read = initial();
  if (text && !text.includes("=")) return state;
  const asked = new URLSearchParams(text); // accepts any text, unlike decodeURI
  read.view = Math.max(0, data.views.findIndex(view => viewKey(view) === (asked.get("slice") ?? "")));
  read.measure = Math.max(0, data.measures.findIndex(measure => measure.name === asked.get("measure")));
  read.sort = heads.some(head => head.dataset.key === asked.get("sort")) ? asked.get("sort") : "rank";
  read.reverse = asked.get("order") === "reverse";
  read.filter = asked.get("filter") ?? "";
  read.tied = asked.get("tied") === "yes";
  if (asked.has("hidden")) read.hidden = new Set(asked.get("hidden").split(" ").filter(key => columnKeys.includes(key)));
  for (const one of ["system", "first", "second"]) read[one] = systemOf(asked.get(one));
  return read;
}
function toAddress() {
  const asked = new URLSearchParams(), keyOf = system => data.systems[system].key;
  if (state.view) asked.set("slice", viewKey(data.views[state.view]));
  if (state.measure) asked.set("measure", data.measures[state.measure].name);
  if (state.sort !== "rank") asked.set("sort", state.sort);
  if (state.reverse) asked.set("order", "reverse");
  if (state.filter) asked.set("filter", state.filter);
  if (state.tied) asked.set("tied", "yes");
  const hidden = columnKeys.filter(key => state.hidden.has(key)).join(" ");
  if (hidden !== hiddenAtFirst.join(" ")) asked.set("hidden", hidden);
  for (const one of ["system", "first", "second"]) if (state[one] !== null) asked.set(one, keyOf(state[one]));
  return asked.toString();
}
// Typing replaces the history entry; every other choice adds an entry, so that "back" undoes it.
function choose(changes, typed = false) {
  Object.assign(state, changes);
  try {
    history[typed ? "replaceState" : "pushState"](null, "", `#${toAddress()}`);
  } catch { /* a page inside another page, without an address */ }
  render();
}

const viewNow = () => data.views[state.view];
const rankingNow = () => viewNow().rankings[state.measure];
const measureNow = () => data.measures[state.measure];

function sorted() {
  const ranking = rankingNow(), [kind, place] = state.sort.split(":");
  const ranked = [...new Set([...(ranking?.order ?? []), ...data.systems.keys()])];
  const compare = {
    name: (a, b) => collator.compare(data.systems[a].name, data.systems[b].name),
    fact: (a, b) => collator.compare(data.systems[a].facts[place], data.systems[b].facts[place]),
    best: (a, b) => (rowOf(ranking, b)?.[BEST] ?? -1) - (rowOf(ranking, a)?.[BEST] ?? -1),
  }[kind];
  if (compare) ranked.sort(compare);
  if (state.reverse) ranked.reverse();
  const lacks = kind === "fact" ? one => !data.systems[one].facts[place]
    : kind === "name" ? () => false : one => (rowOf(ranking, one)?.[VALUE] ?? null) === null;
  return [...ranked.filter(one => !lacks(one)), ...ranked.filter(lacks)];
}
function isShown(system) {
  const {name, key, facts} = data.systems[system], words = state.filter.toLowerCase().split(/\s+/);
  const text = [name, key, ...facts].join("\n").toLowerCase();
  return words.every(word => text.includes(word)) && (!state.tied || Boolean(rowOf(rankingNow(), system)?.[TIED]));
}

// --- the table --------------------------------------------------------------------------------------------------

function bar(row, ranking) {
  const {least, span} = lookup(ranking);
  const at = end => (3 + 94 * (end - least) / span).toFixed(1);
  return draw("svg", {class: "bar", viewBox: "0 0 100 10", "aria-hidden": "true"},
    draw("line", {class: "span", x1: at(row[LOW]), x2: at(row[HIGH]), y1: 5, y2: 5}),
    draw("line", {x1: at(row[VALUE]), x2: at(row[VALUE]), y1: 1, y2: 9}));
}
function valueCell(system, place) {
  const ranking = viewNow().rankings[place], row = rowOf(ranking, system), measure = data.measures[place];
  if (!row || row[VALUE] === null) return make("td", {class: "value"}, DASH);
  const text = ends(row, measure);
  return make("td", {class: row[TIED] ? "value tied" : "value"},
    make("div", {}, make("span", {class: "number"}, written(row[VALUE], measure)), " ",
      make("span", {class: "letters"}, row[LETTERS])),
    text && bar(row, ranking), text && make("span", {class: "sub"}, text));
}
const outside = {rel: "noopener noreferrer nofollow", target: "_blank"};  // also in a frame
function systemHead(system) {
  const {name: shown, link, facts} = data.systems[system];
  const told = facts.filter(Boolean).flatMap((fact, place) => [place ? " · " : "", make("bdi", {}, fact)]);
  return make("th", {scope: "row"},
    make("span", {class: "name"}, make("button", {type: "button", "aria-haspopup": "dialog",
      onclick: () => choose({system})}, nameOf(system))),
    link && " ", link && make("a", {class: "out", href: link, ...outside,
      "aria-label": `page of ${shown}`}, "page"),
    told.length ? make("span", {class: "sub facts"}, told) : null);
}
function tableRow(system) {
  const row = rowOf(rankingNow(), system), facts = data.systems[system].facts;
  const ranked = row && row[VALUE] !== null;
  return make("tr", {},
    make("td", {class: "rank"}, make("strong", {}, ranked ? `${row[RANK]}` : DASH),
      ranked ? make("span", {class: "sub"}, ranks(row)) : null),
    systemHead(system),
    facts.map(fact => make("td", {class: "words fact"}, fact || DASH)),
    data.measures.map((_, place) => valueCell(system, place)),
    make("td", {}, ranked ? share(row) : DASH));
}
function sortBy(key) {
  const [kind, place] = key.split(":"), again = state.sort === key && (kind !== "measure" || state.measure === +place);
  choose({sort: key, reverse: again && !state.reverse, ...(kind === "measure" ? {measure: +place} : {})});
}
function renderTable(systems) {
  table.tBodies[0].replaceChildren(...systems.map(tableRow));
  const sort = state.sort === "rank" || state.sort.startsWith("measure") ? ["rank", `measure:${state.measure}`] : [state.sort];
  heads.forEach((head, place) => {
    const key = head.dataset.key, falls = key === "best" || key.startsWith("measure") && !measureNow().lower;
    if (sort.includes(key)) head.setAttribute("aria-sort", falls !== state.reverse ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
    for (const row of table.rows) row.cells[place].classList.toggle("off", state.hidden.has(key));
  });
  const where = state.view ? `, ${viewKey(viewNow())}` : "", ranking = rankingNow();
  table.caption.firstChild.textContent = `Systems by ${measureNow().name}${where}${ranking ? `, ${ranking.basis}` : ""}`;
  $("finding").textContent = ranking ? (state.view ? `${viewKey(viewNow())}: ` : "") + ranking.finding
    : `There is no ranking by ${measureNow().name}${where}.`;
  $("basis").textContent = ranking?.basis ?? "";
  $("cautions").textContent = ranking?.cautions ?? "";
  $("shown").textContent = systems.length === data.systems.length ? "" : systems.length
    ? `${systems.length} of ${data.systems.length} systems shown` : "No system fits; change the search or reset the view";
}

// --- the chart --------------------------------------------------------------------------------------------------

function roundTicks(low, high, most) {
  const step = [1, 2, 5, 10].map(factor => factor * 10 ** Math.floor(Math.log10((high - low) / most)))
    .find(one => (high - low) / one <= most);
  const ticks = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + step * 1e-9; place++) ticks.push(place * step);
  return {ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
}
function renderChart(systems) {
  const box = $("chart-box"), ranking = rankingNow(), measure = measureNow(), scale = data.percent && measure.rate ? 100 : 1;
  const drawn = (ranking?.order ?? []).filter(system => systems.includes(system) && rowOf(ranking, system)[VALUE] !== null);
  if (!drawn.length) { box.replaceChildren(make("p", {class: "faint"}, "Nothing to draw.")); return; }
  const width = Math.max(280, Math.min(960, box.clientWidth || 700)), height = 24, top = 22;
  const left = Math.min(width * .38, 300), right = width - 78;
  const numbers = drawn.flatMap(system => rowOf(ranking, system).slice(VALUE, HIGH + 1)).filter(end => end !== null).map(end => end * scale);
  let [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (high - low < 1e-12) [low, high] = [low - (Math.abs(low) || 1) / 10, high + (Math.abs(high) || 1) / 10];
  const x = value => left + 8 + (right - left - 16) * (value - low) / (high - low);
  const {ticks, digits} = roundTicks(low, high, width < 500 ? 3 : 7);
  const svg = draw("svg", {viewBox: `0 0 ${width} ${top + height * drawn.length + 4}`, role: "img",
    "aria-label": `${measure.name} of ${drawn.length} systems with intervals; the table has the same numbers`});
  for (const tick of ticks) {
    svg.append(draw("line", {class: "axis", x1: x(tick), x2: x(tick), y1: top - 4, y2: top + height * drawn.length}),
      draw("text", {class: "faint", x: x(tick), y: 12, "text-anchor": "middle"}, fixed(tick, digits)));
  }
  const labels = drawn.map((system, place) => {
    const row = rowOf(ranking, system), y = top + height * (place + .5), known = row[LOW] !== null && row[HIGH] !== null;
    const label = draw("text", {x: 0, y: y + 4}, data.systems[system].name);
    svg.append(draw("g", {class: row[TIED] ? "mark tied" : "mark"},
      draw("title", {}, `${data.systems[system].name}: ${written(row[VALUE], measure)} (${ends(row, measure)}), rank ${ranks(row)}`),
      draw("rect", {x: 0, y: y - height / 2, width, height}), label,
      known ? draw("line", {x1: x(scale * row[LOW]), x2: x(scale * row[HIGH]), y1: y, y2: y}) : null,
      draw("circle", {cx: x(scale * row[VALUE]), cy: y, r: 3.5}),
      draw("text", {x: width, y: y + 4, "text-anchor": "end"}, written(row[VALUE], measure))));
    return label;
  });
  box.replaceChildren(legend([["tied", "cannot be told apart from the best"], ["", "likely worse than the best"]]
    .map(([tone, words]) => [draw("svg", {class: `mark ${tone}`, viewBox: "0 0 10 10", "aria-hidden": "true"},
      draw("circle", {cx: 5, cy: 5, r: 4.5})), words])), svg);
  for (const label of labels) fit(label, left - 6);
}
const legend = items => make("ul", {class: "key"}, items.map(([mark, words]) => make("li", {}, mark, words)));
function fit(label, room) {
  const whole = [...label.textContent];
  if (label.getComputedTextLength() <= room) return;
  let kept = Math.min(whole.length, Math.floor(whole.length * room / label.getComputedTextLength()));
  do {
    const end = Math.floor(kept / 2); // names of runs often differ at their ends
    label.textContent = `${whole.slice(0, kept - end).join("")}…${whole.slice(whole.length - end).join("")}`;
  } while (--kept > 0 && label.getComputedTextLength() > room);
}

// --- pairs ------------------------------------------------------------------------------------------------------

function pairWords(a, b) {
  const ranking = rankingNow(), {p, differ} = pairOf(ranking, a, b), names = [a, b].map(one => data.systems[one].name);
  const [better, worse] = isAhead(ranking, a, b) ? names : [names[1], names[0]];
  const corrected = p === null ? "" : `, ${pEquation(p)}, corrected`;
  return differ ? `${better} is better than ${worse}${corrected}` : `${better} and ${worse} cannot be told apart${corrected}`;
}
function renderPairs(systems) {
  const ranking = rankingNow(), box = $("pairs-box"), open = box.querySelector("details")?.open;
  const shown = (ranking?.order ?? []).filter(system => systems.includes(system));
  if (!ranking?.p || shown.length < 2) {
    const words = ranking && !ranking.p ? "The p-values of this slice are not in this page." : "No pairs to show.";
    box.replaceChildren(comparison(), make("p", {class: "faint"}, words));
    return;
  }
  const said = make("p", {class: "said", role: "status"}, "Point at a cell, or choose it with the arrow keys.");
  const holder = make("div", {class: "matrix"});
  const fill = () => holder.childElementCount || holder.append(matrix(ranking, shown, said));
  const folded = make("details", {open: open ?? shown.length <= MANY_SYSTEMS, ontoggle: fill},
    make("summary", {}, `Matrix of ${shown.length} systems by ${measureNow().name}`),
    legend([["better", "row better than column"], ["worse", "row worse"], ["alike", "cannot be told apart"]]
      .map(([tone, words]) => [make("i", {class: tone}), words])), said, holder);
  if (folded.open) fill();
  box.replaceChildren(comparison(), folded);
}
function matrix(ranking, shown, said) {
  const cell = (a, b) => {
    if (a === b) return make("td", {class: "self", tabindex: -1}, make("span", {class: "sr"}, "same system"));
    const {p, differ} = pairOf(ranking, a, b), better = isAhead(ranking, a, b);
    const text = p === null ? DASH : p === 0 ? "<.0001" : p >= 9995 ? "1.00" : fixed(p / 1e4, p < 10 ? 4 : p < 1000 ? 3 : 2).slice(1);
    return make("td", {class: differ ? (better ? "better" : "worse") : null, tabindex: -1}, text);
  };
  const grid = make("table", {role: "grid"},
    make("caption", {}, make("span", {}, `p-values, ${measureNow().name}; columns have the numbers of the rows`)),
    make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "System"), shown.map((system, place) =>
      make("th", {scope: "col", title: data.systems[system].name}, `${place + 1}`)))),
    make("tbody", {}, shown.map((a, place) => make("tr", {},
      make("th", {scope: "row"}, `${place + 1} `, nameOf(a)), shown.map(b => cell(a, b))))));
  const at = (row, column) => grid.tBodies[0].rows[row]?.cells[column + 1];
  const tell = event => {
    const target = event.target.closest("td");
    if (!target) return;
    const [a, b] = [shown[target.parentNode.sectionRowIndex], shown[target.cellIndex - 1]];
    said.textContent = a === b ? data.systems[a].name : pairWords(a, b);
  };
  const go = target => {
    if (!target) return;
    grid.querySelector("td[tabindex='0']")?.setAttribute("tabindex", -1);
    target.setAttribute("tabindex", 0);
    target.focus();
  };
  const moves = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
  grid.addEventListener("mouseover", tell);
  grid.addEventListener("focusin", tell);
  grid.addEventListener("click", event => go(event.target.closest("td")));
  grid.addEventListener("keydown", event => {
    const move = moves[event.key], from = event.target.closest("td");
    if (!move || !from || from.cellIndex + move[1] < 1) return;
    event.preventDefault();
    go(at(from.parentNode.sectionRowIndex + move[0], from.cellIndex - 1 + move[1]));
  });
  at(0, 1).setAttribute("tabindex", 0);
  return make("div", {class: "scroll tall", role: "group", "aria-label": "Matrix of p-values"}, grid);
}
function comparison() {
  const ranked = rankingNow()?.order ?? [], [first, second] = [state.first ?? ranked[0], state.second ?? ranked[1]];
  if (first === undefined || second === undefined) return "";
  const options = data.systems.map((system, place) => [place, system.name]);
  const pick = (id, chosen, text) => {
    const select = choice(id, options, value => { choose({first, second, [id]: +value}); $(id).focus(); });
    select.value = chosen;
    return labelled(text, select);
  };
  const rows = data.measures.map((measure, place) => {
    const ranking = viewNow().rankings[place], [a, b] = [rowOf(ranking, first), rowOf(ranking, second)];
    if (!a || !b || first === second) return [measure.name, ...[a, b].map(row => (row ? written(row[VALUE], measure) : DASH)), DASH, DASH, DASH];
    const {p, differ} = pairOf(ranking, first, second), known = a[VALUE] !== null && b[VALUE] !== null;
    const better = isAhead(ranking, first, second) ? first : second;
    return [measure.name, written(a[VALUE], measure), written(b[VALUE], measure),
      known ? signed(b[VALUE] - a[VALUE], measure) : DASH, pText(p),
      differ ? make("span", {class: "better"}, nameOf(better), " likely better") : "cannot be told apart"];
  });
  return make("div", {id: "comparison"}, make("h3", {}, "Compare two systems"),
    make("div", {class: "pick"}, pick("first", first, "First"), pick("second", second, "Second")),
    plainTable("Second minus first; p is corrected for all pairs of the measure",
      ["Measure", nameOf(first), nameOf(second), "Difference", "p", "Reading"], rows));
}

// --- a system ---------------------------------------------------------------------------------------------------

const dialog = make("dialog", {"aria-labelledby": "detail-name", onclose: () => {
  if (state.system !== null) choose({system: null});
}});
document.body.append(dialog);

function renderSystem() {
  if (state.system === null) { dialog.close(); return; }
  const {link, facts, notes, official} = data.systems[state.system], system = state.system;
  const cells = (ranking, place) => {
    const row = rowOf(ranking, system), measure = data.measures[place];
    return row && row[VALUE] !== null
      ? [written(row[VALUE], measure), ends(row, measure), `${row[RANK]}`, ranks(row), row[LETTERS], share(row)] : Array(6).fill(DASH);
  };
  const columns = ["Value", `${100 * data.level} % interval`, "Rank", "Rank interval", "Letters", "Best"];
  const told = data.facts.map((fact, place) => [fact, facts[place]]).filter(([, text]) => text);
  dialog.replaceChildren(...[
    make("button", {class: "close", type: "button", onclick: () => dialog.close()}, "Close"),
    make("h2", {id: "detail-name"}, nameOf(system)),
    make("dl", {class: "made"}, told.flatMap(([fact, text]) => [make("dt", {}, fact), make("dd", {}, make("bdi", {}, text))]),
      link ? [make("dt", {}, "Page"), make("dd", {}, make("a", {href: link, ...outside}, link))] : []),
    plainTable(`All measures${state.view ? `, ${viewKey(viewNow())}` : ""}`, ["Measure", ...columns],
      data.measures.map((measure, place) => [measure.name, ...cells(viewNow().rankings[place], place)])),
    data.views.length > 1 ? plainTable(`Slices by ${measureNow().name}`, ["Slice", ...columns],
      data.views.map(view => [viewKey(view) || `all ${data.examples}`, ...cells(view.rankings[state.measure], state.measure)])) : null,
    official.length ? plainTable("Official numbers", ["Number", "Value"], official) : null,
    notes.length ? plainTable("What was counted", ["Count", data.examples], notes.map(([note, count]) => [note, count.toLocaleString("en-US")])) : null,
  ].filter(Boolean));
  if (!dialog.open) dialog.showModal();
}

// --- all --------------------------------------------------------------------------------------------------------

function renderControls() {
  const values = {filter: state.filter, slice: state.view, measure: state.measure};
  for (const [id, value] of Object.entries(values)) if ($(id) && $(id).value !== `${value}`) $(id).value = value;
  $("tied").checked = state.tied;
  for (const tick of document.querySelectorAll("#columns input")) tick.checked = !state.hidden.has(tick.value);
}
let shownBefore = "";
function render() {
  renderControls();
  const {system, first, second, ...seen} = {...state, hidden: [...state.hidden]}, now = JSON.stringify(seen);
  const systems = sorted().filter(isShown);
  if (now !== shownBefore) {
    renderTable(systems);
    renderChart(systems);
    renderPairs(systems);
    shownBefore = now;
  } else $("comparison")?.replaceWith(comparison());
  renderSystem();
}
function buildControls() {
  const tick = (attributes, text, act) =>
    make("label", {class: "tick"}, make("input", {type: "checkbox", ...attributes, onchange: event => act(event.target)}), text);
  const columns = columnKeys.map(key => {
    const [kind, place] = key.split(":");
    const text = kind === "best" ? "Best" : (kind === "fact" ? data.facts[place] : data.measures[place].name);
    return tick({value: key}, text, box => {
      const hidden = new Set(state.hidden);
      if (box.checked) hidden.delete(key); else hidden.add(key);
      choose({hidden});
    });
  });
  $("controls").append(...[
    labelled("Search", make("input", {type: "search", id: "filter", oninput: event => choose({filter: event.target.value}, true)})),
    data.views.length > 1 ? labelled("Slice", choice("slice",
      data.views.map((view, place) => [place, viewKey(view) || `All ${data.examples}`]), value => choose({view: +value}))) : null,
    data.measures.length > 1 ? labelled("Rank by", choice("measure",
      data.measures.map((measure, place) => [place, measure.name]), value => choose({measure: +value, sort: "rank", reverse: false}))) : null,
    tick({id: "tied"}, "Hide systems likely worse than the best", box => choose({tied: box.checked})),
    columns.length > 2 ? make("details", {id: "columns"}, make("summary", {}, "Columns"), make("div", {class: "menu"}, columns)) : null,
    make("button", {type: "button", onclick: () => choose(initial())}, "Reset"),
  ].filter(Boolean));
  $("controls").hidden = false;
  for (const head of heads) {
    const text = head.querySelector(".name");
    text.replaceChildren(make("button", {type: "button", onclick: () => sortBy(head.dataset.key)}, make("span", {}, ...text.childNodes)));
  }
}
buildControls();
state = fromAddress();
render();
addEventListener("popstate", () => { state = fromAddress(); render(); });
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) { width = innerWidth; renderChart(sorted().filter(isShown)); }
});
document.querySelector("nav").addEventListener("click", event => {
  const link = event.target.closest("a");
  if (!link) return;
  event.preventDefault(); // the address stores the view
  document.querySelector(link.hash).scrollIntoView();
});
