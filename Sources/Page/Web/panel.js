// A machine, or a composition with its members, as the page shows it: its picture, what is possible, its timers and readings.

import { atMostEvery, eachFrame, el, put, setText } from "./dom.js";
import { Diagram, GOOD_TEXT } from "./diagram.js";
import { Events } from "./events.js";
import { Facts } from "./facts.js";
import { Parts } from "./parts.js";
import { line } from "./requests.js";
import { MoveTable } from "./table.js";
import { countdown, exactTime, number, span } from "./times.js";
import { isOutcome, machineAt } from "./world.js";

// Milliseconds between two looks at what is possible, while a machine changes.
const LOOK = 200;
// A nanosecond, in seconds.
const SOON_AFTER = 1e-9;
// Lines that are shown at once in one frame.
const BURST = 12;

export class Panel {
  #page;
  #facts = null;
  #diagram;
  #table;
  #events;
  #parts;
  // Of an MVI feature: its parts, and their picture, which is drawn when it is first shown.
  #feature = null;
  #turn;
  #isGone = false;
  // By the name of a machine: { member, exists, state, kind, possible, ignored, outcomes, readings, line, outputs, heard }; the last
  // counts what was heard of it.
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
  // States that no picture had; each is asked for once.
  #unknown = new Set();
  // Whether a countdown is on the screen.
  isCounting = false;

