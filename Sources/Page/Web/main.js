// The page: it joins the source, the world and the views.

import { Announcer } from "./announcer.js";
import { ClockBar } from "./clockbar.js";
import { Connection, takeToken } from "./connection.js";
import { openFile, openHelp, openNew } from "./dialogs.js";
import { afterFrame, atMostEvery, el, prefersStillness, put, setText } from "./dom.js";
import { Kinds } from "./kinds.js";
import { Drawers } from "./drawers.js";
import { LessonText } from "./lesson.js";
import { Log } from "./log.js";
import { MachineList } from "./machines.js";
import { Panel } from "./panel.js";
import { Recording } from "./recording.js";
import { line } from "./requests.js";
import { Slider } from "./slider.js";
import { ThemeSwitch } from "./theme.js";
import { Wave } from "./wave.js";
import { faultOf, gapWords, identity } from "./words.js";
import { World } from "./world.js";

// Inputs of the past with which the page begins.
const PAST = 400;
// Milliseconds until the page is on the screen, even if there is nothing to show on it yet.
const LATEST_FRAME = 400;
const CLOCK = "clock";
// Panels side by side.
const MOST_PANELS = 6;

const KEYS = [
  ["/", "search the machines"],
  ["↑ ↓", "go through the machines; Enter shows one, Shift Enter shows it beside the others"],
  ["[ ]", "one input back or on in the journal"],
  ["p", "play the journal from the shown moment"],
  ["Esc", "back to now"],
  ["Space", "pause or resume the clock (with control)"],
  [".", "step to the next timer (with control)"],
  ["1 … 9", "send one of the possible events (with control)"],
  ["u", "undo the last request (with control)"],
  ["r", "redo what was undone (with control)"],
  ["n", "a new machine (with control)"],
  ["l", "the moves of the first diagram as a list"],
  ["+ −", "the first diagram larger or smaller"],
  ["m j w", "the machines, the journal, the waveform: shown or hidden"],
  ["f", "the stage: the diagram and nothing else"],
  ["q", "predict: hides what is possible, until it is pressed again"],
  ["t", "dark, light, or as the system has it"],
  ["?", "this list"],
];

// The world of a daemon in which sessions begin.
const MAIN = "main";

function worldOfAddress() {
  return new URLSearchParams(location.search).get("world") ?? MAIN;
}

class Page {
  world = new World();
  #panels = [];
  #parts;
  #views;
  #address = new URLSearchParams(location.search);
  #gaps = { count: 0, since: 0 };
  #isStarted = false;
  // Whether lines of the past come in, which nobody has to be told of.
  #isCatchingUp = false;
  #status = "";
  // The world that is to be shown.
  #wanted = worldOfAddress();

