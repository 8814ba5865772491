// The journal in words: the newest input first, with all that it caused below it.

import { atMostEvery, el, put, setText } from "./dom.js";
import { clockTime, exactTime } from "./times.js";
import { causeOf, outputText, sentence } from "./words.js";
import { isOutcome } from "./world.js";

// Inputs that are shown.
const MOST_LOGGED = 120;
// Milliseconds between two additions.
const WRITE_PAUSE = 60;

export class Log {
  #world;
  #list = el("ol", { class: "log", reversed: true, tabindex: "0", "aria-label": "Journal, newest first" });
  #entries = new Map();
  #order = [];
  #names;
  #past = null;
  #gap = null;
  #isAll = true;

  constructor(world, { names, onpick }) {
    this.#world = world;
    this.#names = names;
    this.onpick = onpick;
    this.all = el("button", { class: "tool", "aria-pressed": "false", onclick: () => this.toggle() }, "Only shown machines");
    this.element = el("div", { class: "journal" }, el("header", null, el("h2", null, "Journal"), this.all), this.#list);
    // One stop of the Tab key; the arrows go through it.
    this.#list.addEventListener("keydown", (event) => {
      const all = [...this.#list.querySelectorAll("button.when")];
      const place = all.indexOf(document.activeElement);
      const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 }[event.key];
      if (to === undefined || !all[to]) return;
      event.preventDefault();
      all[to].focus();
    });
    this.#flush = atMostEvery(WRITE_PAUSE, () => this.#write());
  }

  #newest = null;
  #flush;
  #waiting = [];

  toggle() {
    this.#isAll = !this.#isAll;
    this.all.setAttribute("aria-pressed", String(!this.#isAll));
    this.rebuild();
  }

  #takes(line) {
    return line.what !== "gap" && (this.#isAll || line.name === "-" || this.#names().includes(line.name));
  }

  // Takes a line that came now.
  add(line) {
    if (line.what === "clock" || !this.#takes(line)) return;
    this.#waiting.push(line);
    // More than are shown need not be made.
    if (this.#waiting.length > 3 * MOST_LOGGED) this.#waiting.splice(0, this.#waiting.length - 2 * MOST_LOGGED);
    this.#flush();
  }

  // Says that something is missing here.
  addGap(text) {
    this.#waiting.push({ gap: text });
    this.#flush();
  }

  rebuild() {
    this.#waiting = [];
    this.#entries.clear();
    this.#order = [];
    this.#newest = null;
    put(this.#list);
    const lines = this.#world.journal.lines.filter((line) => this.#takes(line));
    const seqs = [...new Set(lines.map((line) => line.seq))].slice(-MOST_LOGGED);
    const first = seqs[0] ?? 0;
    this.#waiting = lines.filter((line) => line.seq >= first);
    this.#write();
  }

  #write() {
    for (const line of this.#waiting) this.#append(line);
    this.#waiting = [];
    while (this.#order.length > MOST_LOGGED) {
      const key = this.#order.shift();
      this.#entries.get(key)?.element.remove();
      this.#entries.delete(key);
    }
    this.#markPast();
  }

  #append(line) {
    if (line.gap) {
      const key = Symbol("gap");
      const element = el("li", { class: "gap" }, line.gap);
      this.#entries.set(key, { element });
      this.#order.push(key);
      this.#list.prepend(element);
      return;
    }
    // The wires of a composition are made with it: they are counted.
    if (line.what === "wired" && this.#newest?.t === line.t && (this.#newest.what === "created" || this.#newest.wires)) {
      const entry = this.#newest;
      if (!entry.wires) entry.effects.append((entry.counter = el("li", { class: "wired" })));
      entry.wires = (entry.wires ?? 0) + 1;
      setText(entry.counter, entry.wires === 1 ? `a wire: ${sentence(line)}` : `${entry.wires} wires`);
      return;
    }
    let entry = this.#entries.get(line.seq);
    if (!entry) {
      const effects = el("ul", { class: "effects" });
      const head = el("div", { class: "head" });
      const element = el("li", { "data-seq": line.seq, class: line.undone === undefined ? null : "undone-input" },
        this.#when(line), head, effects);
      entry = { element, head, effects, isHeaded: false, t: line.t, what: line.what };
      this.#newest = entry;
      this.#entries.set(line.seq, entry);
      this.#order.push(line.seq);
      this.#list.prepend(element);
    }
    const isHead = isOutcome(line.what) || !["output", "told", "armed", "disarmed", "expired"].includes(line.what);
    if (isHead && !entry.isHeaded) {
      entry.isHeaded = true;
      entry.element.classList.add(line.what);
      put(entry.head, headline(line));
    } else if (line.what !== "expired") {
      entry.effects.append(el("li", { class: line.what }, isHead ? sentence(line) : effect(line)));
    }
  }

  // The time of an input, which leads to that moment.
  #when({ t, seq }) {
    const title = `${exactTime(t)} · input ${seq}: show this moment`;
    return el("button", { class: "when", tabindex: "-1", title, onclick: () => this.onpick(seq) }, clockTime(t));
  }

  // Marks the moment that is looked at; null for now.
  showPast(seq) {
    this.#past = seq;
    if (seq !== null && !this.#entries.has(seq)) this.rebuild();
    this.#markPast();
    this.#entries.get(seq)?.element.scrollIntoView({ block: "nearest" });
  }

  #markPast() {
    for (const [seq, { element }] of this.#entries) {
      element.classList.toggle("moment", seq === this.#past);
      element.classList.toggle("later", this.#past !== null && typeof seq === "number" && seq > this.#past);
    }
  }
}

// An outcome with its machine, event and states told apart.
function headline(line) {
  const cause = causeOf(line);
  const name = el("b", null, line.name);
  if (line.what === "moved") {
    const [from, to] = [line.from, line.to].map((state) => el("span", { class: "state" }, state));
    const change = el("span", { class: "change" }, from, el("span", { "aria-label": "to" }, " → "), to);
    return [name, " ", el("span", { class: "cause" }, cause.text), " ", change];
  }
  if (isOutcome(line.what)) {
    const told = { stayed: "stays in", ignored: "ignored in", refused: "refused in" }[line.what];
    return [name, " ", el("span", { class: "cause" }, cause.text), ` ${told} `, el("span", { class: "state" }, line.state)];
  }
  return [sentence(line)];
}

function effect(line) {
  switch (line.what) {
    case "output":
      return [el("span", { "aria-hidden": "true" }, "↗ "), `emits ${outputText(line)}`];
    case "told":
      return [el("span", { "aria-hidden": "true" }, "↗ "), `tells ${outputText(line)}`];
    case "armed":
      return [el("span", { "aria-hidden": "true" }, "◷ "), `starts ${line.timer}, due ${clockTime(line.due)}`];
    case "disarmed":
      return [el("span", { "aria-hidden": "true" }, "◷ "), `stops ${line.timer}`];
    default:
      return sentence(line);
  }
}

