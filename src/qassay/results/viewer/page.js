// A page that holds its document: shows it, or says what is wrong with it.

import {h, replace} from "./dom.js";
import {mount} from "./main.js";

const root = document.getElementById("viewer");
try {
  mount(root, JSON.parse(document.getElementById("result").textContent));
} catch (error) {
  replace(root, h("main", null, h("h1", null, "This result cannot be shown"), h("p", null, error.message)));
  throw error;
}
