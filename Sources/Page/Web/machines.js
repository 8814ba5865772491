// The list of machines: searched and paged by the daemon, so that a world of any size can be looked at.

import { atMostEvery, el, put, setText } from "./dom.js";
import { line } from "./requests.js";
import { inThousands } from "./words.js";
import { machineAt } from "./world.js";

// Machines of one page of the list.
const PAGE = 100;
// The most that are listed; a search finds the others.
const MOST_LISTED = 2000;

export class MachineList {
  #page;
  #onpick;
  #search;
  #list = el("ul", { class: "machines", "aria-label": "Machines" });
  #status = el("p", { class: "count", role: "status" });
  #more;
  #limit = PAGE;
  #rows = new Map();
  #listed = [];
  #shown = new Set();
  #ask;
  #asking = 0;

  constructor(page, { onpick }) {
    this.#page = page;
    this.#onpick = onpick;
    this.#search = el("input", {
      type: "search",
      placeholder: "Search machines",
      "aria-label": "Search machines",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
    });
    this.#more = el("button", { class: "quiet", hidden: true, onclick: () => this.more() }, "Show more");
    this.element = el(
      "nav",
      { class: "list-of-machines", "aria-label": "Machines of this world" },
      el("div", { class: "search" }, this.#search),
      this.#list,
      this.#more,
      this.#status,
    );
    this.#ask = atMostEvery(150, () => this.load());
    this.#search.addEventListener("input", () => {
      this.#limit = PAGE;
      this.#ask();
    });
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") {
        event.preventDefault();
        this.#list.querySelector("button.pick")?.focus();
      } else if (event.key === "Enter") {
        this.#list.querySelector("button.pick")?.click();
      }
    });
    this.#list.addEventListener("keydown", (event) => this.#move(event));
  }

  focus() {
    this.#search.focus();
    this.#search.select();
  }

  get names() {
    return this.#listed.map((entry) => entry.name);
  }

  // The first that can be shown: a composition goes before its members.
  get first() {
    return this.#listed[0]?.name ?? null;
  }

  get pattern() {
    const text = this.#search.value.trim();
    return text === "" ? "*" : /[*?]/.test(text) ? text : `*${text}*`;
  }

  // What it asks for.
  get request() {
    return line(["list", this.pattern], { limit: this.#limit });
  }

  more() {
    this.#limit = Math.min(MOST_LISTED, this.#limit * 3);
    this.load();
  }

  // Asks the daemon for the page of the list, and for how many there are if there are more.
  async load() {
    const asked = (this.#asking += 1);
    const { source, world } = this.#page;
    const listed = await source.request(this.request);
    if (asked !== this.#asking || !listed.ok) return;
    const machines = listed.data.map(({ name, kind, state }) => ({ name, kind, state }));
    for (const { name, kind, state } of machines) world.machines.set(name, { kind, state });
    this.#listed = grouped(machines);
    this.#write();
    const isPart = machines.length === this.#limit;
    this.#more.hidden = !isPart || this.#limit >= MOST_LISTED;
    setText(this.#status, isPart ? "…" : told(machines.length, machines.length));
    if (!isPart) return;
    const counted = await source.request(line(["count", this.pattern]));
    if (asked !== this.#asking || !counted.ok) return;
    const total = counted.data.reduce((sum, { count }) => sum + count, 0);
    setText(this.#status, told(machines.length, total) + (this.#limit >= MOST_LISTED ? "; search for the others" : ""));
  }

  #write() {
    const focused = document.activeElement?.closest?.("li")?.dataset.name;
    this.#rows.clear();
    put(this.#list, this.#listed.map((entry) => this.#row(entry)));
    const none = this.pattern === "*" ? "There are no machines in this world yet." : "No machine has such a name.";
    if (!this.#listed.length) put(this.#list, el("li", { class: "none" }, none));
    this.setShown([...this.#shown]);
    if (this.#past !== null) this.showPast(this.#past);
    const first = this.#list.querySelector(`li[data-name="${CSS.escape(focused ?? "")}"] button.pick`) ?? this.#list.querySelector("button.pick");
    if (first) first.tabIndex = 0;
    if (focused && first) first.focus({ preventScroll: true });
  }

  #row({ name, kind, state, isGroup, depth }) {
    const word = el("span", { class: "state" }, state ?? "");
    const choose = (event) => this.#onpick(name, event.shiftKey || event.ctrlKey || event.metaKey);
    const pick = el(
      "button",
      { class: "pick", tabindex: "-1", "aria-pressed": "false", onclick: choose },
      el("span", { class: "name" }, depth ? name.slice(name.lastIndexOf(".") + 1) : name),
      el("span", { class: "kind" }, kind),
      word,
    );
    const add = { title: "Show beside the others", "aria-label": `Show ${name} beside the others` };
    const onclick = () => this.#onpick(name, true);
    const beside = el("button", { class: "tool beside", tabindex: "-1", ...add, onclick }, "+");
    const row = el("li", { "data-name": name, class: isGroup ? "group" : depth ? "member" : null }, pick, beside);
    this.#rows.set(name, { row, pick, word, state });
    return row;
  }

  // Shows the states of the moment after an input, as far as the journal tells; null for now.
  showPast(seq) {
    this.#past = seq;
    const lines = seq === null ? null : Map.groupBy(this.#page.world.journal.lines, (line) => line.name);
    for (const [name, { word, state }] of this.#rows) {
      if (!state) continue;
      const now = this.#page.world.machines.get(name)?.state ?? state;
      const was = lines && machineAt(lines.get(name) ?? [], name, seq);
      setText(word, was === null ? now : !was.exists ? "not made yet" : was.state ?? now);
    }
  }

  #past = null;

  // Marks those that are shown.
  setShown(names) {
    this.#shown = new Set(names);
    for (const [name, { row, pick }] of this.#rows) {
      row.classList.toggle("shown", this.#shown.has(name));
      pick.setAttribute("aria-pressed", String(this.#shown.has(name)));
    }
  }

  // Takes a line that came now.
  notice({ name, what, to }) {
    if (what === "created" || what === "dropped" || what === "undone" || what === "redone") {
      this.#ask();
      return;
    }
    if (what !== "moved") return;
    const row = this.#rows.get(name);
    if (!row) return;
    if (this.#past === null) setText(row.word, to);
  }

  // Arrows move among the machines, as in any list.
  #move(event) {
    const all = [...this.#list.querySelectorAll("button.pick")];
    const place = all.indexOf(document.activeElement?.closest("li")?.querySelector("button.pick"));
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "ArrowRight") {
      event.preventDefault();
      document.activeElement?.closest("li")?.querySelector("button.beside")?.focus();
    } else if (event.key === "ArrowLeft") {
      event.preventDefault();
      all[place]?.focus();
    } else if (event.key === "ArrowUp" && place === 0) {
      event.preventDefault();
      this.#search.focus();
    } else if (to !== undefined && all[to]) {
      event.preventDefault();
      for (const button of all) button.tabIndex = -1;
      all[to].tabIndex = 0;
      all[to].focus();
    }
  }
}

// Machines with a row before those whose names begin alike, as those of a composition do.
function grouped(machines) {
  const prefix = (name) => (name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : null);
  const counts = new Map();
  for (const { name } of machines) {
    const before = prefix(name);
    if (before !== null) counts.set(before, (counts.get(before) ?? 0) + 1);
  }
  const entries = [];
  const written = new Set();
  for (const machine of machines) {
    const before = prefix(machine.name);
    const isMember = before !== null && counts.get(before) > 1;
    if (isMember && !written.has(before)) {
      written.add(before);
      entries.push({ name: before, kind: `${counts.get(before)} machines`, state: "", isGroup: true });
    }
    entries.push({ ...machine, depth: isMember ? 1 : 0 });
  }
  return entries;
}

function told(count, total) {
  return count === total ? `${inThousands(count)} ${count === 1 ? "machine" : "machines"}` : `${inThousands(count)} of ${inThousands(total)} machines`;
}
