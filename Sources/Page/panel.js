// A machine, or a composition with its members, as the page shows it: its picture, what is possible, its timers and readings.

import { atMostEvery, eachFrame, el, put, setText } from "./dom.js";
import { Diagram } from "./diagram.js";
import { Facts } from "./facts.js";
import { Field } from "./fields.js";
import { line } from "./requests.js";
import { MoveTable } from "./table.js";
import { countdown, exactTime } from "./times.js";
import { isOutcome, machineAt } from "./world.js";

// Milliseconds between two looks at what is possible, while a machine changes.
const LOOK = 200;
// Lines that are shown at once in one frame.
const BURST = 12;

export class Panel {
  #page;
  #facts = null;
  #diagram;
  #table;
  #parts;
  #isGone = false;
  // By the name of a machine: { member, state, kind, possible, ignored, readings, waiting }.
  #members = new Map();
  #past = null;
  #finish;
  #look;
  #redraw;
  #renew;
  #dirty = new Set();
  #undecided = new Map();
  #burst = 0;
  #hasPlaces = false;
  #opened = new Set();
  // States that no picture had; each is asked for once.
  #unknown = new Set();
  // Whether a countdown is on the screen.
  isCounting = false;

  // `page` is { source, world, kinds, act, say }.
  constructor(page, name, { onclose, oncontent }) {
    this.#page = page;
    this.name = name;
    this.oncontent = oncontent;
    this.#parts = {
      title: el("h2", { id: `panel-${name}` }, name),
      kind: el("span", { class: "kind" }),
      state: el("span", { class: "present-states" }),
      note: el("p", { class: "note", hidden: true }),
      frame: el("div", { class: "frame", tabindex: "0", role: "group", "aria-label": `Diagram of ${name}` }),
      list: el("div", { class: "list", hidden: true }),
      possible: el("div", { class: "possible", role: "group", "aria-label": `Possible now for ${name}` }),
      form: el("div", { class: "form", hidden: true }),
      timers: el("ul", { class: "timers", "aria-label": "Running timers" }),
      readings: el("dl", { class: "readings" }),
      answer: el("p", { class: "answer", role: "status" }),
      description: el("p", { class: "unseen", id: `panel-${name}-about` }),
    };
    const parts = this.#parts;
    parts.frame.setAttribute("aria-describedby", parts.description.id);
    this.#diagram = new Diagram(parts.frame);
    this.#table = new MoveTable(parts.list);
    this.#parts.asText = el("button", { class: "tool", "aria-pressed": "false", onclick: () => this.toggleText(), title: "The moves as a list" }, "List");
    this.element = el(
      "section",
      { class: "panel", "aria-labelledby": parts.title.id, "data-name": name },
      el("header", null, el("div", { class: "heading" }, parts.title, parts.kind, parts.state),
        el("span", { class: "tools" },
          el("button", { class: "tool", title: "Smaller", "aria-label": "Smaller", onclick: () => this.zoom(1 / 1.5) }, "−"),
          el("button", { class: "tool", title: "Larger", "aria-label": "Larger", onclick: () => this.zoom(1.5) }, "+"),
          parts.asText,
          el("button", { class: "tool", title: "Close", "aria-label": `Close ${name}`, onclick: () => onclose(this) }, "×"))),
      parts.note,
      parts.frame,
      parts.list,
      parts.description,
      el("footer", null, parts.timers, parts.possible, parts.form, parts.readings, parts.answer),
    );
    parts.frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2);
    }, { passive: false });
    this.#finish = eachFrame(() => this.#decide());
    this.#look = atMostEvery(LOOK, () => this.#ask());
    this.#redraw = atMostEvery(LOOK, () => this.#drawMarked());
    this.#renew = atMostEvery(5 * LOOK, () => this.#drawAnew());
  }

  // The machines that it shows.
  get machines() {
    return [...this.#members.keys()];
  }

  close() {
    this.#isGone = true;
    this.element.remove();
  }

  zoom(factor) {
    this.#diagram.zoomBy(factor);
  }

  toggleText() {
    const isText = this.#parts.list.hidden;
    this.#parts.list.hidden = !isText;
    this.#parts.frame.hidden = isText && this.#diagram.isDrawn ? true : isText;
    this.#parts.asText.setAttribute("aria-pressed", String(isText));
  }

  // Asks for all that it shows. The picture comes first.
  async load() {
    const { source, world } = this.#page;
    const name = this.name;
    const shown = source.request(line(["show", name]));
    const asked = source.request(line(["graph", name], { format: "json", present: "no" }));
    const drawn = source.request(line(["graph", name], { format: "svg", present: "no" }));
    const answer = await asked;
    if (this.#isGone) return;
    if (!answer.ok) {
      await this.#without(answer.reply, await shown);
      return;
    }
    this.#facts = new Facts(JSON.parse(answer.data.map((data) => data.text).join("\n")));
    const first = await shown;
    if (first.ok) {
      this.#members.set(name, this.#newMember("", world.machines.get(name)?.kind));
      this.#takeShow(name, first);
      setText(this.#parts.kind, this.#facts.name);
    } else {
      this.element.classList.add("composition");
      setText(this.#parts.kind, this.#facts.name);
      const members = this.#facts.states.filter((state) => state.parent === null).map((state) => state.name);
      for (const member of members) this.#members.set(`${name}.${member}`, this.#newMember(member, null));
      this.#dirty = new Set(this.machines);
      await this.#ask();
    }
    this.#hasPlaces = !this.#facts.hasIDs;
    this.#table.draw(this.#facts);
    this.#noteWhy();
    this.#show();
    const picture = await drawn;
    if (this.#isGone) return;
    if (picture.ok && this.#diagram.draw(picture.data.map((data) => data.text).join("\n"), this.#facts)) {
      if (this.#hasPlaces) this.#drawMarked();
    } else {
      this.#noPicture(picture.reply);
    }
    this.#show();
    this.oncontent();
    this.#dirty = new Set(this.machines);
    this.#look();
  }

  #newMember(member, kind) {
    return { member, kind, state: null, possible: [], ignored: [], readings: [], line: null, outputs: [] };
  }

  async #without(reply, shown) {
    if (reply.gone || reply.code === "GONE") return;
    if (shown.ok) {
      this.#members.set(this.name, this.#newMember("", this.#page.world.machines.get(this.name)?.kind));
      this.#takeShow(this.name, shown);
      this.#show();
    }
    this.#note(shown.ok ? `There is no diagram: ${reply.text ?? reply.code}` : `There is no machine named ${this.name}.`);
    this.oncontent();
  }

  #note(text) {
    this.#parts.note.hidden = !text;
    const isLong = (text ?? "").startsWith("Partial");
    this.#parts.note.classList.toggle("long", isLong);
    if (isLong) this.#parts.note.tabIndex = 0;
    setText(this.#parts.note, text ?? "");
  }

  #noteWhy() {
    this.#note(this.#facts.isComplete || !this.#facts.why ? "" : `Partial: ${this.#facts.why}`);
  }

  #noPicture(reply) {
    const isMissing = reply.text?.includes("install graphviz");
    this.#note(isMissing
      ? "Pictures are drawn by Graphviz, which is not there where the daemon runs. Install it (apt install graphviz) and open this page again; until then the moves are a list."
      : `The picture cannot be drawn: ${reply.text ?? reply.code ?? "it cannot be read"}. The moves are a list.`);
    this.#parts.frame.hidden = true;
    this.#parts.list.hidden = false;
    this.#parts.asText.hidden = true;
  }

  // Draws the picture with what the daemon has seen since.
  async #drawAnew() {
    const { source } = this.#page;
    const [asked, drawn] = await Promise.all([
      source.request(line(["graph", this.name], { format: "json", present: "no" })),
      source.request(line(["graph", this.name], { format: "svg", present: "no" })),
    ]);
    if (!asked.ok || !drawn.ok || this.#isGone) return;
    this.#facts = new Facts(JSON.parse(asked.data.map((data) => data.text).join("\n")));
    this.#table.draw(this.#facts);
    this.#diagram.draw(drawn.data.map((data) => data.text).join("\n"), this.#facts);
    this.#show();
  }

  // A kind whose picture has places of its own is drawn by the daemon each time.
  async #drawMarked() {
    if (this.#isGone || this.#past !== null) return;
    const before = this.#diagram.marked;
    const { ok, data } = await this.#page.source.request(line(["graph", this.name], { format: "svg" }));
    if (!ok || this.#isGone || this.#past !== null) return;
    this.#diagram.draw(data.map((item) => item.text).join("\n"), this.#facts);
    const after = this.#diagram.marked;
    this.#diagram.setPresent(this.name, after);
    if (before.join() !== after.join()) this.#diagram.light(this.name, { moves: [], arrows: this.#diagram.between(before, after), inner: [] });
  }

  // Takes a line of the journal that came now.
  notice(item) {
    const member = this.#members.get(item.name);
    if (!member) return;
    if (item.what === "dropped") {
      this.element.classList.add("gone");
      this.#note(`${item.name} is gone.`);
    } else if (item.what === "created") {
      if (this.element.classList.contains("gone")) this.#note("");
      this.element.classList.remove("gone");
      member.state = item.words[1];
      member.kind = item.words[0];
    }
    if (isOutcome(item.what)) {
      if (item.what === "moved") member.state = item.words[1];
      else if (item.words[0]) member.state = item.words[0];
      member.line = item;
      member.outputs = [];
    } else if (item.what === "output" && member.line?.seq === item.seq) {
      member.outputs.push(item.words[0]);
    }
    this.#dirty.add(item.name);
    this.#look();
    if (this.#hasPlaces) this.#redraw();
    if (this.#past !== null || !this.#facts) return;
    // What comes one by one is on the screen at once; of a burst, what is true in the next frame.
    this.#burst += 1;
    this.#finish();
    if (this.#burst > BURST) {
      this.#undecided.set(item.name, member.line);
      return;
    }
    if (item.what === "output") this.#carry(member, item.words[0]);
    if (isOutcome(item.what)) this.#light(item.name, member);
    this.#paint(item.name, member, member.state);
  }

  // Lights what an outcome stands for. Where only its outputs tell, they come with the lines behind it.
  #light(name, member) {
    const light = this.#meaning(member.line, member, undefined);
    if (light.moves.length > 1) {
      this.#undecided.set(name, member.line);
    } else {
      this.#undecided.delete(name);
      this.#shine(name, light);
    }
  }

  #decide() {
    this.#burst = 0;
    if (this.#past !== null || this.#isGone) return;
    for (const name of this.#undecided.keys()) {
      const member = this.#members.get(name);
      this.#shine(name, this.#meaning(member.line, member, member.outputs));
      this.#paint(name, member, member.state);
    }
    this.#undecided.clear();
    this.#sayState();
  }

  #shine(name, light) {
    this.#diagram.light(name, light);
    this.#table.light(name, light);
  }

  #meaning(item, member, outputs) {
    if (!item || item.what === "ignored" || item.what === "refused") return { moves: [], arrows: [], inner: [] };
    const cause = this.#cause(item, member);
    return item.what === "moved"
      ? this.#facts.moved(item.words[0], item.words[1], cause, outputs, member.member)
      : this.#facts.stayed(item.words[0], cause, outputs, member.member);
  }

  // What brought an input; of a delivery, the event that the wire makes of the output.
  #cause(item, member) {
    if (item.wire === undefined) return item;
    const place = item.wire.lastIndexOf(".");
    const [from, output] = [item.wire.slice(0, place), item.wire.slice(place + 1)];
    const sender = this.#members.get(from)?.member;
    const wire = sender === undefined ? null : this.#facts.carried(sender, output, member.member)[0];
    return wire ? { event: wire.event } : {};
  }

  #carry(member, output) {
    if (!this.#facts?.wires.length) return;
    this.#diagram.carry(this.#facts.carried(member.member, output).flatMap((wire) => wire.arrows ?? []));
  }

  #paint(name, member, state) {
    if (!this.#facts || state === null || this.#hasPlaces) return;
    const ids = this.#facts.ids(state, member.member);
    // States that are named by data come up as the machine goes.
    if (!ids.length && this.#diagram.isDrawn && !this.#unknown.has(state)) {
      this.#unknown.add(state);
      this.#renew();
    }
    this.#diagram.setPresent(name, ids);
    this.#table.setPresent(name, ids);
  }

  #sayState() {
    if (this.#parts.state.children.length !== this.#members.size) {
      put(this.#parts.state, [...this.#members.values()].map((member) => el("span", { class: "present-state" }, member.member ? el("span", null, `${member.member} `) : null, el("strong"))));
    }
    const words = this.#parts.state.querySelectorAll("strong");
    [...this.#members].forEach(([name, member], place) => {
      const was = this.#past?.get(name);
      setText(words[place], (was ? (was.exists ? was.state : "not made yet") : member.state) ?? "…");
    });
    const about = [...this.#members].map(([name, member]) => {
      const possible = member.possible.map(({ event }) => event).join(", ");
      return `${name} is in ${member.state ?? "an unknown state"}.${possible ? ` Possible now: ${possible}.` : ""}`;
    });
    setText(this.#parts.description, about.join(" "));
  }

  // Shows everything anew.
  #show() {
    for (const [name, member] of this.#members) this.#paint(name, member, this.#past ? this.#past.get(name)?.state ?? null : member.state);
    this.#sayState();
    this.#showPossible();
    this.#showReadings();
    this.tick();
  }

  // The state, the timers and the readings, as `show` tells them.
  #takeShow(name, { ok, data }) {
    const member = this.#members.get(name);
    if (!ok || !member) return;
    const timers = new Map();
    const readings = [];
    for (const { words, due, left } of data) {
      switch (words[0]) {
        case "state":
          member.state = words[1];
          break;
        case "timer": {
          const known = this.#page.world.timersOf(name).get(words[1]);
          timers.set(words[1], { due, armed: known?.due === due ? known.armed : null, since: due - left });
          break;
        }
        case "reading":
          readings.push({ name: words[1], value: words[2], unit: words[3] ?? "" });
          break;
      }
    }
    member.readings = readings;
    this.#page.world.timers.set(name, timers);
  }

  // Asks anew for what is possible, for the machines of which something was heard.
  async #ask() {
    if (this.#isGone) return;
    const names = [...this.#dirty].filter((name) => this.#members.has(name));
    this.#dirty.clear();
    await Promise.all(names.map(async (name) => {
      const [shown, can] = await Promise.all([
        this.#page.source.request(line(["show", name])), this.#page.source.request(line(["can", name])),
      ]);
      const member = this.#members.get(name);
      if (!member || !shown.ok) return;
      // What was heard since is newer; it asks again.
      if (!this.#dirty.has(name)) this.#takeShow(name, shown);
      if (!can.ok) return;
      member.possible = can.data.filter((item) => !item.effect).map((item) => ({ event: item.words[0] }));
      member.ignored = can.data.filter((item) => item.effect).map((item) => ({ event: item.words[0] }));
      const { machines } = this.#page.world;
      member.kind ??= machines.get(name)?.kind ?? (await this.#kindOf(name));
    }));
    if (this.#isGone || this.#past) return;
    this.#show();
  }

  async #kindOf(name) {
    const { data } = await this.#page.source.request(line(["list", name]));
    return data[0]?.words[1] ?? null;
  }

  // Readings change by themselves.
  refresh() {
    if (![...this.#members.values()].some((member) => member.readings.length)) return;
    for (const [name, member] of this.#members) if (member.readings.length) this.#dirty.add(name);
    this.#look();
  }

  // After a gap or a reconnection nothing that was known holds.
  recheck() {
    this.#dirty = new Set(this.machines);
    this.#diagram.clearLit();
    this.#table.clearLit();
    this.#look();
  }

  #showPossible() {
    const isPast = this.#past !== null;
    const hasControl = this.#page.source.control && !isPast;
    const several = this.#members.size > 1;
    const groups = [...this.#members].map(([name, member]) => {
      const button = (event, isIgnored) => {
        const label = isIgnored ? `${event}, would be ignored` : event;
        const item = hasControl
          ? el("button", { class: isIgnored ? "event ignored" : "event", "data-event": event, "data-machine": name, "aria-label": several ? `${label} of ${member.member}` : isIgnored ? label : null, onclick: () => this.send(name, event) }, event)
          : el("span", { class: isIgnored ? "event ignored" : "event", title: isIgnored ? "would be ignored" : null }, event);
        return el("li", null, item);
      };
      const isEmpty = !member.possible.length && member.state !== null;
      return el("div", null, several ? el("h3", null, member.member) : null,
        el("ul", null, member.possible.map(({ event }) => button(event, false)), isEmpty ? el("li", null, el("span", { class: "none" }, "no event")) : null),
        member.ignored.length ? el("details", { open: this.#opened.has(name), ontoggle: (event) => this.#opened[event.target.open ? "add" : "delete"](name) },
          el("summary", null, `${member.ignored.length} ignored now`), el("ul", null, member.ignored.map(({ event }) => button(event, true)))) : null);
    });
    const key = JSON.stringify([hasControl, isPast, [...this.#members].map(([name, member]) => [name, member.possible, member.ignored, member.state === null])]);
    if (this.#parts.possible.dataset.key === key) return;
    // What has the focus keeps it.
    const focused = document.activeElement?.closest?.(".possible") === this.#parts.possible ? document.activeElement.dataset : null;
    this.#parts.possible.dataset.key = key;
    put(this.#parts.possible, isPast ? [] : [el("h3", { class: "caption" }, "Possible now"), ...groups]);
    if (focused) {
      const all = [...this.#parts.possible.querySelectorAll("button")];
      (all.find((button) => button.dataset.event === focused.event && button.dataset.machine === focused.machine) ?? all[0])?.focus({ preventScroll: true });
    }
    const ids = isPast ? [] : [...this.#members].flatMap(([, member]) => this.#facts?.possible(member.possible.map(({ event }) => event), member.state ?? "", member.member) ?? []);
    this.#diagram.setPossible(ids);
  }

  // The buttons that are possible now, in their order.
  get buttons() {
    return [...this.#parts.possible.querySelectorAll("button.event")];
  }

  // Sends an event, after its data were asked for.
  async send(name, event) {
    const member = this.#members.get(name);
    const kind = member.kind ? await this.#page.kinds.describe(member.kind) : null;
    const fields = kind?.events.find((item) => item.name === event)?.fields ?? [];
    if (!fields.length) return this.#send(name, event, []);
    this.#askFor(name, event, fields);
  }

  #askFor(name, event, descriptions) {
    let isReady = null;
    const fields = descriptions.map((field) => new Field({ ...field, onchange: () => isReady() }));
    const send = el("button", { class: "primary", type: "submit" }, `Send ${event}`);
    isReady = () => (send.disabled = !fields.every((field) => field.check(false)));
    const close = () => {
      this.#parts.form.hidden = true;
      put(this.#parts.form);
    };
    const form = el("form", {
      onsubmit: (submit) => {
        submit.preventDefault();
        if (!fields.every((field) => field.check(true))) return;
        close();
        this.#send(name, event, fields);
        this.buttons.find((button) => button.dataset.event === event)?.focus();
      },
      onkeydown: (key) => {
        if (key.key !== "Escape") return;
        key.stopPropagation();
        close();
        this.buttons.find((button) => button.dataset.event === event)?.focus();
      },
    }, el("h3", null, `${event} for ${name}`), fields.map((field) => field.element), send, el("button", { type: "button", class: "quiet", onclick: close }, "Cancel"));
    put(this.#parts.form, form);
    this.#parts.form.hidden = false;
    isReady();
    fields[0].input.focus();
  }

  async #send(name, event, fields) {
    const given = fields.filter((field) => !field.isLeftOut && !field.rule.isRaw);
    // Another event that a document's transitions match has a name of its own.
    const other = event === "*" ? given.shift()?.value : null;
    const raw = fields.filter((field) => field.rule.isRaw).map((field) => ` ${field.value.trim()}`).join("");
    const text = line(["send", name, other ?? event], Object.fromEntries(given.map((field) => [field.name, field.value]))) + raw;
    const { ok, reply } = await this.#page.source.request(text);
    this.answer(ok ? "" : reply.text ?? reply.code);
  }

  answer(text) {
    setText(this.#parts.answer, text);
  }

  #showReadings() {
    const isPast = this.#past !== null;
    const several = this.#members.size > 1;
    const rows = isPast ? [] : [...this.#members.values()].flatMap((member) => member.readings.map((reading) => ({ ...reading, member })));
    const names = rows.map((row) => (several ? `${row.member.member}.${row.name}` : row.name));
    const key = names.join(" ");
    if (this.#parts.readings.dataset.key !== key) {
      this.#parts.readings.dataset.key = key;
      put(this.#parts.readings, names.map((name) => el("div", null, el("dt", null, name), el("dd"))));
    }
    const values = this.#parts.readings.querySelectorAll("dd");
    rows.forEach((row, place) => setText(values[place], `${short(row.value)}${row.unit ? ` ${row.unit}` : ""}`));
  }

  // What runs, with what is left of it.
  tick() {
    const { clock } = this.#page.world;
    const now = this.#past ? this.#past.t : clock.now();
    const marks = [];
    const items = [];
    for (const [name, member] of this.#members) {
      const was = this.#past?.get(name);
      const timers = this.#past ? was?.timers ?? new Map() : this.#page.world.timers.get(name) ?? new Map();
      const state = this.#past ? was?.state : member.state;
      for (const [timer, { due, armed, since }] of timers) {
        const left = Math.max(0, due - now);
        const place = this.#facts && state ? this.#facts.running(timer, state, member.member) : { arrows: [], inner: [] };
        const whole = armed !== null && armed !== undefined ? due - armed : place.after ?? due - (since ?? now);
        const fraction = whole > 0 ? Math.min(1, left / whole) : 0;
        marks.push({ key: `${name} ${timer}`, left, fraction, ...place });
        items.push({ name, timer, left, fraction, due, member: member.member });
      }
    }
    this.#diagram.count(marks);
    this.#showTimers(items);
    this.isCounting = items.length > 0;
  }

  #showTimers(items) {
    const hasControl = this.#page.source.control && this.#past === null;
    const key = items.map(({ name, timer }) => `${name} ${timer}`).join("\n") + hasControl;
    const list = this.#parts.timers;
    if (list.dataset.key !== key) {
      list.dataset.key = key;
      put(list, items.map(({ name, timer, member, due }) => el("li", { title: `due at ${exactTime(due)}` },
        el("span", { class: "name" }, member ? `${member}.${timer}` : timer), el("span", { class: "left" }), el("span", { class: "bar" }, el("i")),
        hasControl ? el("button", { class: "tool", "aria-label": `Fire ${timer} of ${name}`, onclick: () => this.#fire(name, timer) }, "fire") : null)));
    }
    items.forEach(({ left, fraction }, place) => {
      const row = list.children[place];
      setText(row.querySelector(".left"), countdown(left));
      row.querySelector("i").style.transform = `scaleX(${fraction.toFixed(3)})`;
    });
  }

  async #fire(name, timer) {
    const { ok, reply } = await this.#page.source.request(line(["fire", name, timer]));
    this.answer(ok ? "" : reply.text ?? reply.code);
  }

  // Whether something counts down in it.
  get runs() {
    return this.machines.some((name) => this.#page.world.timers.get(name)?.size);
  }

  // Shows how things were right after an input; null for now.
  showPast(lines, seq, t) {
    const wasPast = this.#past !== null;
    if (seq === null) {
      this.#past = null;
      this.element.classList.remove("past");
      if (wasPast) {
        this.recheck();
        this.#lightLast((member) => member.line);
        this.#show();
        if (this.#hasPlaces) this.#drawMarked();
      }
      return;
    }
    this.element.classList.add("past");
    this.#past = new Map(this.machines.map((name) => [name, machineAt(lines, name, seq)]));
    this.#past.t = t;
    if (this.#facts) {
      let latest = null;
      for (const [name, was] of this.#past) {
        const outputs = was.line ? lines.filter((item) => item.seq === was.line.seq && item.name === name && item.what === "output").map((item) => item.words[0]) : [];
        this.#shine(name, this.#meaning(was.line, this.#members.get(name), outputs));
        if (!latest || (was.line?.seq ?? 0) > (latest?.seq ?? 0)) latest = was.line;
      }
    }
    this.#show();
  }

  #lightLast(lineOf) {
    if (!this.#facts) return;
    for (const [name, member] of this.#members) this.#shine(name, this.#meaning(lineOf(member), member, member.outputs));
  }
}

function short(value) {
  return /^-?\d+\.\d{4,}$/.test(value) ? Number(value).toFixed(2) : value;
}
