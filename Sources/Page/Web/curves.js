// Readings over time, such as a temperature. They follow from the state and the moment, so the daemon works them out.

import { atMostEvery } from "./dom.js";
import { line } from "./requests.js";

// Milliseconds between two questions.
const LOAD_PAUSE = 1000;
// Machines that are asked about, and curves of each.
const MOST_ASKED = 4;
const MOST_SHOWN = 2;

export class Curves {
  #source;
  #onchange;
  #curves = new Map();
  // Machines that have no readings.
  #none = new Set();
  #wanted = null;
  #ask;

  constructor(source, onchange) {
    this.#source = source;
    this.#onchange = onchange;
    this.#ask = atMostEvery(LOAD_PAUSE, () => this.#load());
  }

  clear() {
    this.#curves.clear();
    this.#none.clear();
  }

  // The curves of a machine that are known: `{ name, unit, points }`, a point being a time and a value.
  of(name) {
    return this.#curves.get(name) ?? [];
  }

  // The readings of a machine at a time, as `show` has those of now.
  async at(name, t) {
    const stretch = this.#source.isLive ? { from: t.toFixed(9), to: t.toFixed(9) } : { from: 0 };
    const { ok, data } = await this.#source.request(line(["wave", name], { ...stretch, format: "json" }));
    if (!ok) return [];
    const { lanes } = JSON.parse(data.map((item) => item.text).join("\n"));
    return (lanes[0]?.readings ?? []).flatMap(({ name, unit, points }) => {
      const point = points.findLast(([time]) => time <= t + 1e-9);
      return point ? [{ name, unit, value: point[1] }] : [];
    });
  }

  // Asks for the curves of machines over a stretch of time.
  want(names, from, to) {
    const key = `${names} ${from} ${to}`;
    if (this.#wanted?.key === key) return;
    this.#wanted = { key, names: names.filter((name) => !this.#none.has(name)).slice(0, MOST_ASKED), from, to };
    if (this.#wanted.names.length) this.#ask();
  }

  async #load() {
    const { names, from, to } = this.#wanted;
    const answers = await Promise.all(
      names.map((name) => this.#source.request(line(["wave", name],
        this.#source.isLive ? { from: from.toFixed(9), to: to.toFixed(9), format: "json" } : { from: 0, format: "json" }))),
    );
    let hasAny = false;
    answers.forEach(({ ok, data }, place) => {
      if (!ok) return;
      const { lanes } = JSON.parse(data.map((item) => item.text).join("\n"));
      const curves = (lanes[0]?.readings ?? []).filter((reading) => reading.points.length > 1).slice(0, MOST_SHOWN);
      if (lanes[0] && !lanes[0].readings.length) this.#none.add(names[place]);
      this.#curves.set(names[place], curves);
      hasAny ||= curves.length > 0;
    });
    if (hasAny) this.#onchange();
  }
}
