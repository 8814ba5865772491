// The clock of the world, and what may be done with it.

import { el, put, setText } from "./dom.js";
import { line } from "./requests.js";
import { clockTime } from "./times.js";
import { clockWords, faultOf } from "./words.js";
import { ruleOf } from "./fields.js";

const SPEEDS = ["0.1", "0.25", "0.5", "1", "2", "5", "10", "60", "600", "3600"];

export class ClockBar {
  #page;
  #time = el("output", { class: "time", "aria-live": "off", "aria-label": "Time of the world" });
  #mode = el("span", { class: "mode" });
  #tools = el("div", { class: "clock-tools", role: "group", "aria-label": "Clock" });
  #key = "";

  constructor(page) {
    this.#page = page;
    this.element = el("div", { class: "clock" }, el("div", { class: "dial" }, this.#time, this.#mode), this.#tools);
  }

  // Shows the time; `past` is a time that is looked at, or null.
  tick(past) {
    const { clock } = this.#page.world;
    setText(this.#time, clockTime(past ?? clock.now()));
    setText(this.#mode, past !== null ? "past" : this.#page.source.isLive ? clockWords(clock) : "recorded");
    this.element.classList.toggle("runs", clock.runs && past === null);
    const key = `${this.#page.source.control} ${clock.mode} ${clock.isPaused} ${clock.speed} ${past === null}`;
    if (key === this.#key) return;
    this.#key = key;
    this.#write(past !== null);
  }

  // Each has its place: what cannot be done now is pale, and what would change the present is so while the past is looked at.
  #write(isPast) {
    const { clock } = this.#page.world;
    if (!this.#page.source.control) return put(this.#tools);
    const focused = this.#tools.contains(document.activeElement) ? document.activeElement.dataset.role : null;
    const isReal = clock.mode === "real";
    const canMove = !isPast && (!isReal || clock.isPaused);
    const button = (role, label, title, request, isOpen = !isPast, isPressed = null) =>
      el("button", { class: "tool", "data-role": role, title, disabled: !isOpen, "aria-pressed": isPressed, onclick: () => this.ask(request) }, label);
    put(
      this.#tools,
      el("span", { class: "switch", role: "group", "aria-label": "Kind of clock" },
        button("real", "real", "Let time go by itself", "clock real", !isPast, String(isReal)),
        button("virtual", "virtual", "Let time move by steps alone", "clock virtual", !isPast, String(!isReal))),
      isReal && clock.isPaused
        ? button("run", "Resume", "Let time go on (space)", "resume")
        : button("run", "Pause", "Stop the clock (space)", "pause", !isPast && isReal),
      button("step", ["Step ", el("kbd", null, ".")], "Go to the next timer and let it run out (.)", "step", canMove),
      this.#advance(canMove),
      this.#speeds(clock.speed, isReal && !isPast),
      button("undo", ["Undo ", el("kbd", null, "u")], "Take back the last request (u)", "undo"),
      button("redo", ["Redo ", el("kbd", null, "r")], "Put the last undo back (r)", "redo"),
    );
    if (focused) this.#tools.querySelector(`[data-role="${focused}"]:not(:disabled)`)?.focus();
  }

  // A button with a field for the time to move by.
  #advance(isOpen) {
    const amount = el("input", {
      class: "amount",
      "data-role": "amount",
      value: "1s",
      "aria-label": "Time to advance by, such as 350ms or 2s",
      size: "6",
      disabled: !isOpen,
      autocomplete: "off",
      spellcheck: "false",
    });
    const { check } = ruleOf("0s..36500d");
    amount.addEventListener("input", () => amount.setAttribute("aria-invalid", String(check(amount.value) !== null)));
    const onsubmit = (event) => {
      event.preventDefault();
      if (check(amount.value) === null) this.ask(line(["advance", amount.value]));
    };
    const press = el("button", { class: "tool", "data-role": "advance", disabled: !isOpen, title: "Advance by this much" }, "Advance");
    return el("form", { class: "advance", onsubmit }, press, amount);
  }

  #speeds(present, isOpen) {
    const speeds = [...new Set([...SPEEDS, String(present)])].sort((a, b) => a - b);
    const onchange = (event) => this.ask(`speed ${event.target.value}`);
    return el(
      "select",
      { class: "speed", "data-role": "speed", disabled: !isOpen, "aria-label": "Speed of the clock", onchange },
      speeds.map((speed) => el("option", { value: speed, selected: Number(speed) === present }, `× ${speed}`)),
    );
  }

  // Sends a request about time, and says what went wrong.
  async ask(request) {
    const answer = await this.#page.source.request(request);
    const { clock } = this.#page.world;
    const { t, speed, paused, clock: mode } = answer.reply;
    if (answer.ok) clock.set({ t, speed, paused, mode });
    else this.#page.say(faultOf(answer));
    return answer;
  }

  // Pauses or resumes.
  toggle() {
    const { clock } = this.#page.world;
    if (clock.mode === "real") this.ask(clock.isPaused ? "resume" : "pause");
  }
}
