// A table of any number of rows, of which only those in sight exist. All rows have one height.

import {h, replace} from "./dom.js";

const BEYOND = 8;  // rows that exist above and below those in sight

// The rows [first, end) that exist for a position of scrolling.
export function range(top, height, rowHeight, size) {
  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  return [Math.min(first, size), Math.min(size, Math.ceil((top + height) / rowHeight) + BEYOND)];
}

// Where the top must be for a row to be in sight: unchanged where it is.
export function topFor(index, top, height, rowHeight) {
  if (index * rowHeight < top) return index * rowHeight;
  return Math.max(top, (index + 1) * rowHeight - height);
}

// The table.
//   caption: its name
//   columns: [{key, head, class, sort}]; sort: whether the head sorts
//   cells: index -> the content of its cells, the first being the head of the row
//   open, sort: called with the index of a row, with the key of a column
export function virtualTable({caption, columns, cells, open, sort}) {
  const above = h("tbody", {"aria-hidden": "true"}, h("tr", null, h("td", {class: "space"})));
  const below = above.cloneNode(true);
  const body = h("tbody");
  const heads =
    columns.map(({key, head, class: kind, sort: sorts}) => h("th", {scope: "col", class: kind},
                  sorts ? h("button", {type: "button", id: `sort-${key}`, onclick: () => sort(key)}, head) : head));
  const whole = h("table", {class: "examples-table"}, h("caption", {class: "sr"}, caption),
    h("thead", null, h("tr", null, heads)), above, body, below);
  const box = h("div", {class: "examples", role: "group", "aria-label": caption, tabindex: 0}, whole);
  let size = 0, at = -1, drawn = "", rowHeight = 44;

  function draw(force = false) {
    const [first, end] = range(box.scrollTop, box.clientHeight || 400, rowHeight, size);
    if (!force && drawn === `${first}-${end}`) return;
    drawn = `${first}-${end}`;
    const rows = [];
    for (let index = first; index < end; index++) {
      const row = cells(index).map((content, place) => {
        const kind = columns[place].class ?? null;
        return place ? h("td", {class: kind}, h("div", null, content))
                     : h("th", {scope: "row", class: kind}, h("div", null, content));
      });
      rows.push(h("tr", {
        class: index === at ? "here" : null,
        "aria-rowindex": index + 2,
        onclick: (event) => event.target.closest("a,button") || open(index)
      },
        row));
    }
    replace(body, rows);
    above.firstChild.firstChild.style.height = `${first * rowHeight}px`;
    below.firstChild.firstChild.style.height = `${(size - end) * rowHeight}px`;
    above.hidden = first === 0;
    below.hidden = end === size;
  }

  box.addEventListener("scroll", () => draw(), {passive: true});
  return {
    node: box,
    // Show rows 0 to size, one of them open (-1: none); `sorted` is the key of a column, with "-" before it: descending.
    show(newSize, open_, sorted, toTop) {
      size = newSize;
      at = open_;
      whole.setAttribute("aria-rowcount", size + 1);
      columns.forEach(({key, sort: sorts}, place) => {
        if (!sorts) return;
        const order = sorted === key ? "ascending" : sorted === `-${key}` ? "descending" : null;
        if (order)
          heads[place].setAttribute("aria-sort", order);
        else
          heads[place].removeAttribute("aria-sort");
      });
      rowHeight = parseFloat(getComputedStyle(box).getPropertyValue("--row")) || 44;
      if (toTop) box.scrollTop = 0;
      draw(true);
      if (at >= 0) {
        const head = whole.tHead.offsetHeight;
        const top = topFor(at, box.scrollTop, box.clientHeight - head, rowHeight);
        if (top !== box.scrollTop) {
          box.scrollTop = top;
          draw();
        }
      }
    }
  };
}
