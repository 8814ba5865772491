// Dark or light: as the system has it, or as somebody chose here.

import { el, setText } from "./dom.js";

const KEY = "fsmd-theme";
const ORDER = ["auto", "light", "dark"];

function kept() {
  try {
    return localStorage.getItem(KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

export class ThemeSwitch {
  #theme = ORDER.includes(kept()) ? kept() : "auto";
  element = el("button", { class: "tool theme", onclick: () => this.next() });

  constructor() {
    this.#apply();
  }

  next() {
    this.#theme = ORDER[(ORDER.indexOf(this.#theme) + 1) % ORDER.length];
    try {
      localStorage.setItem(KEY, this.#theme);
    } catch {
      // It holds until the page is closed.
    }
    this.#apply();
  }

  #apply() {
    if (this.#theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.#theme;
    setText(this.element, { auto: "◐", light: "○", dark: "●" }[this.#theme]);
    this.element.title = `Colours: ${this.#theme === "auto" ? "as the system has them" : this.#theme} (t)`;
    this.element.setAttribute("aria-label", this.element.title);
  }
}
