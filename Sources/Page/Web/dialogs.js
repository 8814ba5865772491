// Dialogs: a new machine, a file that was dropped, what the keys do.

import { el, put, setText } from "./dom.js";
import { Field } from "./fields.js";
import { isName, line } from "./requests.js";
import { faultOf } from "./words.js";

// Opens a dialog and gives it; it goes when it is closed.
function openDialog(title, ...children) {
  const dialog = el("dialog", { "aria-label": title }, el("header", null, el("h2", null, title),
    el("button", { class: "tool", "aria-label": "Close", onclick: () => dialog.close() }, "×")), ...children);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Asks for a kind, a name and parameters, and makes the machine.
export async function openNew(page, { wanted, onmade }) {
  const kinds = await page.kinds.all();
  const kindField = el("select", { id: "new-kind" });
  const search = el("input", { type: "search", id: "new-search", placeholder: "a word of its name or description", autocomplete: "off" });
  // The groups, with the kinds that have the word that is searched.
  const list = () => {
    const word = search.value.trim().toLowerCase();
    const chosen = kindField.value || wanted;
    put(kindField, [...kinds].map(([group, alike]) => [group, alike.filter(({ name, text }) => `${name} ${text}`.toLowerCase().includes(word))])
      .filter(([, alike]) => alike.length)
      .map(([group, alike]) => el("optgroup", { label: group }, alike.map(({ name }) => el("option", { value: name, selected: name === chosen }, name)))));
  };
  list();
  const about = el("p", { class: "about" });
  const fault = el("p", { class: "fault", role: "alert" });
  const nameField = new Field({ name: "name", allowed: "", text: "The name of the machine", onchange: () => isReady() });
  const parameters = el("div", { class: "parameters" });
  const make = el("button", { class: "primary", type: "submit", disabled: true }, "Make it");
  let fields = [];
  let isTyped = false;
  const isReady = () => {
    const good = isName(nameField.value) && fields.every((field) => field.isInitial || field.check(false));
    setText(nameField.fault, nameField.value === "" || isName(nameField.value) ? "" : "letters, digits, . _ or -, a letter first");
    make.disabled = !good;
  };
  nameField.input.addEventListener("input", () => (isTyped = true));
  const choose = async () => {
    make.disabled = true;
    if (!kindField.value) return setText(about, "No kind has this word.");
    const kind = await page.kinds.describe(kindField.value);
    setText(about, kind.text);
    fields = kind.parameters.map((parameter) => new Field({ ...parameter, onchange: () => isReady() }));
    const isOpen = fields.length < 4 || fields.some((field) => field.initial === undefined);
    const count = fields.length === 1 ? "a parameter" : `${fields.length} parameters`;
    const all = el("details", { open: isOpen }, el("summary", null, count), fields.map((field) => field.element));
    put(parameters, fields.length ? all : []);
    if (!isTyped) nameField.input.value = freeName(kindField.value, page.world);
    isReady();
  };
  kindField.addEventListener("change", choose);
  search.addEventListener("input", () => {
    list();
    choose();
  });
  const dialog = openDialog("A new machine", el("form", { onsubmit: async (event) => {
    event.preventDefault();
    if (make.disabled) return;
    const given = fields.filter((field) => !field.isInitial && !field.isLeftOut && field.value !== "");
    const text = line(["new", kindField.value, nameField.value], Object.fromEntries(given.map((field) => [field.name, field.value])));
    const answer = await page.source.request(text);
    if (!answer.ok) return setText(fault, faultOf(answer));
    dialog.close();
    onmade(nameField.value);
  } }, el("div", { class: "field" }, el("label", { for: "new-search" }, "search"), search, el("label", { for: "new-kind" }, "kind"), kindField), about, nameField.element, parameters, fault, make));
  if (!kinds.size) setText(fault, "There are no kinds.");
  else await choose();
}

function freeName(kind, world) {
  const stem = kind.replace(/[^A-Za-z0-9._-]/g, "");
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stem : `${stem}${number}`;
    if (!world.machines.has(name) && ![...world.machines.keys()].some((other) => other.startsWith(`${name}.`))) return name;
  }
}

// The formats of documents by the endings of their files.
const FORMATS = {
  scxml: "scxml", xml: "scxml", mmd: "mermaid", mermaid: "mermaid", puml: "plantuml", plantuml: "plantuml", pu: "plantuml",
  iuml: "plantuml", wsd: "plantuml", json: "xstate",
};

// Defines a kind by a file, and shows what was found in it.
export async function openFile(page, file, { onmade }) {
  const [, stem, ending] = /^(.*?)\.?([^.]*)$/.exec(file.name);
  const format = FORMATS[ending.toLowerCase()];
  if (!format) {
    page.say(`${file.name} is no statechart: its name ends with none of .scxml, .mmd, .puml and .json`);
    return;
  }
  const kind = (stem || "machine").replace(/[^A-Za-z0-9._-]/g, "").replace(/^[^A-Za-z]+/, "") || "machine";
  const text = await file.text();
  const { ok, reply, data } = await page.source.request(line(["define", kind], { format }), text);
  page.kinds.forget();
  const findings = data.map(({ place = "", severity = "", text = "" }) => ({ place, sort: severity, text }));
  if (ok && !findings.length) return openNew(page, { wanted: kind, onmade });
  const dialog = openDialog(ok ? `${file.name}: defined, with remarks` : `${file.name}: not defined`,
    reply.text && !ok ? el("p", null, reply.text) : null,
    el("ul", { class: "findings" }, findings.map(({ place, sort, text: told }) =>
      el("li", { class: sort }, el("b", null, `${place} ${sort}`), ` ${told}`))),
    ok ? el("button", { class: "primary", onclick: () => {
      dialog.close();
      openNew(page, { wanted: kind, onmade });
    } }, "Make a machine of it") : null);
}

// Lists what keys do.
export function openHelp(keys) {
  const rows = keys.map(([key, text]) =>
    el("div", null, el("dt", null, key.split(" ").map((part) => el("kbd", null, part))), el("dd", null, text)),
  );
  openDialog("Keys", el("dl", { class: "keys" }, rows));
}
