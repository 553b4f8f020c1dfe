// The form: two slots, four settings, the rest under "More", and the button with its messages.

import {h, replace, select} from "./dom.js";
import {sizeText} from "./files.js";
import {isFamily, optionsText, presetsOf} from "./options.js";
import {makeSlot} from "./slot.js";

const ROLES = "For unusual column names, one ROLE=NAME per line: predictions=answer, references=gold, ids=qid";
const MORE = "One name=value per line: names=BERT,T5 · measures=exact_match,f1 · by=topic · seed=1 · options of the metric";

// Returns {node, call(), say(text), fail(text), busy(stop), fold(open)}. `call()` returns the files and options to score, and
// throws an Error with a sentence for the visitor.
export function makeForm(settings, {submit, openSample, openFile}) {
  const slots = {
    gold: makeSlot({
      id: "gold",
      title: "Gold file",
      hint: "correct answers, judgements or labels",
      several: false,
      mostBytes: settings.most_bytes,
      changed: () => quiet()
    }),
    systems: makeSlot({
      id: "systems",
      title: "Systems",
      hint: `predictions of one to ${settings.most_systems} systems`,
      several: true,
      mostBytes: settings.most_bytes,
      changed: () => quiet()
    })
  };
  const presets = h("div", {class: "field"});
  const metrics = [["", "from the files"], ...settings.metrics.map((name) => [name, name])];
  const metric = select("metric", "Metric", metrics, settings.metric, () => showPresets());
  const confidence = field("confidence", "Confidence", {type: "number", min: 0.5, max: 0.999, step: "any", placeholder: "0.95"});
  const groups = field("groups", "Group by", {placeholder: "every example by itself"});
  const groupsHint = h("datalist", {id: "groups-known"}, ["article", "paragraph"].map((value) => h("option", {value})));
  groups.querySelector("input").setAttribute("list", "groups-known");
  const more = h("details", {class: "more"}, h("summary", null, "More"),
    h("div", {class: "fields"}, area("columns", "Columns", ROLES), area("options", "Options", MORE)));
  const button = h("button", {type: "submit", class: "score"}, "Score");
  const stop = h("button", {type: "button", hidden: true}, "Stop");
  const said = h("p", {class: "said-now", role: "status"}), failed = h("p", {class: "failed", role: "alert"});
  const samples = select("sample", "Samples", [["", "Show a sample"], ...settings.samples], "", (name) => {
    node.querySelector("#sample").value = "";
    if (name) openSample(name);
  });
  const opener = h("input", {
    type: "file",
    id: "open",
    class: "sr",
    accept: ".json,.gz,.html",
    onchange: () => {
      const [file] = opener.files;
      opener.value = "";
      if (file) openFile(file);
    }
  });
  const form = h("form", {
    "aria-label": "What to score",
    onsubmit: (event) => {
      event.preventDefault();
      if (button.ariaDisabled !== "true") submit();
    }
  },
    h("div", {class: "slots"}, slots.gold.node, slots.systems.node),
    h("div", {class: "settings"}, metric, presets, confidence, groups, groupsHint), more,
    h("div", {class: "run"}, button, stop, said, failed));
  const box = h("details", {class: "form", open: true}, h("summary", null, "Score your files"), form);
  const node = h("section", {"aria-label": "Files and settings"},
    h("div", {class: "top"}, h("p", {class: "brand"}, h("strong", null, "qassay"), " ",
        h("span", {class: "faint"}, "Which answers are better, where do they fail, and is the difference real?")),
      h("div", {class: "others"}, samples, h("span", {class: "opener"}, opener, h("label", {htmlFor: "open", class: "way"}, "Open a result")))),
    box);

  function showPresets() {
    const chosen = node.querySelector("#metric").value, before = node.querySelector("#preset")?.value ?? "";
    const groupsOf = presetsOf(settings.presets, chosen).map(([name, listed]) =>
      [name, listed.filter((preset) => !isFamily(preset)).map((preset) => [preset, preset])]);
    const known = groupsOf.flatMap(([, listed]) => listed.map(([preset]) => preset));
    const [label, control] = select("preset", "Preset", [["", "the usual rules"], ...groupsOf], known.includes(before) ? before : "", () => {}).children;
    replace(presets, label, control);
  }

  function quiet() {
    failed.textContent = "";
  }

  showPresets();
  const value = (id) => node.querySelector(`#${id}`).value.trim();
  return {
    node,
    call() {
      const [gold] = slots.gold.files(), systems = slots.systems.files();
      const problem = slots.gold.problem() || slots.systems.problem();
      if (problem) throw new Error(problem);
      if (!gold) {
        slots.gold.input.focus();
        throw new Error("Choose the gold file first: the correct answers, judgements or labels.");
      }
      const bytes = [gold, ...systems].reduce((sum, file) => sum + file.size, 0);
      if (bytes > settings.most_together || systems.length >= settings.most_files) {
        throw new Error(`These are ${systems.length + 1} files with ${sizeText(bytes)}; the server takes at most ` +
          `${settings.most_files} with ${sizeText(settings.most_together)}. Leave some out, or use the command line.`);
      }
      const chosen = {};
      for (const name of ["metric", "preset", "confidence", "groups"]) chosen[name] = value(name);
      return {gold, systems, options: optionsText(chosen, value("columns"), value("options"))};
    },
    say(text) {
      said.textContent = text;
    },
    fail(text) {
      said.textContent = "";
      failed.textContent = text;
      if (text) box.open = true;
    },
    // Shows that scoring is running, until `busy(null)`.
    busy(stopIt) {
      button.ariaDisabled = String(stopIt !== null);  // not disabled: it keeps the focus of the keyboard
      if (document.activeElement === stop) button.focus();
      stop.hidden = stopIt === null;
      stop.onclick = stopIt;
      if (stopIt) quiet();
    },
    fold(open) {
      box.open = open;
    }
  };
}

function field(id, label, attributes) {
  return h("div", {class: "field"}, h("label", {htmlFor: id}, label), h("input", {id, ...attributes}));
}

function area(id, label, hint) {
  return h("div", {class: "field"}, h("label", {htmlFor: id}, label),
    h("textarea", {id, rows: 3, spellcheck: "false", "aria-describedby": `${id}-hint`}),
    h("p", {class: "faint", id: `${id}-hint`}, hint));
}