  // `page` is { source, world, kinds, appear, readingsAt }.
  constructor(page, name, { onclose, oncontent }) {
    this.#page = page;
    this.name = name;
    this.oncontent = oncontent;
    this.#parts = {
      title: el("h2", { id: `panel-${name}` }, name),
      kind: el("span", { class: "kind" }),
      state: el("span", { class: "present-states" }),
      note: el("p", { class: "note", hidden: true }),
      partial: el("button", { class: "tool partial", hidden: true, onclick: () => this.#tell(el("h3", null, "Partial"), el("p", null, `${this.#facts.why}.`)) }, "partial"),
      frame: el("div", { class: "frame", tabindex: "0", role: "group", "aria-label": `Diagram of ${name}` }),
      card: el("div", { class: "card", role: "status", hidden: true }),
      list: el("div", { class: "list", hidden: true }),
      turn: el("div", { class: "frame", tabindex: "0", role: "group", "aria-label": `Parts of ${name}` }),
      timers: el("ul", { class: "timers", "aria-label": "Running timers" }),
      readings: el("dl", { class: "readings" }),
      description: el("p", { class: "unseen", id: `panel-${name}-about` }),
    };
    const parts = this.#parts;
    const events = (this.#events = new Events(page, name));
    parts.frame.setAttribute("aria-describedby", parts.description.id);
    this.#diagram = new Diagram(parts.frame, (id) => this.#pick(id));
    this.#table = new MoveTable(parts.list);
    this.#turn = new Diagram(parts.turn, () => {});
    parts.asText = el("button", { class: "tool", "aria-pressed": "false", title: "The moves as a list", onclick: () => this.toggleText() }, "List");
    parts.asParts = el("button", { class: "tool", "aria-pressed": "false", hidden: true, title: "The parts of the feature, with those at work lit",
      onclick: () => this.#showParts() }, "Parts");
    this.element = el(
      "section",
      { class: "panel", "aria-labelledby": parts.title.id, "data-name": name },
      el("header", null, el("div", { class: "heading" }, parts.title, parts.kind, parts.state, parts.partial),
        el("span", { class: "tools" },
          el("button", { class: "tool", title: "Smaller", "aria-label": "Smaller", onclick: () => this.zoom(1 / 1.5) }, "−"),
          el("button", { class: "tool", title: "Larger", "aria-label": "Larger", onclick: () => this.zoom(1.5) }, "+"),
          parts.asParts,
          parts.asText,
          el("button", { class: "tool", title: "Close", "aria-label": `Close ${name}`, onclick: () => onclose(this) }, "×"))),
      parts.note,
      el("div", { class: "stage" }, parts.frame, this.#diagram.map, parts.card),
      el("div", { class: "stage", hidden: true }, parts.turn, this.#turn.map),
      parts.list,
      parts.description,
      el("footer", null, events.list, parts.timers, events.form, parts.readings, events.fault),
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
    // Somebody has made more room or less: a drawer, a window, another panel.
    this.refit = atMostEvery(2 * LOOK, () => this.#chosenFor && this.#chooseForm());
  }

  // The machines that it shows.
  get machines() {
    return [...this.#members.keys()];
  }

  // The readings of a machine as they are now, or nothing.
  readingsOf(name) {
    return this.#members.get(name)?.readings ?? [];
  }

  close() {
    this.#isGone = true;
    this.element.remove();
  }

  zoom(factor) {
    (this.#hasTurn ? this.#turn : this.#diagram).zoomBy(factor);
  }

  toggleText() {
    this.#view(this.#parts.list.hidden ? "list" : "diagram");
  }

  // Shows one of `diagram`, `list` and `parts`.
  #view(view) {
    const { frame, list, turn, asText, asParts } = this.#parts;
    frame.parentNode.hidden = view !== "diagram";
    list.hidden = view !== "list";
    turn.parentNode.hidden = view !== "parts";
    asText.setAttribute("aria-pressed", String(view === "list"));
    asParts.setAttribute("aria-pressed", String(view === "parts"));
  }

  get #hasTurn() {
    return !this.#parts.turn.parentNode.hidden;
  }

  // Shows the parts of a feature instead of its states, or the states again.
  async #showParts() {
    const home = this.#diagram.isDrawn ? "diagram" : "list";
    if (this.#hasTurn) return this.#view(home);
    this.#view("parts");
    if (!this.#turn.isDrawn) {
      const { ok, data, reply } = await this.#page.source.request(line(["graph", this.name], { format: "svg", show: "parts" }));
      // A picture is measured where it is shown.
      if (this.#isGone || !this.#hasTurn) return;
      if (!ok || !this.#turn.draw(data.map(({ text }) => text).join("\n"), null)) {
        this.#note(`The parts cannot be drawn: ${reply?.text ?? "the picture cannot be read"}.`);
        return this.#view(home);
      }
    }
    this.#lightParts();
  }

  // Lights what the last input that did something has put to work.
  #lightParts() {
    if (!this.#turn.isDrawn) return;
    const [name, member] = [...this.#members][0];
    const seq = (this.#past?.get(name) ?? member).line?.seq;
    const lines = seq === undefined ? [] : this.#page.world.journal.lines.filter((item) => item.seq === seq && item.name === name);
    const { parts, flows } = this.#feature.work(lines);
    this.#turn.setPresent(name, parts);
    this.#turn.light(name, { arrows: flows.flatMap(([from, to]) => this.#turn.between([from], [to])), inner: [] });
  }

  // Offers the picture of the parts, if the machine is a feature.
  async #findParts() {
    const [member] = this.#members.values();
    if (this.#members.size !== 1 || !member.kind || (await this.#page.kinds.describe(member.kind)).form !== "MVI feature") return;
    const { ok, data } = await this.#page.source.request(line(["graph", this.name], { format: "json", show: "parts" }));
    if (!ok || this.#isGone) return;
    this.#feature = new Parts(JSON.parse(data.map(({ text }) => text).join("\n")));
    this.#parts.asParts.hidden = false;
  }

  // The direction and the detail of the picture; null leaves them to the daemon.
  #form = { direction: null, show: null };

  // Asks for a picture and for what it shows, in a form.
  async #drawing(form) {
    const ask = (format, present) => this.#page.source.request(line(["graph", this.name], { format, present, ...form }));
    const text = ({ data }) => data.map((item) => item.text).join("\n");
    // One with places of its own has no parts that are named, and the daemon marks the present one.
    const [facts, picture] = await Promise.all([this.#hasPlaces ? null : ask("json", "no"), ask("svg", this.#hasPlaces ? null : "no")]);
    if (facts?.ok === false || !picture.ok) return null;
    return { form, facts: facts ? new Facts(JSON.parse(text(facts))) : this.#facts, picture: text(picture) };
  }

  // Chooses the picture whose texts are the largest on this screen: it leads to the right or down, or shows less. (A recording
  // has one picture.)
  async #chooseForm() {
    const { frame } = this.#parts;
    const room = `${frame.clientWidth} ${frame.clientHeight}`;
    if (!this.#page.source.isLive || frame.parentNode.hidden || room === this.#chosenFor || !this.#diagram.isDrawn) return;
    this.#chosenFor = room;
    // Where there is more room than before, all of it may be shown again.
    let best = { text: this.#form.show ? 0 : this.#diagram.fittingText, drawing: null };
    for (const show of this.#hasPlaces ? [null] : [null, "plain"]) {
      for (const direction of ["right", "down"]) {
        if (best.text >= GOOD_TEXT) break;
        const drawing = await this.#drawing({ direction, show });
        if (this.#isGone || room !== this.#chosenFor) return;
        const size = drawing && pictureSize(drawing.picture);
        const text = size ? this.#diagram.textOf(size) : 0;
        // What shows less has to be worth it.
        if (text > best.text * (show ? 1.15 : 1.02)) best = { text, drawing };
      }
    }
    const form = best.drawing?.form;
    if (!form || form.direction === this.#form.direction && form.show === this.#form.show) return;
    this.#form = form;
    if (this.#hasPlaces) await this.#drawMarked();
    else this.#takeDrawing(best.drawing);
  }

  // The room for which the picture was chosen.
  #chosenFor = "";

  #takeDrawing({ facts, picture }) {
    this.#facts = facts;
    this.#table.draw(facts);
    this.#diagram.draw(picture, facts, this.#titles);
    this.recheck();
    this.#show();
  }

  // What stands above the picture already.
  get #titles() {
    return [this.name, this.#facts.name, `${this.name}: ${this.#facts.name}`];
  }

  // What it asks for first: the state, what the picture shows, and the picture.
  static requests(name) {
    return [line(["show", name]), ...["json", "svg"].map((format) => line(["graph", name], { format, present: "no" }))];
  }

  // Asks for all that it shows. The picture comes first.
  async load() {
    const { source, world } = this.#page;
    const name = this.name;
    const [shown, asked, drawn] = Panel.requests(name).map((request) => source.request(request));
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
    // Their line is kept, so that nothing moves when one starts.
    this.element.classList.toggle("has-timers", this.#facts.transitions.some((move) => move.timer !== undefined));
    this.#table.draw(this.#facts);
    this.#noteWhy();
    this.#show();
    const picture = await drawn;
    if (this.#isGone) return;
    // A picture is measured where it is shown.
    this.#page.appear();
    if (picture.ok && this.#diagram.draw(picture.data.map((data) => data.text).join("\n"), this.#facts, this.#titles)) {
      if (this.#hasPlaces) this.#drawMarked();
    } else {
      this.#noPicture(picture.reply);
    }
    this.#show();
    this.oncontent();
    this.#dirty = new Set(this.machines);
    await this.#ask();
    await this.#findParts();
    await this.#chooseForm();
  }

  #newMember(member, kind) {
    return { member, kind, exists: true, state: null, isAsked: false, possible: [], ignored: [], outcomes: [], readings: [], line: null, outputs: [], heard: 0 };
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
    setText(this.#parts.note, text ?? "");
  }

  // A picture that does not show all that the machine may do says so in a word, and why when it is asked.
  #noteWhy() {
    const { partial } = this.#parts;
    this.#note("");
    partial.hidden = this.#facts.isComplete || !this.#facts.why;
    partial.title = this.#facts.why ?? "";
  }

  // Says something beside the picture, until something else is clicked.
  #tell(...words) {
    put(this.#parts.card, ...words);
    this.#parts.card.hidden = false;
  }

  #noPicture(reply) {
    const isMissing = reply.text?.includes("install graphviz");
    this.#note(isMissing
      ? "Pictures are drawn by Graphviz, which the computer of the daemon lacks. Install it (apt install graphviz) and open " +
        "this page again; until then the moves are a list."
      : `The picture cannot be drawn: ${reply.text ?? reply.code ?? "it cannot be read"}. The moves are a list.`);
    this.#view("list");
    this.#parts.asText.hidden = true;
  }

  // Draws the picture with what the daemon has seen since.
  async #drawAnew() {
    const drawing = await this.#drawing(this.#form);
    if (drawing && !this.#isGone) this.#takeDrawing(drawing);
  }

  // Somebody clicked a part: an arrow is sent, a state says what it is; anything else ends that.
  async #pick(id) {
    const { card } = this.#parts;
    card.hidden = true;
    const state = this.#facts?.states.find((item) => item.id === id);
    if (state) return this.#explain(state);
    const move = this.#facts?.transitions.find((item) => item.arrows?.includes(id) && this.#canTake(item))
      ?? this.#facts?.transitions.find((item) => item.arrows?.includes(id));
    if (!move || !this.#page.source.control || this.#past) return;
    const [name] = this.#ownerOf(move.from);
    const { possible = [] } = this.#members.get(name) ?? {};
    if (move.event !== undefined) this.#events.send(name, move.events.find((event) => possible.includes(event)) ?? move.events[0]);
    else if (move.timer !== undefined) this.#events.ask(line(["fire", name, move.timer]));
  }

  // The machine to which a state of the picture belongs.
  #ownerOf(state) {
    return [...this.#members].find(([, { member }]) => !member || state.startsWith(`${member}.`)) ?? [this.name];
  }

  #canTake(move) {
    const member = this.#members.get(this.#ownerOf(move.from)[0]);
    return move.events.some((event) => member?.possible.includes(event));
  }

  // Says what a state means, which timers run there and what leads to it.
  async #explain({ name: state }) {
    const [name, member] = this.#ownerOf(state);
    const own = member?.member ? state.slice(member.member.length + 1) : state;
    const described = member?.kind ? await this.#page.kinds.describe(member.kind) : null;
    const moves = this.#facts.transitions.filter((move) => move.to === state && move.effect === "moved" && move.from !== state);
    const timers = this.#facts.transitions.filter((move) => move.from === state && move.timer !== undefined);
    const trigger = (move) => move.event ?? move.timer;
    this.#tell(el("h3", null, own), described?.states?.get(own) ? el("p", null, described.states.get(own)) : null,
      timers.length ? el("p", null, "Timers: ", [...new Set(timers.map((move) => `${move.timer}${move.after ? ` ${span(move.after)}` : ""}`))].join(", ")) : null,
      el("p", null, moves.length ? `Reached by ${[...new Set(moves.map((move) => `${trigger(move)} from ${move.from}`))].join(", ")}.`
        : "No arrow leads here."));
  }

  // A kind whose picture has places of its own is drawn by the daemon each time.
  async #drawMarked() {
    if (this.#isGone || this.#past !== null) return;
    const before = this.#diagram.marked;
    const { ok, data } = await this.#page.source.request(line(["graph", this.name], { format: "svg", ...this.#form }));
    if (!ok || this.#isGone || this.#past !== null) return;
    this.#diagram.draw(data.map((item) => item.text).join("\n"), this.#facts, this.#titles);
    const after = this.#diagram.marked;
    this.#diagram.setPresent(this.name, after);
    if (before.join() !== after.join()) this.#diagram.light(this.name, { moves: [], arrows: this.#diagram.between(before, after), inner: [] });
  }

  // Takes a line of the journal that came now.
  notice(item) {
    const member = this.#members.get(item.name);
    if (!member) return;
    // Somebody points at a state, until something happens.
    const pointed = item.what === "pointed" ? (this.#facts?.ids(item.state, member.member) ?? []) : [];
    this.#diagram.point(pointed);
    this.#table.point(pointed);
    if (item.what === "pointed") return;
    if (item.what === "dropped") this.#setGone(item.name);
    else if (item.what === "created") this.#setMade(member, item);
    if (item.what === "created" || item.what === "moved" || item.what === "stayed") this.#doubt(member);
    if (isOutcome(item.what)) {
      member.state = item.to ?? item.state ?? member.state;
      // What is ignored or refused leaves the last move as it was.
      if (item.what === "moved" || item.what === "stayed") Object.assign(member, { line: item, outputs: [] });
    } else if (item.what === "output" && member.line?.seq === item.seq) {
      member.outputs.push(item.output);
    }
    this.#dirty.add(item.name);
    member.heard += 1;
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
    if (item.what === "output") this.#carry(member, item.output);
    if (item.what === "moved" || item.what === "stayed") this.#light(item.name, member);
    this.#paint(item.name, member, member.state);
  }

  // A machine is no more, or not yet: nothing of it is present, possible or running.
  #setGone(name) {
    const member = this.#members.get(name);
    if (!member.exists) return;
    Object.assign(member, { exists: false, state: null, possible: [], ignored: [], outcomes: [], readings: [], line: null, outputs: [] });
    this.#page.world.timers.delete(name);
    this.#tellGone();
    this.#diagram.light(name, { moves: [], arrows: [], inner: [] });
    if (this.#past === null) this.#show();
  }

  #setMade(member, { state, kind }) {
    Object.assign(member, { exists: true, state, kind: kind ?? member.kind });
    this.#tellGone();
  }

  #tellGone() {
    const isGone = this.#members.size > 0 && ![...this.#members.values()].some(({ exists }) => exists);
    if (isGone === this.element.classList.contains("gone")) return;
    this.element.classList.toggle("gone", isGone);
    if (isGone) this.#note(`${this.name} is gone.`);
    else this.#noteWhy();
  }

  // What was possible before an input is not known to be so after it: until the daemon has been asked nothing is bold.
  #doubt(member) {
    this.#events.doubt();
    if (!member.outcomes.length) return;
    member.outcomes = [];
    if (this.#past === null) this.#showArrows([...this.#members.values()]);
  }

  // Lights the arrow of an outcome. Where several arrows fit, the outputs decide, which come in the lines after it.
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
    this.#lightParts();
  }

  #shine(name, light) {
    this.#diagram.light(name, light);
    this.#table.light(name, light);
  }

  #meaning(item, member, outputs) {
    if (!item || item.what === "ignored" || item.what === "refused") return { moves: [], arrows: [], inner: [] };
    const cause = this.#cause(item, member);
    return item.what === "moved"
      ? this.#facts.moved(item.from, item.to, cause, outputs, member.member)
      : this.#facts.stayed(item.state, cause, outputs, member.member);
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
    if (!this.#facts || this.#hasPlaces) return;
    const ids = state === null ? [] : this.#facts.ids(state, member.member);
    // States that are named by data come up as the machine goes.
    if (state !== null && !ids.length && this.#diagram.isDrawn && !this.#unknown.has(state)) {
      this.#unknown.add(state);
      this.#renew();
    }
    this.#diagram.setPresent(name, ids);
    this.#table.setPresent(name, ids);
  }

  #sayState() {
    if (this.#parts.state.children.length !== this.#members.size) {
      const chips = [...this.#members.values()].map(({ member }) =>
        el("span", { class: "present-state" }, member ? `${member} ` : null, el("strong")),
      );
      put(this.#parts.state, chips);
    }
    const words = this.#parts.state.querySelectorAll("strong");
    [...this.#members].forEach(([name, member], place) => {
      const { exists, state } = this.#past?.get(name) ?? member;
      words[place].parentNode.classList.toggle("absent", !exists);
      setText(words[place], (exists ? state : this.#past || this.#members.size > 1 ? "not made" : "gone") ?? "…");
    });
    const about = [...this.#members].map(([name, member]) => {
      if (!member.exists) return `${name} is not there.`;
      const possible = member.possible.join(", ");
      return `${name} is in ${member.state ?? "an unknown state"}.${possible ? ` Possible now: ${possible}.` : ""}`;
    });
    setText(this.#parts.description, about.join(" "));
  }

  // Shows everything anew.
  #show() {
    for (const [name, member] of this.#members) this.#paint(name, member, this.#past ? this.#past.get(name)?.state ?? null : member.state);
    this.#diagram.setAbsent(this.#absentParts());
    this.#sayState();
    this.#lightParts();
    this.#showPossible();
    this.#showReadings();
    this.tick();
  }

  // The ids of what stands for members that do not exist at the moment that is shown.
  #absentParts() {
    const absent = [...this.#members].filter(([name, member]) => member.member && !(this.#past?.get(name) ?? member).exists);
    return this.#facts && absent.length ? absent.flatMap(([, { member }]) => this.#facts.partsOf(member)) : [];
  }

  // The state, the timers and the readings, as `show` tells them.
  #takeShow(name, { ok, reply, data }) {
    const member = this.#members.get(name);
    if (member && reply?.code === "UNKNOWN-MACHINE") this.#setGone(name);
    if (!ok || !member) return;
    if (!member.exists) this.#setMade(member, member);
    const timers = new Map();
    const readings = [];
    for (const item of data) {
      switch (item.what) {
        case "state":
          member.state = item.state;
          break;
        case "timer": {
          const { name: timer, due, left } = item;
          const known = this.#page.world.timersOf(name).get(timer);
          timers.set(timer, { due, armed: known?.due === due ? known.armed : null, since: due - left });
          break;
        }
        case "reading":
          readings.push(item);
          break;
      }
    }
    member.readings = readings;
    this.#page.world.timers.set(name, timers);
  }

  // Asks anew for what is possible, for the machines of which something was heard.
  // One question at a time: of a burst of changes, what is asked last is answered next.
  async #ask() {
    if (this.#isGone || this.#isAsking) return;
    this.#isAsking = true;
    const names = [...this.#dirty].filter((name) => this.#members.has(name));
    this.#dirty.clear();
    try {
      await Promise.all(names.map(async (name) => {
        const { source } = this.#page;
        const { heard } = this.#members.get(name);
        const asked = source.request(line(["show", name]));
        const can = await source.request(line(["can", name]));
        const shown = await asked;
        const member = this.#members.get(name);
        // What was heard since is newer; it asks again. (That readings are to be asked for anew is no news.)
        if (!member || member.heard !== heard) return;
        // What each event would do may take long to try.
        this.#takeShow(name, shown);
        // Data that were not tried may do something.
        const isPossible = (item) => !item.effect || item.arguments?.length > 0;
        const outcomes = await Promise.all(can.data.filter((item) => !item.effect).map(async ({ event }) => {
          const { ok, reply } = await source.request(line(["can", name, event]));
          return { event, effects: ok ? reply.effect ?? [] : [], into: ok ? reply.into ?? [] : [] };
        }));
        if (!can.ok || !shown.ok || member.heard !== heard) return;
        member.possible = can.data.filter(isPossible).map((item) => item.event);
        member.ignored = can.data.filter((item) => !isPossible(item)).map((item) => item.event);
        Object.assign(member, { outcomes, isAsked: true });
        const { machines } = this.#page.world;
        member.kind ??= machines.get(name)?.kind ?? (await this.#kindOf(name));
      }));
    } finally {
      this.#isAsking = false;
    }
    if (this.#dirty.size) this.#look();
    if (this.#isGone || this.#past) return;
    this.#show();
  }

  #isAsking = false;

  async #kindOf(name) {
    const { data } = await this.#page.source.request(line(["list", name]));
    return data[0]?.kind ?? null;
  }

  // Readings change by themselves.
  refresh() {
    if (![...this.#members.values()].some((member) => member.readings.length)) return;
    for (const [name, member] of this.#members) if (member.readings.length) this.#dirty.add(name);
    this.#look();
  }

  // After a gap, a reconnection or an undo nothing that was known holds: what is lit follows from the journal.
  recheck() {
    this.#dirty = new Set(this.machines);
    this.#diagram.clearLit();
    this.#table.clearLit();
    const { lines } = this.#page.world.journal;
    for (const [name, member] of this.#members) {
      const { exists, state, line, outputs } = machineAt(lines, name, Infinity);
      this.#doubt(member);
      member.heard += 1;
      if (!exists) this.#setGone(name);
      else Object.assign(member, { state: state ?? member.state, line, outputs });
      const shown = this.#past?.get(name) ?? { line, outputs };
      if (this.#facts) this.#shine(name, this.#meaning(shown.line, member, shown.outputs));
    }
    this.#look();
  }

  #showPossible() {
    const shown = new Map([...this.#members].map(([name, member]) => [name, this.#past ? this.#memberThen(name, member) : member]));
    this.#events.show(new Map([...shown].filter(([, { exists }]) => exists)), this.#past !== null, this.#members.size > 1);
    this.#showArrows([...shown.values()]);
  }

  #showArrows(members) {
    const [certain, perhaps] = [[], []];
    for (const { outcomes, state, member } of members) {
      if (!this.#facts || state === null) continue;
      const moves = this.#facts.possible(outcomes, state, member);
      certain.push(...moves.certain);
      perhaps.push(...moves.perhaps);
    }
    this.#diagram.setPossible(certain, perhaps);
  }

  // A machine at the moment that is looked at: its events are those that the picture has.
  #memberThen(name, member) {
    const was = this.#past.get(name);
    const state = was?.exists ? was.state : null;
    const outcomes = this.#facts && state !== null ? this.#facts.outcomesIn(state, member.member) : [];
    return { ...member, exists: was?.exists ?? true, isAsked: true, state, outcomes, possible: outcomes.map(({ event }) => event), ignored: [] };
  }

  // The buttons of what is possible now, in their order.
  get buttons() {
    return this.#events.buttons;
  }

  #showReadings() {
    const isPast = this.#past !== null;
    const several = this.#members.size > 1;
    const rows = [...this.#members].flatMap(([name, member]) =>
      (isPast ? this.#past.get(name)?.readings ?? [] : member.readings).map((reading) => ({ ...reading, member })));
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
      put(list, items.map(({ name, timer, member }) => el("li", null,
        el("span", { class: "name" }, member ? `${member}.${timer}` : timer), el("span", { class: "left" }), el("span", { class: "bar" }, el("i")),
        hasControl ? this.#fireButton(name, timer) : null)));
    }
    items.forEach(({ left, fraction, due }, place) => {
      const row = list.children[place];
      row.title = `due at ${exactTime(due)}`;
      setText(row.querySelector(".left"), countdown(left));
      row.querySelector("i").style.transform = `scaleX(${fraction.toFixed(3)})`;
    });
  }

  #fireButton(name, timer) {
    const onclick = () => this.#events.ask(line(["fire", name, timer]));
    return el("button", { class: "tool", "aria-label": `Fire ${timer} of ${name}`, onclick }, "fire");
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
        this.#show();
        if (this.#hasPlaces) this.#drawMarked();
      }
      return;
    }
    this.element.classList.add("past");
    this.#past = new Map(this.machines.map((name) => [name, machineAt(lines, name, seq)]));
    this.#past.t = t;
    if (this.#facts) {
      for (const [name, was] of this.#past) {
        this.#shine(name, this.#meaning(was.line, this.#members.get(name), was.outputs));
      }
    }
    this.#show();
    this.#readPast(lines, seq);
  }

  // Readings follow from the moment; the daemon works them out, for the last input of an instant.
  async #readPast(lines, seq) {
    const past = this.#past;
    for (const [name, was] of past) {
      const member = this.#members.get(name);
      const isLast = !lines.some((item) => item.name === name &&
        (item.seq > seq && item.t === past.t && isOutcome(item.what) || item.seq <= seq && Number(item.undone) > seq));
      const isNow = past.t >= this.#page.world.clock.now();
      if (!isLast || !was.exists) was.readings = [];
      // At the very moment there are also the readings of the state before.
      else was.readings = isNow ? member.readings : await this.#page.readingsAt(name, past.t + SOON_AFTER);
      if (this.#past !== past || this.#isGone) return;
    }
    this.#showReadings();
  }
}

// The size of a picture, as its root says it, and the least size of its texts.
function pictureSize(text) {
  const [, width, height] = /<svg width="([\d.]+)pt" height="([\d.]+)pt"/.exec(text) ?? [];
  // The title of the picture is not shown.
  const parts = text.replace(/<g id="graph0"[\s\S]*?(?=<g id=)/, "");
  const sizes = [...parts.matchAll(/font-size="([\d.]+)"/g)].map((found) => Number(found[1]));
  return width ? { width: Number(width), height: Number(height), text: Math.min(14, ...sizes) } : null;
}

function short(value) {
  return /^-?\d+\.\d{3,}$/.test(value) ? number(value) : value;
}
