// Says to screen readers what happens, and not more often than it can be listened to.

import { setText } from "./dom.js";
import { sentence } from "./words.js";

// Milliseconds between two announcements.
const SPEECH_PAUSE = 1600;

export class Announcer {
  #element;
  #waiting = [];
  #timer = 0;
  #last = -Infinity;

  constructor(element) {
    this.#element = element;
  }

  // Says a text, after what is said now.
  say(text) {
    this.#waiting.push(text);
    this.#plan();
  }

  // Takes a line that came now.
  notice(line) {
    if (["moved", "refused", "undone", "redone", "pointed"].includes(line.what)) this.say(sentence(line));
  }

  #plan() {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#last = performance.now();
      const waiting = this.#waiting;
      this.#waiting = [];
      const more = waiting.length - 2;
      setText(this.#element, more > 0 ? `${more} more changes. ${waiting.slice(-2).join(". ")}` : waiting.join(". "));
    }, Math.max(0, this.#last + SPEECH_PAUSE - performance.now()));
  }
}
