// Goes back through the journal, by buttons, keys and the playhead of the waveform. The world goes on meanwhile, untouched.

import { el, setText } from "./dom.js";
import { clockTime } from "./times.js";
import { prefersStillness } from "./dom.js";

// Milliseconds between two inputs of a replay, at least and at most.
const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 1500;

export class Slider {
  #page;
  #onmove;
  #inputs = [];
  #place = null;
  #timer = 0;
  #parts;

  // `onmove` gets the input that is looked at, `{ seq, t }`, or null for now.
  constructor(page, { onmove, onfork }) {
    this.#page = page;
    this.#onmove = onmove;
    this.#parts = {
      // For keys and screen readers; what is seen of it is the playhead.
      range: el("input", { class: "unseen", type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "Moment of the journal" }),
      back: el("button", { class: "tool", title: "One input back ([)", "aria-label": "One input back", onclick: () => this.step(-1) }, "◂"),
      on: el("button", { class: "tool", title: "One input on (])", "aria-label": "One input on", onclick: () => this.step(1) }, "▸"),
      play: el("button", { class: "tool", title: "Play from here (p)", onclick: () => this.play() }, "Play"),
      live: el("button", { class: "tool live", hidden: true, title: "Back to now (Esc)", onclick: () => this.live() }, "Now"),
      fork: el("button", { class: "tool", hidden: true, title: "Make a world of this moment", onclick: () => onfork(this.current) }, "Fork here"),
      text: el("output", { class: "moment-text" }),
    };
    const { range, back, on, play, live, fork, text } = this.#parts;
    this.element = el("div", { class: "slider", role: "group", "aria-label": "Go back in the journal" }, range, back, on, play, text, fork, live);
    range.addEventListener("input", () => {
      // To stop writes the place that was.
      const place = Number(range.value);
      this.#stop();
      this.#go(place >= this.#inputs.length - 1 ? null : place);
    });
  }

  get current() {
    return this.#place === null ? null : this.#inputs[this.#place] ?? null;
  }

  get isPast() {
    return this.#place !== null;
  }

  // Takes the inputs of the journal, those of what is shown.
  setInputs(inputs) {
    const before = this.current;
    this.#inputs = inputs;
    const { range } = this.#parts;
    range.max = Math.max(0, inputs.length - 1);
    if (before) {
      const place = inputs.findIndex((input) => input.seq >= before.seq);
      this.#place = place < 0 ? inputs.length - 1 : place;
    }
    this.#write();
  }

  #write() {
    const { range, text, fork, live, play } = this.#parts;
    range.value = this.#place ?? this.#inputs.length - 1;
    const current = this.current;
    const count = this.#inputs.length;
    const now = count ? `now · ${count} ${count === 1 ? "input" : "inputs"}` : "nothing yet";
    setText(text, current ? `${clockTime(current.t)} · ${this.#place + 1} of ${count}${current.isUndone ? " · undone" : ""}` : now);
    range.setAttribute("aria-valuetext", current ? `${clockTime(current.t)}, input ${current.seq}` : "now");
    this.element.classList.toggle("past", this.isPast);
    live.hidden = !this.isPast;
    // The daemon makes no world of a moment that was undone.
    fork.hidden = !current || !this.#page.source.control || current.isUndone;
    setText(play, this.#timer ? "Stop" : "Play");
  }

  #go(place) {
    this.#place = place === null || !this.#inputs.length ? null : Math.max(0, Math.min(this.#inputs.length - 1, place));
    this.#write();
    this.#onmove(this.current);
  }

  // Goes to an input.
  moveTo(seq) {
    this.#stop();
    const place = this.#inputs.findLastIndex((input) => input.seq <= seq);
    this.#go(Math.max(0, place));
  }

  // Goes some inputs back or on; beyond the last one it is now.
  step(count) {
    this.#stop();
    const from = this.#place ?? this.#inputs.length - (count < 0 ? 1 : 0);
    const to = from + count;
    if (to >= this.#inputs.length) return this.live();
    this.#go(to);
  }

  live() {
    this.#stop();
    this.#go(null);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#write();
  }

  // Replays from the moment that is looked at, or from the beginning, in about the time that it took.
  play() {
    if (this.#timer) return this.#stop();
    if (!this.#inputs.length) return;
    if (this.#place === null || this.#place === this.#inputs.length - 1) this.#go(0);
    this.#next();
    this.#write();
  }

  #next() {
    const [now, next] = [this.#inputs[this.#place], this.#inputs[this.#place + 1]];
    if (!next) {
      this.#timer = 0;
      this.#write();
      return;
    }
    const pause = Math.max(prefersStillness() ? 2 * SHORTEST_PAUSE : SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, (next.t - now.t) * 1000));
    this.#timer = setTimeout(() => {
      this.#go(this.#place + 1);
      this.#next();
    }, pause);
  }
}
