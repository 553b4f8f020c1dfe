// Elements of the page. Texts become text nodes, so that nothing in a document is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else if (name === "style")
      for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (name === "value" || name === "htmlFor")
      node[name] = value;
    else
      node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
}

// Add children: nodes, texts, or lists of them, however deep; null and false are left out.
export function append(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

// An element of HTML: h("p", {class: "faint"}, "text", h("b", null, "bold")).
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// An element of SVG.
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Put these children in place of what a node holds.
export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

// A name inside a sentence: right-to-left text in it does not reorder the text around it.
export function name(text) {
  return h("bdi", null, text);
}

// A name as the head of a row or column, which wraps only after "_", "-", "/" and ".".
export function breakable(text) {
  const parts = String(text).split(/(?<=[_\-/.])(?=[^_\-/.])/);
  return h("bdi", null, parts.map((part, index) => (index ? [h("wbr"), part] : part)));
}

// A link to another state of the page.
export function link(context, change, ...children) {
  return h(
    "a", {class: "go", href: context.href(change), onclick: (event) => context.follow(event, change)}, ...children);
}

// A button or link that looks like a button.
export function way(context, change, ...children) {
  return h(
    "a", {class: "way", href: context.href(change), onclick: (event) => context.follow(event, change)}, ...children);
}

// A labelled select. `options` are [value, text]; a group is [name, options].
export function select(id, label, options, value, onchange) {
  const option = ([key, text]) => h("option", {value: key, selected: String(key) === String(value)}, text);
  const items =
    options.map((one) => (Array.isArray(one[1]) ? h("optgroup", {label: one[0]}, one[1].map(option)) : option(one)));
  return h("div", {class: "field"}, h("label", {htmlFor: id}, label),
    h("select", {id, onchange: (event) => onchange(event.target.value)}, items));
}

// A section with its heading.
export function section(heading, ...children) {
  return h("section", null, h("h2", null, heading), ...children);
}

// Children folded under a summary; made when they are opened first.
export function fold(summary, make) {
  const box = h("details", null, h("summary", null, summary));
  box.addEventListener("toggle", () => append(box, make()), {once: true});
  return box;
}

// Whether the window is as narrow as a phone.
export function isNarrow() {
  return matchMedia("(max-width:40rem)").matches;
}

// A section that folds on a phone.
export function lesserSection(heading, make) {
  return isNarrow() ? fold(heading, make) : section(heading, make());
}

// A table in a box that scrolls by mouse, finger and keyboard. `heads` are texts or nodes; a row begins with its head.
export function table(caption, heads, rows, kind = "") {
  const head = (content, index) => h("th", {scope: "col", class: index ? null : "first"}, content);
  const cell = (content) => (content instanceof HTMLTableCellElement ? content : h("td", null, content));
  return h("div", {class: `scroll ${kind}`, role: "group", "aria-label": text(caption), tabindex: 0},
    h("table", null, h("caption", null, caption), h("thead", null, h("tr", null, heads.map(head))),
      h("tbody", null,
        rows.map(([first, ...cells]) => h("tr", null,
                   first instanceof HTMLTableCellElement ? first : h("th", {scope: "row"}, first), cells.map(cell))))));
}

// The plain text of texts and nodes.
export function text(...children) {
  return children.flat(Infinity).map((child) => (child instanceof Node ? child.textContent : (child ?? ""))).join("");
}