  constructor(source) {
    this.source = source;
    this.kinds = new Kinds(source);
    const names = () => this.#panels.flatMap((panel) => panel.machines);
    const parts = (this.#parts = {
      worlds: el("select", { "aria-label": "World", onchange: (event) => this.#use(event.target.value) }),
      status: el("span", { class: "status", role: "status" }, el("i", { "aria-hidden": "true" }), el("span")),
      message: el("p", { class: "message", role: "alert", hidden: true }),
      panels: el("main", { class: "panels", id: "panels", tabindex: "-1" }),
      empty: el("div", { class: "empty", hidden: true }),
      make: el("button", { class: "tool make", hidden: true, title: "A new machine (n)", onclick: () => this.#new() }, "New ", el("kbd", null, "n")),
      spoken: el("div", { class: "unseen", "aria-live": "polite", "aria-atomic": "true" }),
    });
    const theme = new ThemeSwitch();
    const drawers = new Drawers(() => this.#refit());
    this.#views = {
      theme,
      drawers,
      list: new MachineList(this, { onpick: (name, isBeside) => this.show(name, isBeside) }),
      clock: new ClockBar(this),
      wave: new Wave(source, this.world, { names, readings: (name) => this.#panels.flatMap((panel) => panel.readingsOf(name)), onpick: (seq) => (seq === null ? this.#views.slider.live() : this.#views.slider.moveTo(seq)) }),
      log: new Log(this.world, { names, onpick: (seq) => this.#views.slider.moveTo(seq) }),
      slider: new Slider(this, { onmove: (input) => this.#look(input), onfork: (input) => this.#fork(input) }),
      announcer: new Announcer(parts.spoken),
      lesson: new LessonText(),
    };
    const { list, clock, wave, log, slider } = this.#views;
    const tabs = this.#makeTabs();
    const dock = el("section", { class: "dock", "aria-label": "Waveform" },
      el("div", { class: "wave-head" }, slider.element, wave.readout, wave.fold), wave.element);
    const rooms = el("div", { class: "rooms", "data-room": "diagram" }, list.element, parts.panels, this.#views.lesson.element, log.element, dock);
    drawers.attach(rooms, { list: list.element, log: log.element, dock });
    this.#whole = [
      el("a", { class: "skip", href: "#panels", onclick: (event) => {
        event.preventDefault();
        parts.panels.focus();
      } }, "To the diagrams"),
      el("header", { class: "top" }, el("h1", null, "fsmd"),
        el("label", { class: "world" }, el("span", { class: "unseen" }, "World"), parts.worlds),
        clock.element, parts.status, drawers.element, parts.make, theme.element,
        el("button", { class: "tool help", title: "Keys (?)", "aria-label": "Keys", onclick: () => openHelp(KEYS) }, "?")),
      parts.message,
      rooms,
      tabs,
      parts.spoken,
    ];
    parts.panels.append(parts.empty);
    setTimeout(() => this.appear(), LATEST_FRAME);
    this.#refresh = {
      inputs: atMostEvery(150, () => this.#countInputs()),
      address: atMostEvery(300, () => this.#keepAddress()),
      gap: atMostEvery(1000, () => this.#sayGap()),
      growth: atMostEvery(500, () => this.#views.wave.update()),
    };
    source.addEventListener("session", (event) => this.#begin(event.detail));
    source.addEventListener("status", (event) => this.#say(event.detail));
    source.addEventListener("notice", (event) => this.#notice(event.detail));
    source.addEventListener("flow", (event) => this.#flow(event.detail));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#takeFiles();
    addEventListener("resize", () => this.#refit());
    this.#tick();
    setInterval(() => this.#poll(), 1000);
  }

  #refresh;
  #whole;

  // Brings the page to the screen: with the first thing to show on it, so that it is laid out once.
  appear() {
    if (!this.#whole) return;
    put(document.body, ...this.#whole);
    this.#whole = null;
  }

  // The room for pictures has changed.
  #refit() {
    this.#views?.wave.update();
    for (const panel of this.#panels) panel.refit();
  }

  // MARK: Rooms of a narrow screen

  #makeTabs() {
    const rooms = [["machines", "Machines"], ["diagram", "Diagram"], ["wave", "Wave"], ["journal", "Journal"]];
    const nav = el("nav", { class: "tabs", "aria-label": "Parts of the page" }, rooms.map(([room, text]) =>
      el("button", { "data-room": room, "aria-pressed": String(room === "diagram"), onclick: () => this.#enter(room) }, text)));
    return nav;
  }

  #enter(room) {
    document.querySelector(".rooms").dataset.room = room;
    for (const button of document.querySelectorAll(".tabs button")) button.setAttribute("aria-pressed", String(button.dataset.room === room));
    this.#refit();
  }

  // MARK: The session

  async #begin({ isSame }) {
    const first = !this.#isStarted;
    const wanted = this.#wanted;
    // Without waiting for an answer: the link opens on a picture.
    const worlds = this.source.request("worlds");
    const asked = this.source.request(line(["use", wanted]));
    if (first && this.source.isLive) this.source.ahead([CLOCK, this.#views.list.request, ...this.#named.flatMap(Panel.requests)]);
    const used = await asked;
    const { reply } = used;
    if (!used.ok) {
      if (!used.gone && wanted !== MAIN) this.#use(MAIN);
      return;
    }
    this.#isStarted = true;
    this.#listWorlds(await worlds);
    const isKnown = !first && reply.world === this.world.name && reply.seq >= this.world.journal.last && (isSame || this.world.journal.last > 0);
    // Of another daemon only a world that is stored is the same: its journal tells.
    if (isKnown && !isSame && !(await this.#isContinued())) return this.#enterWorld(reply);
    if (isKnown) await this.#resume(reply);
    else await this.#enterWorld(reply);
  }

  // The machines that the address names.
  get #named() {
    return (this.#address.get("show") ?? "").split(",").filter(Boolean).slice(0, MOST_PANELS);
  }

  // Whether the last input that the page knows is still in the journal as it was.
  async #isContinued() {
    const { journal } = this.world;
    const mine = journal.lines.filter((item) => item.seq === journal.last);
    const { ok, data } = await this.source.request(`journal since=${journal.last} limit=1`);
    if (!ok || !mine.length) return false;
    const theirs = new Set(data.filter((item) => item.seq === journal.last).map(identity));
    return mine.every((item) => theirs.has(identity(item)));
  }

  async #resume(reply) {
    await this.#takeClock(reply);
    this.#teach({});
    await this.#watch(this.world.journal.last + 1, reply.seq);
    this.#views.list.load();
    this.#tellEmpty();
    for (const panel of this.#panels) panel.recheck();
  }

  // Looks at another world, in the session of the tabs that do.
  #use(name) {
    this.#wanted = name;
    this.source.enter(name);
  }

  async #enterWorld(reply) {
    this.world.clear(reply.world);
    this.#teach({});
    for (const panel of this.#panels) panel.close();
    const before = this.#panels.map((panel) => panel.name);
    this.#panels = [];
    this.kinds.forget();
    this.#views.slider.setInputs([]);
    this.#views.slider.live();
    const clock = this.#takeClock(reply);
    const listed = this.#views.list.load();
    const wanted = this.#named.length ? this.#named : before;
    // What was asked for by name is drawn without waiting for the list.
    let arrive;
    this.#isWatched = new Promise((resolve) => (arrive = resolve));
    for (const name of wanted) this.show(name, true);
    const watched = this.#watch(Math.max(1, reply.seq - PAST), reply.seq).then(arrive);
    await clock;
    await listed;
    this.#showFirst();
    await watched;
    this.#showFirst();
    this.#views.log.rebuild();
    this.#refresh.inputs();
    this.#views.wave.update();
    this.#parts.worlds.value = reply.world;
  }

  // A machine, if there is one and none is shown.
  #showFirst() {
    if (!this.#panels.length && this.#views.list.first) this.show(this.#views.list.first, false);
    this.#tellEmpty();
  }

  // Follows the world from an input on; what happened before is in the journal.
  async #watch(since, last) {
    this.#isCatchingUp = true;
    const answer = await this.#askToWatch(since, last);
    // The past may have gone beyond now, before something was undone.
    await this.#takeClock({});
    this.#isCatchingUp = false;
    return answer;
  }

  async #askToWatch(since, last) {
    if (since > last) return this.source.request("watch * what=all");
    const answer = await this.source.request(`watch * what=all since=${since}`);
    if (answer.ok || answer.gone) return answer;
    // The journal has forgotten so much.
    const from = Number(answer.reply.from);
    const isThere = from > since && from <= last;
    this.world.journal.skip(since, isThere ? from - 1 : last);
    return this.source.request(isThere ? `watch * what=all since=${from}` : "watch * what=all");
  }

  async #takeClock({ t }) {
    this.world.clock.set({ t });
    const { ok, reply } = await this.source.request(CLOCK);
    if (ok) this.world.clock.set({ mode: reply.clock, speed: reply.speed, paused: reply.paused ?? "no", t: reply.t });
  }

  #listWorlds({ ok, data }) {
    if (!ok) return;
    const names = data.map((item) => item.world);
    const { worlds } = this.#parts;
    if ([...worlds.options].map((option) => option.value).join() === names.join()) return;
    put(worlds, names.map((name) => el("option", { value: name }, name)));
    worlds.value = this.world.name ?? names[0];
  }

  // MARK: What comes from the daemon

  #notice(item) {
    const { list, wave, log, announcer } = this.#views;
    const isInput = item.what !== "clock" && item.what !== "pointed";
    if (item.what === "pointed" && item.say !== undefined) return this.#teach(item);
    const isPast = item.seq <= this.world.journal.last && isInput && this.#isOld(item);
    if (isPast) return;
    const isFirst = item.seq !== this.world.journal.last;
    this.world.apply(item);
    for (const panel of this.#panels) panel.notice(item);
    if (item.what === "pointed") announcer.notice(item);
    if (!isInput) return;
    if (item.what === "undone" || item.what === "redone") {
      for (const panel of this.#panels) panel.recheck();
      log.rebuild();
    } else {
      log.add(item);
    }
    list.notice(item);
    if (!this.#isCatchingUp) announcer.notice(item);
    if (isFirst) this.#refresh.inputs();
    wave.update();
    if (item.what !== "created") return;
    // A machine that is made while a teacher speaks is what is spoken of; of a composition, the whole. So is the first one.
    const isAwaited = !this.#views.lesson.element.hidden || !this.#panels.length;
    if (isAwaited && !this.#isCatchingUp) this.show(item.name.replace(/\.[^.]*$/, ""), false);
    this.#tellEmpty();
  }

  // A teacher says something, and what is possible may be hidden until the room has said what comes.
  #teach({ say = "", predict }) {
    const { lesson } = this.#views;
    const wasHidden = lesson.element.hidden;
    lesson.show(say);
    lesson.element.parentNode.classList.toggle("has-lesson", say !== "");
    document.documentElement.classList.toggle("is-predicting", predict === "yes");
    if (lesson.element.hidden !== wasHidden) this.#refit();
  }

  // Whether a line was seen already: the first lines of `since=` can be.
  #isOld(item) {
    const { lines, last } = this.world.journal;
    if (item.seq < last) return true;
    for (let place = lines.length - 1; place >= 0 && lines[place].seq === item.seq; place -= 1) {
      if (identity(lines[place]) === identity(item)) return true;
    }
    return false;
  }

  #flow(item) {
    switch (item.what) {
      case "gap":
        this.#gaps.count += item.to - item.from + 1;
        this.#gaps.since ||= performance.now();
        // What stands beside the gap does not follow from what was known.
        this.world.journal.skip(item.from, item.to);
        for (const panel of this.#panels) panel.recheck();
        this.#refresh.gap();
        break;
      case "livelock":
        this.say(`${item.machine ?? "A machine"} goes round without time passing: ${item.timer ?? item.output ?? ""}`);
        break;
      case "limit":
        this.say(`The world has reached a limit: ${item.name}`);
        break;
      case "world":
        this.#begin({ isSame: true });
        break;
    }
  }

  // Says that a world changes faster than it can be shown.
  #sayGap() {
    const { count, since } = this.#gaps;
    if (!count) {
      this.#parts.status.classList.remove("sampling");
      this.#say(this.#status);
      for (const panel of this.#panels) this.#askHistory(panel.name);
      return;
    }
    const text = gapWords(count, Math.max(1, (performance.now() - since) / 1000));
    this.#views.log.addGap(text);
    this.#views.list.load();
    this.#parts.status.classList.add("sampling");
    setText(this.#parts.status.lastChild, "sampling");
    this.#parts.status.title = text;
    this.#gaps = { count: 0, since: 0 };
    // Asks once more, so that it ends when the gaps end.
    setTimeout(() => this.#refresh.gap(), 1500);
  }

  #say(status) {
    this.#status = status;
    if (status !== "open") {
      this.appear();
      this.#tellEmpty();
    }
    const { status: element } = this.#parts;
    const open = this.source.control ? "live, with control" : "live";
    const text = { open, lost: "reconnecting", full: "no room", locked: "locked", recorded: "recorded" }[status] ?? "connecting";
    if (!element.classList.contains("sampling")) setText(element.lastChild, text);
    element.dataset.status = status;
    element.title = "";
    this.#parts.make.hidden = !this.source.control;
    if (status === "lost") element.classList.remove("sampling");
    if (status === "locked") {
      this.say("This page needs the link that fsmd printed: it ends with # and a key. Open that link.", true);
    } else if (status === "full") {
      this.say("This browser shows as many worlds of the daemon as it can (five). Close the tabs of one, and this one goes on.", true);
    } else if (status === "open" && this.#parts.message.dataset.stays) {
      this.#parts.message.hidden = true;
    }
  }

  // Shows a message; for a while, unless it stays.
  say(text, stays = false) {
    const { message } = this.#parts;
    setText(message, text);
    message.hidden = false;
    if (stays) message.dataset.stays = "yes";
    else delete message.dataset.stays;
    clearTimeout(this.#silence);
    if (!stays) this.#silence = setTimeout(() => (message.hidden = true), 8000);
  }

  #silence = 0;

  // MARK: What is shown

  // Shows a machine or a composition, beside the others or alone.
  show(name, isBeside) {
    const known = this.#panels.find((panel) => panel.name === name);
    if (known && isBeside) return this.#close(known);
    if (!isBeside) {
      for (const panel of this.#panels) if (panel !== known) panel.close();
      this.#panels = known ? [known] : [];
    }
    if (!known) {
      while (this.#panels.length >= MOST_PANELS) this.#panels.shift().close();
      const panel = new Panel(this, name, { onclose: (closed) => this.#close(closed), oncontent: () => this.#drawn() });
      this.#panels.push(panel);
      this.#parts.panels.append(panel.element);
      panel.load();
      this.#askHistory(name);
    }
    if (this.#parts.panels.closest(".rooms").dataset.room === "machines") this.#enter("diagram");
    this.#shown();
    this.#tellEmpty();
  }

  // A machine that was made here stands beside the others; the first one is shown already.
  #showMade(name) {
    if (!this.#panels.some((panel) => panel.name === name)) this.show(name, this.#panels.length > 0);
  }

  // A picture is there. What belongs to it comes after the frame that shows it.
  #drawn() {
    this.appear();
    afterFrame(() => this.#shown());
  }

  // What a machine did before the inputs with which the page begins, and in a gap; of a composition, its members.
  async #askHistory(name) {
    if (!this.source.isLive) return;
    const { journal } = this.world;
    const answers = await Promise.all([name, `${name}.*`].map((pattern) =>
      this.source.request(line(["journal", pattern], { limit: PAST, what: "all" }))));
    await this.#isWatched;
    if (journal !== this.world.journal || !journal.fill(answers.flatMap(({ data }) => data))) return;
    for (const panel of this.#panels) panel.recheck();
    this.#views.log.rebuild();
    this.#refresh.inputs();
    this.#views.wave.update();
  }

  // Resolved when the past of the world has come in.
  #isWatched = null;

  readingsAt(name, t) {
    return this.#views.wave.readingsAt(name, t);
  }

  #close(panel) {
    panel.close();
    this.#panels = this.#panels.filter((other) => other !== panel);
    this.#shown();
    this.#tellEmpty();
  }

  #shown() {
    this.#views.list.setShown(this.#panels.map((panel) => panel.name));
    this.#parts.panels.dataset.count = this.#panels.length;
    this.#refresh.address();
    this.#refresh.inputs();
    this.#refit();
    const current = this.#views.slider.current;
    if (current) this.#look(current);
  }

  #tellEmpty() {
    const { empty } = this.#parts;
    empty.hidden = this.#panels.length > 0;
    if (empty.hidden) return;
    this.appear();
    const apart = {
      locked: ["This page is locked.", "fsmd has printed a link that ends with # and a key: open that link."],
      lost: ["The daemon cannot be reached.", "The page tries again by itself. If fsmd was started anew, open its new link."],
      full: ["There is no room for one more world.", "A browser has room for five worlds of one daemon: close the tabs of another one."],
    }[this.#status];
    if (apart) return put(empty, el("h2", null, apart[0]), el("p", null, apart[1]));
    const hasMachines = this.#views.list.names.length > 0;
    put(empty, hasMachines
      ? el("p", null, "Choose a machine from the list.")
      : [el("p", null, "This world has no machines yet."),
        this.source.control
          ? el("button", { class: "primary", onclick: () => this.#new() }, "Make one")
          : el("p", null, "At a prompt: ", el("kbd", null, "fsmrepl"), " then ", el("kbd", null, "new shiftKey key"), " and ", el("kbd", null, "send key tap"))]);
  }

  // The address names what is shown, so that a reload shows it again.
  #keepAddress() {
    if (location.protocol === "file:") return;
    const address = new URLSearchParams();
    if (this.world.name) address.set("world", this.world.name);
    if (this.#panels.length) address.set("show", this.#panels.map((panel) => panel.name).join(","));
    history.replaceState(null, "", `${location.pathname}?${address}`);
    this.#address = address;
    document.title = `${this.#panels.map((panel) => panel.name).join(", ") || this.world.name || "worlds"} · fsmd`;
  }

  #countInputs() {
    const wanted = new Set(this.#panels.flatMap((panel) => panel.machines));
    const inputs = [];
    for (const item of this.world.journal.lines) {
      if (!wanted.has(item.name) || item.what === "wired" || item.what === "unwired") continue;
      if (inputs.at(-1)?.seq !== item.seq) inputs.push({ seq: item.seq, t: item.t, isUndone: item.undone !== undefined });
    }
    this.#views.slider.setInputs(inputs);
  }

  // Shows a moment of the past; null for now.
  #look(input) {
    const { wave, log, list } = this.#views;
    for (const panel of this.#panels) panel.showPast(this.world.journal.lines, input?.seq ?? null, input?.t);
    wave.showPast(input?.seq ?? null);
    log.showPast(input?.seq ?? null);
    list.showPast(input?.seq ?? null);
    document.documentElement.classList.toggle("is-past", input !== null);
    this.#tickOnce();
  }

  // MARK: Control

  // Makes a world of a moment.
  async #fork(input) {
    if (!input) return;
    const base = `${this.world.name}-${input.seq}`.slice(0, 60);
    const fork = (name) => this.source.request(line(["world", "fork", name], { seq: input.seq }));
    let name = base;
    let made = await fork(name);
    for (let number = 2; made.reply.code === "NAME-TAKEN" && number < 50; number += 1) made = await fork((name = `${base}-${number}`));
    if (!made.ok) return this.say(faultOf(made));
    this.#listWorlds(await this.source.request("worlds"));
    this.#use(name);
  }

  #new(wanted) {
    openNew(this, { wanted, onmade: (name) => this.#showMade(name) });
  }

  #takeFiles() {
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    document.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = this.source.control ? "copy" : "none";
      document.body.classList.toggle("dropping", this.source.control);
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    document.addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      document.body.classList.remove("dropping");
      if (!this.source.control) return this.say("This page only looks. Start fsmd with --page-control to load files here.");
      for (const file of event.dataTransfer.files) openFile(this, file, { onmade: (name) => this.#showMade(name) });
    });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog")) return;
    const target = event.target;
    const isTyping = target.closest?.("input:not([type=range]), select, textarea");
    if (event.key === "Escape" && this.#views.slider.isPast && !isTyping) return this.#views.slider.live();
    if (isTyping) return;
    const { slider, list, clock, theme } = this.#views;
    const panel = this.#panels.find((item) => item.element.contains(document.activeElement)) ?? this.#panels[0];
    const isButton = target.closest?.("button, a, summary");
    const control = this.source.control && !slider.isPast;
    const actions = {
      "/": () => list.focus(),
      "?": () => openHelp(KEYS),
      "[": () => slider.step(-1),
      "]": () => slider.step(1),
      p: () => slider.play(),
      l: () => panel?.toggleText(),
      "+": () => panel?.zoom(1.5),
      "-": () => panel?.zoom(1 / 1.5),
      t: () => theme.next(),
      " ": control && !isButton ? () => clock.toggle() : null,
      ".": control ? () => clock.ask("step") : null,
      u: control ? () => clock.ask("undo") : null,
      r: control ? () => clock.ask("redo") : null,
      n: control ? () => this.#new() : null,
    };
    let action = actions[event.key];
    const { drawers } = this.#views;
    if (drawers.has(event.key)) action = () => drawers.press(event.key);
    if (event.key === "q") action = () => document.documentElement.classList.toggle("is-predicting");
    if (control && /^[1-9]$/.test(event.key)) action = () => panel?.buttons[Number(event.key) - 1]?.click();
    if (!action) return;
    event.preventDefault();
    action();
  }

  // MARK: Time

  // Without asking for frames: a page on which nothing changes draws none.
  #tick() {
    setTimeout(() => this.#tick(), prefersStillness() ? 500 : 50);
    if (document.hidden) return;
    this.#tickOnce();
    if (this.world.clock.runs) this.#refresh.growth();
  }

  #tickOnce() {
    const current = this.#views.slider.current;
    this.#views.clock.tick(current ? current.t : null);
    for (const panel of this.#panels) if (current || panel.runs || panel.isCounting) panel.tick();
  }

  // What changes without a notice: the time of a virtual clock that others move, worlds, readings.
  async #poll() {
    if (document.hidden || !this.source.isLive || !this.#isStarted || this.#status !== "open") return;
    const { clock } = this.world;
    this.#pollCount += 1;
    if (!clock.runs || this.#pollCount % 10 === 0) {
      const { ok, reply } = await this.source.request(CLOCK);
      if (ok) clock.set({ mode: reply.clock, speed: reply.speed, paused: reply.paused ?? "no", t: reply.t });
    }
    if (this.#pollCount % 4 === 0) this.#listWorlds(await this.source.request("worlds"));
    if (!this.#views.slider.isPast) for (const panel of this.#panels) panel.refresh();
  }

  #pollCount = 0;
}

const source = Recording.find() ?? new Connection(takeToken(), worldOfAddress());
// What it has to say comes later; it is asked first, since the page takes a moment to make.
source.open();
new Page(source);
