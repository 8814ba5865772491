// A diagram as text: a list of states with their moves. For those who do not see the picture, and where none can be drawn.

import { el, put, setText } from "./dom.js";
import { span } from "./times.js";

export class MoveTable {
  #element;
  #states = new Map();
  #moves = new Map();
  #present = new Map();
  #lit = new Map();
  #pointed = [];

  constructor(element) {
    this.#element = element;
  }

  draw(facts) {
    this.#states.clear();
    this.#moves.clear();
    const leaving = Map.groupBy(facts.transitions, (move) => move.from);
    const rows = facts.states
      .filter((state) => leaving.has(state.name) || !facts.states.some((other) => other.parent === state.name))
      .map((state) => {
        const moves = leaving.get(state.name) ?? [];
        const sign = el("span", { class: "sign" });
        const row = el("li", { class: "state" }, el("div", { class: "name" }, sign, state.name, state.final ? " (final)" : ""),
          el("ul", null, moves.map((move) => this.#move(move))));
        if (state.id !== undefined) this.#states.set(state.id, { row, sign });
        return row;
      });
    put(this.#element, el("ul", { class: "moves" }, rows));
    for (const ids of this.#present.values()) for (const id of ids) this.#toggle(id, true);
    this.point(this.#pointed);
  }

  #move(move) {
    const trigger = move.event ?? `${move.timer}${move.after === undefined ? "" : ` after ${span(move.after)}`}`;
    const condition = [move.samples && `(${move.samples})`, move.guard && `[${move.guard}]`].filter(Boolean).join(" ");
    const outputs = move.outputs?.length ? ` / ${move.outputs.join(", ")}` : "";
    const target = move.effect === "moved" ? ` → ${move.to}` : move.effect === "stayed" ? " stays" : ` ${move.effect}`;
    const item = el("li", null, el("b", null, trigger), condition && ` ${condition}`, target, outputs);
    this.#moves.set(move, item);
    return item;
  }

  setPresent(key, ids) {
    for (const id of this.#present.get(key) ?? []) this.#toggle(id, false);
    for (const id of ids) this.#toggle(id, true);
    this.#present.set(key, ids);
  }

  // Marks the states at which somebody points, and no others.
  point(ids) {
    for (const id of this.#pointed) this.#states.get(id)?.row.classList.remove("pointed");
    this.#pointed = ids;
    for (const id of ids) this.#states.get(id)?.row.classList.add("pointed");
  }

  #toggle(id, isPresent) {
    const state = this.#states.get(id);
    if (!state) return;
    state.row.classList.toggle("present", isPresent);
    setText(state.sign, isPresent ? "● " : "");
    if (isPresent) state.row.setAttribute("aria-current", "true");
    else state.row.removeAttribute("aria-current");
  }

  light(key, { moves }) {
    for (const move of this.#lit.get(key) ?? []) this.#moves.get(move)?.classList.remove("lit");
    for (const move of moves) this.#moves.get(move)?.classList.add("lit");
    this.#lit.set(key, moves);
  }

  clearLit() {
    for (const key of this.#lit.keys()) this.light(key, { moves: [] });
  }
}
