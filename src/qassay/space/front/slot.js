// A slot of the form: files that are chosen, dropped or pasted, each with its problem, if any.

import {h, replace} from "./dom.js";
import {sizeText} from "./files.js";

// Returns {node, input, files(), problem()}; `changed` is called after each change.
export function makeSlot({id, title, hint, several, mostBytes, changed}) {
  let files = [];
  const list = h("ul", {class: "chosen", id: `${id}-files`});
  const input = h("input", {
    type: "file",
    id,
    class: "sr",
    multiple: several,
    "aria-describedby": `${id}-files`,
    onchange: () => {
      add([...input.files]);
      input.value = "";
    }
  });
  const node = h("div", {class: "slot", role: "group", "aria-labelledby": `${id}-title`},
    h("p", {class: "slot-title", id: `${id}-title`}, title),
    h("p", {class: "slot-choose"}, input,
      h("label", {htmlFor: id, class: "way"}, several ? "Choose files" : "Choose a file"), h("span", {class: "faint"}, hint)),
    list);

  function add(more) {
    if (!more.length) return;
    const isNew = (file) => !files.some((one) => one.name === file.name && one.size === file.size &&
                                           one.lastModified === file.lastModified);
    files = several ? [...files, ...more.filter(isNew)] : more.slice(-1);
    show();
  }

  function show() {
    replace(list, files.map((file) => h("li", {class: fault(file) ? "wrong" : null},
                              h("bdi", null, file.name), h("span", {class: "faint"}, ` ${sizeText(file.size)} `),
                              fault(file) && h("span", {role: "alert"}, `${fault(file)} `),
                              h("button", {
                                type: "button",
                                class: "small",
                                "aria-label": `Remove ${file.name}`,
                                onclick: () => {
                                  files = files.filter((one) => one !== file);
                                  show();
                                  input.focus();
                                }
                              },
                                "Remove"))));
    changed();
  }

  function fault(file) {
    if (file.size > mostBytes)
      return `is too large: at most ${sizeText(mostBytes)}. Give a part of it, or use the command line.`;
    return file.size ? "" : "is empty.";
  }

  node.addEventListener("dragover", (event) => {
    event.preventDefault();
    node.classList.add("over");
  });
  node.addEventListener("dragleave", () => node.classList.remove("over"));
  node.addEventListener("drop", (event) => {
    event.preventDefault();
    node.classList.remove("over");
    add([...event.dataTransfer.files]);
  });
  node.addEventListener("paste", (event) => {
    const {clipboardData: data} = event;
    const text = data.getData("text/plain");
    if (data.files.length) add([...data.files]);
    else if (text.trim()) add([new File([text], `pasted-${files.length + 1}.txt`, {lastModified: Date.now()})]);
    else return;
    event.preventDefault();
  });
  return {
    node,
    input,
    files: () => files,
    problem: () => {
      const wrong = files.find(fault);
      return wrong ? `${wrong.name} ${fault(wrong)}` : "";
    }
  };
}
