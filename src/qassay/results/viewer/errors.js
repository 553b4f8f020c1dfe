// Kinds of errors: a bar of shares per system, whose parts lead to their examples.

import {wholeBar} from "./charts.js";
import {h, link, name} from "./dom.js";
import {count, share} from "./format.js";
import {EXAMPLES} from "./state.js";

export function kindRows(context, systems) {
  const {part} = context;
  const counts = part.data.kinds.counts;
  const used = part.kinds.filter((kind) => systems.some((system) => counts[system.name]?.[kind.name]));
  return h("div", {class: "parts"}, systems.map((system) => {
    const n = Object.values(counts[system.name] ?? {}).reduce((sum, one) => sum + one, 0);
    return [
      h("p", {class: "whole-head"}, name(system.title), h("span", {class: "faint"}, `n = ${count(n)}`)),
      wholeBar(used.map((kind) => {
        const found = counts[system.name]?.[kind.name] ?? 0;
        const to = {...EXAMPLES, system: system.name, other: "", kind: kind.name};
        return {
          n: found,
          class: kind.class,
          label: kind.name,
          text: share(found, n),
          link: (attributes, text) => kindLink(context, to, attributes, text)
        };
      }),
        n)
    ];
  }),
    h("ul", {class: "key kinds-key"},
      used.map((kind) => h("li", {title: kind.meaning || null}, h("i", {class: `swatch ${kind.class}`}), kind.name))));
}

// A piece of a bar as a link to its examples.
export function kindLink(context, to, attributes, text) {
  const node = link(context, to, text);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

// A table of kinds: a bar and a count per system.
export function kindTable(context, systems) {
  const {part} = context;
  const counts = part.data.kinds.counts;
  const most = Math.max(1, ...systems.flatMap((system) => Object.values(counts[system.name] ?? {})));
  const cell = (system, kind) => {
    const found = counts[system.name]?.[kind.name] ?? 0;
    const bar = h("i", {class: kind.class});
    bar.style.width = `${(100 * found) / most}%`;
    return h("td", {class: "drawn"},
      h("div", {class: "count"}, h("span", {class: "track"}, bar),
        found ? link(context, {
          ...EXAMPLES,
          system: system.name,
          other: systems.find((one) => one !== system)?.name ?? "",
          kind: kind.name
        },
                count(found))
            : "0"));
  };
  return h("table", {class: "kinds"},
    h("caption", {class: "faint"},
      `${context.model.nouns[0].toUpperCase()}${context.model.nouns.slice(1)} by kind, best first`),
    h("thead", null,
      h("tr", null, h("th", {scope: "col"}, "Kind"),
        systems.map((system) => h("th", {scope: "col"}, h("i", {class: `dot ${system.class}`}), name(system.title))))),
    h("tbody", null,
      part.kinds.filter((kind) => systems.some((system) => counts[system.name]?.[kind.name]))
        .map((kind) => h("tr", null, h("th", {scope: "row", title: kind.meaning || null}, kind.name),
               systems.map((system) => cell(system, kind))))));
}
