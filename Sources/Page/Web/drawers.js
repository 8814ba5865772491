// The diagram is the stage; the list, the journal and the waveform are drawers beside it, each with a key and a size that is kept.

import { el } from "./dom.js";

const KEPT_AS = "fsmd-drawers";
// From this width on all drawers begin open.
const WIDE = 1700;
// By their key: the name, the words of the button, the variable of the size, its axis and direction, and the least and most pixels.
const DRAWERS = {
  m: { name: "list", text: "Machines", size: "--list-size", axis: "clientX", sign: 1, least: 180, most: 640 },
  j: { name: "log", text: "Journal", size: "--log-size", axis: "clientX", sign: -1, least: 220, most: 800 },
  w: { name: "dock", text: "Wave", size: "--dock-size", axis: "clientY", sign: -1, least: 130, most: 700 },
};

function keptDrawers() {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS)) ?? {};
  } catch {
    return {};
  }
}

export class Drawers {
  #state = { open: innerWidth >= WIDE ? ["list", "log", "dock"] : ["dock"], sizes: {}, ...keptDrawers() };
  #buttons = new Map();
  #onchange;
  #rooms = null;
  isStage = false;

  constructor(onchange) {
    this.#onchange = onchange;
    const buttons = Object.entries(DRAWERS).map(([key, drawer]) => {
      const button = el("button", { class: "tool", title: `Show or hide (${key})`, onclick: () => this.press(key) }, `${drawer.text} `, el("kbd", null, key));
      this.#buttons.set(drawer.name, button);
      return button;
    });
    this.#buttons.set("stage", el("button", { class: "tool", title: "The diagram and nothing else (f)", onclick: () => this.press("f") },
      "Stage ", el("kbd", null, "f")));
    this.element = el("div", { class: "drawers", role: "group", "aria-label": "Parts of the page" }, buttons, this.#buttons.get("stage"));
  }

  // Takes the rooms, and puts a handle at each drawer.
  attach(rooms, elements) {
    this.#rooms = rooms;
    for (const [key, drawer] of Object.entries(DRAWERS)) elements[drawer.name].append(this.#handle(key, drawer, elements[drawer.name]));
    this.#apply();
  }

  // Whether a key belongs to a drawer, or to the stage.
  has(key) {
    return key === "f" || key in DRAWERS;
  }

  press(key) {
    if (key === "f") {
      this.isStage = !this.isStage;
    } else {
      const { name } = DRAWERS[key];
      const { open } = this.#state;
      this.#state.open = !this.isStage && open.includes(name) ? open.filter((other) => other !== name) : [...new Set([...open, name])];
      this.isStage = false;
      this.#keep();
    }
    this.#apply();
  }

  #handle(key, { text, size, axis, sign, least, most }, element) {
    const isRow = axis === "clientY";
    const set = (pixels) => {
      this.#state.sizes[size] = Math.round(Math.max(least, Math.min(most, pixels)));
      this.#apply();
    };
    const present = () => (isRow ? element.offsetHeight : element.offsetWidth);
    const handle = el("div", { class: "handle", role: "separator", tabindex: "0", "aria-label": `Size of ${text}`,
      "aria-orientation": isRow ? "horizontal" : "vertical", "aria-valuemin": least, "aria-valuemax": most });
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      const [from, was] = [event[axis], present()];
      const move = (moved) => set(was + sign * (moved[axis] - from));
      handle.addEventListener("pointermove", move);
      handle.addEventListener("lostpointercapture", () => {
        handle.removeEventListener("pointermove", move);
        this.#keep();
      }, { once: true });
    });
    handle.addEventListener("keydown", ({ key: pressed }) => {
      const step = { ArrowLeft: -20, ArrowRight: 20, ArrowUp: -20, ArrowDown: 20 }[pressed];
      if (step === undefined) return;
      set(present() + sign * step);
      this.#keep();
    });
    return handle;
  }

  #apply() {
    const { open, sizes } = this.#state;
    for (const [name, button] of this.#buttons) {
      button.setAttribute("aria-pressed", String(name === "stage" ? this.isStage : !this.isStage && open.includes(name)));
    }
    document.documentElement.classList.toggle("is-stage", this.isStage);
    if (!this.#rooms) return;
    for (const { name } of Object.values(DRAWERS)) this.#rooms.classList.toggle(`without-${name}`, this.isStage || !open.includes(name));
    for (const [name, pixels] of Object.entries(sizes)) this.#rooms.style.setProperty(name, `${pixels}px`);
    this.#onchange();
  }

  #keep() {
    try {
      localStorage.setItem(KEPT_AS, JSON.stringify(this.#state));
    } catch {
      // It holds until the page is closed.
    }
  }
}
