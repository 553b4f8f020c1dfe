"use strict";
// Interactive charts: a note describes the mark under the mouse, a finger or the keyboard; a legend entry highlights its
// series. A mark is an element of a chart with a title. Charts that are added later work too.
(() => {
  const NEAR = 18; // pixels from the pointer to a mark
  const SERIES = /^(system|kind)-/;
  const STEPS = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
  const charts = new WeakMap(); // svg -> its marks
  let active = null, touched = null, box = null, said = null;

  // --- marks --------------------------------------------------------------------------------------------------------

  // Titles are removed, so that the browser does not show them too.
  function prepare(svg) {
    if (charts.has(svg)) return charts.get(svg);
    const marks = [];
    for (const title of svg.querySelectorAll("title")) {
      const element = title.parentNode;
      if (element.localName === "text") continue;
      const isLine = element.classList.contains("curve");
      if (!isLine) title.remove();
      if (!isLine || element.closest("a")) {
        marks.push({svg, element, link: element.closest("a"), text: title.textContent});
      }
    }
    charts.set(svg, marks);
    if (!marks.length) return marks;
    const links = marks.filter(mark => mark.link);
    links.forEach((mark, place) => mark.link.setAttribute("tabindex", place ? "-1" : "0"));
    if (!links.length) svg.setAttribute("tabindex", "0");
    return marks;
  }

  function prepareAll() {
    document.querySelectorAll("svg.chart[aria-label]").forEach(prepare);
  }

  // How far a point is from a mark, the size of the mark, and how far the point is from its centre: the smallest mark below
  // the pointer is selected, of marks of one size the closest.
  function distance(mark, x, y) {
    const at = mark.element.getBoundingClientRect();
    const far = Math.hypot(Math.max(at.left - x, 0, x - at.right), Math.max(at.top - y, 0, y - at.bottom));
    return [far, Math.round(at.width * at.height), Math.hypot(at.left + at.width / 2 - x, at.top + at.height / 2 - y)];
  }

  function nearest(marks, x, y) {
    let best = null, least = [NEAR, Infinity, Infinity];
    for (const mark of marks) {
      const own = distance(mark, x, y), place = own.findIndex((value, place) => value !== least[place]);
      if (place >= 0 && own[place] < least[place]) [best, least] = [mark, own];
    }
    return best;
  }

  // --- the note -----------------------------------------------------------------------------------------------------

  function show(mark) {
    if (mark === active) return;
    hide();
    if (!mark) return;
    active = mark;
    mark.element.classList.add("on");
    if (!box) {
      box = document.createElement("div");
      box.className = "readout";
      box.setAttribute("aria-hidden", "true");
    }
    const cut = mark.text.indexOf(": ");
    const name = document.createElement("strong");
    name.textContent = cut < 0 ? mark.text : mark.text.slice(0, cut);
    box.replaceChildren(name, ...(cut < 0 ? [] : [mark.text.slice(cut + 2)]));
    if (mark.link) {
      const more = document.createElement("span");
      more.textContent = "Show the examples";
      box.append(more);
    }
    box.style.fontFamily = getComputedStyle(mark.svg).fontFamily;
    document.body.append(box);
    place(mark.element.getBoundingClientRect());
  }

  // Above the mark, or below it without room above; always inside the window.
  function place(at) {
    const {width, height} = box.getBoundingClientRect();
    const left = Math.min(Math.max(at.left + at.width / 2 - width / 2, 6), document.documentElement.clientWidth - width - 6);
    const above = at.top - height - 8;
    box.style.left = `${Math.max(left, 6)}px`;
    box.style.top = `${above < 6 ? at.bottom + 8 : above}px`;
  }

  function hide() {
    if (!active) return;
    active.element.classList.remove("on");
    active = null;
    box.remove();
  }

  // A chart without links is one image for screen readers; its marks are announced as the arrow keys reach them.
  function tell(text) {
    if (!said) {
      said = document.createElement("div");
      said.className = "readout-said";
      said.setAttribute("role", "status");
      document.body.append(said);
    }
    said.textContent = text;
  }

  function highlight(svg, entry) {
    const series = entry && [...entry.classList].find(name => SERIES.test(name));
    for (const group of svg.querySelectorAll("g[class]")) {
      const own = [...group.classList].find(name => SERIES.test(name));
      group.classList.toggle("dim", Boolean(series && own && own !== series));
    }
  }

  // --- mouse and touch ----------------------------------------------------------------------------------------------

  const chartAt = target => (target instanceof Element ? target.closest("svg.chart[aria-label]") : null);
  const entryAt = (svg, {clientX: x, clientY: y}) => [...svg.querySelectorAll(".entry")].find(entry => {
    const at = entry.getBoundingClientRect();
    return x >= at.left && x <= at.right && y >= at.top && y <= at.bottom;
  });
  let lit = null, drawn = 0;

  function point(event) {
    const svg = chartAt(event.target);
    if (lit && lit !== svg) highlight(lit, null);
    lit = svg;
    if (!svg) {
      if (active && !active.svg.contains(document.activeElement)) hide();
      return;
    }
    const entry = entryAt(svg, event);
    highlight(svg, entry);
    show(entry ? null : nearest(prepare(svg), event.clientX, event.clientY));
  }

  document.addEventListener("pointermove", event => {
    if (event.pointerType === "touch") return;
    cancelAnimationFrame(drawn);
    drawn = requestAnimationFrame(() => point(event));
  }, {passive: true});
  document.addEventListener("pointerdown", event => {
    touched = event.pointerType === "touch" ? {before: active} : null;
    if (touched) point(event);
  }, {passive: true});
  // A click beside a small mark selects it; the first touch of a mark only shows its note.
  document.addEventListener("click", event => {
    const svg = chartAt(event.target);
    if (!svg || !event.isTrusted || !event.detail || entryAt(svg, event)) return;
    const mark = nearest(prepare(svg), event.clientX, event.clientY);
    if (!mark || !mark.link) return;
    if (touched && touched.before !== mark) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.target.closest("a") !== mark.link) {
      event.preventDefault();
      event.stopPropagation();
      mark.link.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, view: window}));
    }
  }, true);
  // A mark that the keyboard has reached is often scrolled to: its note goes with it.
  document.addEventListener("scroll", () => {
    if (!active) return;
    if (active.svg.contains(document.activeElement)) place(active.element.getBoundingClientRect());
    else hide();
  }, {passive: true, capture: true});
  document.documentElement.addEventListener("pointerleave", () => active && hide());

  // --- keyboard -----------------------------------------------------------------------------------------------------

  document.addEventListener("focusin", event => {
    const svg = chartAt(event.target);
    if (!svg) return hide();
    if (!event.target.matches(":focus-visible")) return;
    const marks = prepare(svg);
    show(marks.find(mark => mark.link && mark.link === event.target) || (event.target === svg ? marks[0] : null));
  });
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") return hide();
    const svg = chartAt(event.target);
    if (!svg || event.altKey || event.ctrlKey || event.metaKey) return;
    const marks = prepare(svg), reached = marks.some(mark => mark.link) ? marks.filter(mark => mark.link) : marks;
    if (!reached.length) return;
    const last = reached.length - 1;
    const focused = reached.findIndex(mark => mark.link && mark.link === document.activeElement);
    const now = focused < 0 ? reached.indexOf(active) : focused;
    const next = {Home: 0, End: last}[event.key] ?? (event.key in STEPS ? now + STEPS[event.key] : -1);
    if (!(event.key in STEPS) && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    const mark = reached[Math.min(Math.max(next, 0), last)];
    if (mark.link) {
      reached.forEach(one => one.link.setAttribute("tabindex", one === mark ? "0" : "-1"));
      mark.link.focus();
    } else {
      tell(mark.text);
    }
    show(mark);
  });

  let waiting = false;
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (active && !active.element.isConnected) hide();
      prepareAll();
    });
  }).observe(document.documentElement, {childList: true, subtree: true});
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", prepareAll);
  else prepareAll();
})();
