// The state of the page in its address: #tab=examples&system=a&slice=..., with Back and Forward.

// What the address may hold, and what holds where it is silent.
export const DEFAULTS = Object.freeze({
  tab: "answer",  // answer, examples, slices, compare, curves, ranks, remarks
  part: "0",      // of a document with several metrics
  system: "",     // whose examples, errors and curves are shown
  other: "",      // the system that it is compared with
  measure: "",    // the leading one
  kind: "",       // a kind of error; "errors": all that are not right
  slice: "",      // grouping and group
  versus: "",     // better, worse, equal, only, lost, both, neither: against the other system
  low: "",        // the least value of the measure
  high: "",       // the largest
  text: "",       // in any text of an example
  ids: "",        // a remark whose examples are shown
  sort: "",       // a column, "-" before it: descending
  example: "",    // the id of the open one
  group: "",      // the grouping of the tab Slices
  curve: "",      // the open curve
  threshold: "",  // of the slider
  rankslice: "",  // of the tab Ranks: the slice, the order of the board, a part of names
  ranksort: "",
  rankname: "",
  first: "",  // of the tab Compare: the system whose value is subtracted
  second: ""  // and the system from whose value
});

// Examples without a filter: the start of a link to some of them.
export const EXAMPLES = Object.freeze({
  tab: "examples",
  measure: "",
  kind: "",
  slice: "",
  versus: "",
  low: "",
  high: "",
  text: "",
  ids: "",
  sort: "",
  example: ""
});

// The state that an address holds; unknown names are left out.
export function parse(hash) {
  const state = {...DEFAULTS};
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (Object.hasOwn(DEFAULTS, key)) state[key] = value;
  }
  return state;
}

// The address of a state, without what it holds anyway.
export function write(state) {
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(DEFAULTS)) {
    if (state[key] !== undefined && String(state[key]) !== value) parts.set(key, state[key]);
  }
  return `#${parts}`;
}

export function isSame(one, other) {
  return write(one) === write(other);
}

const PAUSE = 400;  // milliseconds without a change, after which sliders and typing reach the address

// Keeps the state in memory, which is the truth; the address follows it.
export function keepState(place, history, show) {
  let state = parse(place.hash);
  let waiting = null;
  const put = (how) => {
    clearTimeout(waiting);
    waiting = null;
    try {
      history[how](null, "", write(state) === "#" ? place.pathname + place.search : write(state));
    } catch {
      // A browser refuses too many changes in a short time, or any of a page without an address: the page works without.
    }
  };
  const stops = new AbortController();
  const goBack = () => {
    clearTimeout(waiting);
    waiting = null;
    const next = parse(place.hash);
    if (isSame(next, state)) return;
    state = next;
    show(state);
  };
  addEventListener("popstate", goBack, {signal: stops.signal});
  return {
    get: () => state,
    stop: () => stops.abort(),
    // Change some of the state. "push": Back undoes it; "soft": changes in a short time, of typing, share one entry;
    // "quiet": the same of a slider, whose view has changed already; "replace": no entry.
    change(more, how = "push") {
      const next = {...state, ...more};
      if (isSame(next, state)) return;
      if (how === "soft" || how === "quiet") {
        if (waiting === null) put("pushState");  // a copy of the state before the first of them stays behind
        clearTimeout(waiting);
        waiting = setTimeout(() => put("replaceState"), PAUSE);
        state = next;
      } else {
        if (waiting !== null) put("replaceState");
        state = next;
        put(how === "push" ? "pushState" : "replaceState");
      }
      if (how !== "quiet") show(state);
    }
  };
}
