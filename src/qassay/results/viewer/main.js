// The viewer: puts a result document into an element of a page.

import {answerView} from "./answer.js";
import {compareView} from "./compare.js";
import {curvesView} from "./curves.js";
import {h, replace, select} from "./dom.js";
import {examplesView} from "./examples.js";
import {count} from "./format.js";
import {read} from "./model.js";
import {ranksView} from "./ranks.js";
import {remarksView} from "./remarks.js";
import {slicesView} from "./slices.js";
import {DEFAULTS, keepState, write} from "./state.js";

// The tabs: key, name, whether a part has it, the view. A view gives its nodes, or {node, update}.
const TABS = [
  ["answer", "Answer", () => true, answerView], ["examples", "Examples", (part) => part.size > 0, examplesView],
  ["slices", "Slices", (part) => part.data.slices.length > 0, slicesView],
  ["compare", "Compare", (part) => part.pairs.length > 0, compareView],
  ["curves", "Curves", (part) => part.data.curves.length > 0, curvesView],
  ["ranks", "Ranks", (part) => part.data.ranks.length > 0, ranksView], ["remarks", "Remarks", () => true, remarksView]
];

const FOOT = "This page is complete in itself and sends nothing anywhere.";

// Show a document in an element. Throws an Error with a sentence for the reader if it is no result document.
//   document: parsed JSON
//   tools: a node below the title
//   foot: the last line of the page
// Returns {stop}: to be called before another document is shown in its place.
export function mount(root, document_, {tools = null, foot = FOOT} = {}) {
  const model = read(document_);
  const keeper = keepState(location, history, (state) => show(state));
  const context = {
    model,
    get state() {
      return keeper.get();
    },
    get part() {
      return model.parts[Number(keeper.get().part)] ?? model.parts[0];
    },
    href: (change) => write({...keeper.get(), ...change}) || "#",
    change(more, how = "push") {
      keeper.change(more, how);
    },
    // A link was clicked: change the state, unless the click asks for another window. On another tab, the reader begins
    // at its top.
    follow(event, change, how = "push", enters = true) {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
      event.preventDefault();
      const moves = change.tab !== undefined && change.tab !== keeper.get().tab;
      keeper.change(change, how);
      if (moves && enters) {
        panel.focus({preventScroll: true});
        root.scrollIntoView();
      }
    }
  };
  const tabs = h("div", {role: "tablist", "aria-label": "Views", class: "tabs"});
  const panel = h("div", {role: "tabpanel", id: "panel", tabindex: -1});
  const changePart = (value) => context.change({...DEFAULTS, tab: keeper.get().tab, part: value});
  const parts = model.parts.length > 1
    ? select("part", "Metric", model.parts.map((part, index) => [index, part.data.metric]), 0, changePart)
    : null;
  replace(root,
    h("a", {
      class: "skip",
      href: "#panel",
      onclick: (event) => {
        event.preventDefault();
        panel.focus();
      }
    },
      "Skip to the content"),
    head(model), tools, h("nav", {class: "bar", "aria-label": "Views of the result"}, tabs, parts),
    h("main", null, panel),
    h("footer", null, `Made by qassay ${model.document.version ?? ""}. ${foot}`));
  let drawn = {key: "", update: null};

  function show(state) {
    const there = TABS.filter(([, , has]) => has(context.part));
    const [key, , , view] = there.find(([one]) => one === state.tab) ?? there[0];
    const focused = root.contains(document.activeElement) ? document.activeElement.id : "";
    const tag = `${key}\n${state.part}`;
    if (drawn.key !== tag || !drawn.update) {
      drawTabs(there, key);
      if (parts) parts.querySelector("select").value = state.part;
      const made = view(context);
      drawn = {key: tag, update: made?.update ?? null};
      replace(panel, made?.update ? made.node : made);
      panel.setAttribute("aria-labelledby", `tab-${key}`);
    }
    drawn.update?.();
    if (focused && document.activeElement?.id !== focused)
      root.querySelector(`#${CSS.escape(focused)}`)?.focus({preventScroll: true});
  }

  function drawTabs(there, key) {
    replace(tabs,
      there.map(([one, words], place) => h("a", {
        role: "tab",
        id: `tab-${one}`,
        href: context.href({tab: one}),
        "aria-selected": String(one === key),
        "aria-controls": "panel",
        tabindex: one === key ? 0 : -1,
        onclick: (event) => context.follow(event, {tab: one}, "push", false),
        onkeydown: (event) => turn(event, there, place)
      },
                  words)));
  }

  function turn(event, there, place) {
    const to = {ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: there.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const [key] = there[(to + there.length) % there.length];
    keeper.change({tab: key});
    root.querySelector(`#tab-${key}`).focus();
  }

  show(keeper.get());
  const narrow = matchMedia("(max-width:40rem)");
  const redraw = () => {
    drawn = {key: "", update: null};
    show(keeper.get());
  };
  narrow.addEventListener("change", redraw);
  return {
    stop() {
      keeper.stop();
      narrow.removeEventListener("change", redraw);
    }
  };
}

function head(model) {
  const {document: data} = model;
  const names = model.systems.map((system) => system.title);
  const title = data.title ||
    (names.length === 1      ? names[0]
        : names.length === 2 ? `${names[1]} against ${names[0]}`
                             : `${count(names.length)} systems`);
  const facts = [data.gold, ...new Set(model.parts.map((part) => part.data.metric)), data.date].filter(Boolean);
  return h(
    "header", {class: "page-head"}, h("h1", null, h("bdi", null, title)), h("p", {class: "faint"}, facts.join(" · ")));
}
