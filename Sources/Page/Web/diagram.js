// The picture of a machine or of a composition, in which states, moves, timers and wires light up.

import { put, setText, svg } from "./dom.js";
import { readPicture } from "./picture.js";
import { countdown } from "./times.js";

// The largest size of text, as a multiple of Graphviz's.
const LARGEST = 1.9;
// The size of a text in a picture, and the least on a narrow screen, in pixels.
const TEXT = 14;
const LEAST_TEXT = 12;
export const NARROW = 500;

export class Diagram {
  #frame;
  #root = null;
  #parts = new Map();
  #present = new Map();
  #lit = new Map();
  #running = new Map();
  #pointed = [];
  #marks = null;
  #size = { width: 0, height: 0 };
  #zoom = 1;
  // How large somebody wants it.
  #wanted = null;

  // `frame` is the element that scrolls the picture.
  constructor(frame) {
    this.#frame = frame;
  }

  get isDrawn() {
    return this.#root !== null;
  }

  // Shows a picture; false if the text is none.
  draw(text, facts) {
    const picture = readPicture(text);
    if (!picture) return false;
    this.#parts = picture.parts;
    this.#root = picture.root;
    this.#root.setAttribute("aria-hidden", "true");
    this.#root.classList.add("picture");
    this.#running.clear();
    for (const wire of facts?.wires ?? []) for (const id of wire.arrows ?? []) this.#parts.get(id)?.classList.add("wire");
    put(this.#frame, this.#root);
    const graph = this.#root.querySelector(".graph");
    this.#marks = svg("g", { class: "marks" });
    graph?.append(this.#marks);
    // Without the title, which stands above the frame.
    const box = graph?.getBBox();
    if (box?.width) {
      const shift = graph.getCTM && graph.transform.baseVal.consolidate()?.matrix;
      const [x, y] = [box.x + (shift?.e ?? 0), box.y + (shift?.f ?? 0)];
      const room = 10;
      this.#size = { width: box.width + 2 * room, height: box.height + 2 * room };
      this.#root.setAttribute("viewBox", `${x - room} ${y - room} ${this.#size.width} ${this.#size.height}`);
    }
    this.zoom(this.#wanted ?? this.#readable);
    for (const [key, ids] of this.#present) this.#mark(ids, "present", key);
    for (const [key, ids] of this.#lit) this.#mark(ids, "lit", key);
    this.point(this.#pointed);
    this.follow();
    return true;
  }

  // The ids of the states that the picture itself marks as present.
  get marked() {
    return [...this.#parts].filter(([, part]) => part.classList.contains("current")).map(([id]) => id);
  }

  // On a narrow screen a wide picture is as large as can be read, and follows what is present.
  get #readable() {
    const { clientWidth } = this.#frame;
    if (!clientWidth || clientWidth > NARROW) return 1;
    return Math.max(1, Math.min(4, (LEAST_TEXT * this.#size.width) / (TEXT * clientWidth)));
  }

  // Makes it larger or smaller than it was.
  zoomBy(factor) {
    this.#wanted = Math.max(1, Math.min(8, this.#zoom * factor));
    this.zoom(this.#wanted);
    this.follow();
  }

  // The arrows from one of some states to one of others, by what Graphviz calls their ends.
  between(from, to) {
    const titles = (ids) => ids.map((id) => this.#parts.get(id)?.querySelector("title")?.textContent);
    const ends = new Set(titles(from).flatMap((start) => titles(to).map((end) => `${start}->${end}`)));
    return [...this.#parts].filter(([, part]) => part.classList.contains("edge") && ends.has(part.querySelector("title")?.textContent)).map(([id]) => id);
  }

  zoom(factor) {
    this.#zoom = factor;
    if (!this.#root) return;
    this.#root.style.maxWidth = this.#zoom === 1 ? `${this.#size.width * LARGEST}px` : "none";
    this.#root.style.maxHeight = this.#zoom === 1 ? `min(100%, ${this.#size.height * LARGEST}px)` : "none";
    this.#root.style.width = `${this.#zoom * 100}%`;
    this.#root.style.height = this.#zoom === 1 ? "100%" : "auto";
  }

  #mark(ids, name, key) {
    for (const id of ids) {
      const part = this.#parts.get(id);
      if (!part) continue;
      part.classList.add(name);
      part.dataset.by = key;
    }
  }

  #unmark(ids, name) {
    for (const id of ids) this.#parts.get(id)?.classList.remove(name, "flash-a", "flash-b");
  }

  // Fills the states in which a machine is. `key` is the machine.
  setPresent(key, ids) {
    const before = this.#present.get(key) ?? [];
    if (before.join() === ids.join()) return;
    this.#unmark(before.filter((id) => !ids.includes(id)), "present");
    this.#mark(ids, "present", key);
    this.#present.set(key, ids);
    this.follow();
  }

  // Marks the states at which somebody points, and no others.
  point(ids) {
    for (const id of this.#pointed) this.#parts.get(id)?.classList.remove("pointed");
    this.#pointed = ids;
    for (const id of ids) this.#parts.get(id)?.classList.add("pointed");
  }

  // Lights the last move of a machine; what it did before goes dark.
  light(key, { arrows, inner }) {
    this.#unmark(this.#lit.get(key) ?? [], "lit");
    for (const text of this.#root?.querySelectorAll(".handled") ?? []) if (text.dataset.by === key) text.classList.remove("handled");
    this.#lit.set(key, arrows);
    this.#mark(arrows, "lit", key);
    for (const id of arrows) this.#flash(id);
    for (const { id, trigger } of inner) {
      const text = this.#textOf(id, trigger);
      if (!text) continue;
      text.classList.add("handled");
      text.dataset.by = key;
      this.#flash(id);
    }
    // What is lit lies on top.
    for (const id of arrows) {
      const part = this.#parts.get(id);
      if (part && part.nextElementSibling !== this.#marks) this.#marks?.before(part);
    }
  }

  // Lets a part flash, again too.
  #flash(id) {
    const part = this.#parts.get(id);
    if (!part) return;
    const next = part.classList.contains("flash-a") ? "flash-b" : "flash-a";
    part.classList.remove("flash-a", "flash-b");
    part.classList.add(next);
  }

  // Shows that something goes through wires now.
  carry(ids) {
    for (const id of ids) {
      const part = this.#parts.get(id);
      if (!part) continue;
      part.classList.add("carrying");
      this.#flash(id);
      clearTimeout(part.darkens);
      part.darkens = setTimeout(() => part.classList.remove("carrying"), 1600);
    }
  }

  // The arrows that could be taken now.
  setPossible(ids) {
    const wanted = new Set(ids);
    for (const [id, part] of this.#parts) part.classList.toggle("possible", wanted.has(id));
  }

  // Dims what is of the past, and what is lit goes dark.
  clearLit() {
    for (const ids of this.#lit.values()) this.#unmark(ids, "lit");
    this.#lit.clear();
    for (const text of this.#root?.querySelectorAll(".handled") ?? []) text.classList.remove("handled");
  }

  // Shows running timers: each `{ key, base, arrows, inner, left, fraction }`.
  count(timers) {
    if (!this.#root || !this.#marks) return;
    const gone = new Set(this.#running.keys());
    for (const timer of timers) {
      for (const id of [...timer.arrows, ...timer.inner]) {
        const key = `${timer.key} ${id}`;
        gone.delete(key);
        let mark = this.#running.get(key);
        if (!mark) {
          mark = this.#makeMark(id, timer.base, timer.arrows.includes(id));
          if (!mark) continue;
          this.#running.set(key, mark);
        }
        setText(mark.text, countdown(timer.left));
        const shown = Math.round(timer.fraction * 400) / 400;
        if (mark.shown !== shown) {
          mark.shown = shown;
          mark.track?.setAttribute("stroke-dasharray", `${shown} 2`);
          mark.bar.setAttribute("width", (mark.width * shown).toFixed(1));
        }
      }
    }
    for (const key of gone) {
      const mark = this.#running.get(key);
      mark.group.remove();
      this.#running.delete(key);
    }
  }

  // A label that counts, and for an arrow a line along it that gets shorter.
  #makeMark(id, base, isArrow) {
    const part = this.#parts.get(id);
    if (!part) return null;
    const group = svg("g", { class: "countdown" });
    let track = null;
    let [x, y] = [0, 0];
    const [width, height] = [58, 18];
    const box = (isArrow ? [...part.querySelectorAll("text")].at(-1) : part)?.getBBox();
    if (isArrow) {
      const path = part.querySelector("path");
      if (path) {
        track = svg("path", { class: "track", d: path.getAttribute("d"), pathLength: 1, fill: "none" });
        group.append(track);
        const middle = path.getPointAtLength(path.getTotalLength() / 2);
        [x, y] = [middle.x, middle.y];
      }
      if (box?.width) [x, y] = this.#freePlace(part, box, width, height);
    } else if (box) {
      [x, y] = [box.x + box.width, box.y];
    }
    const text = svg("text", { x, y: y + 4.5, "text-anchor": "middle", "font-size": 13 });
    const bar = svg("rect", { class: "rest", x: x - width / 2, y: y - height / 2, width, height, rx: 9 });
    group.append(svg("rect", { class: "plate", x: x - width / 2, y: y - height / 2, width, height, rx: 9 }), bar, text);
    this.#marks.append(group);
    return { group, track, text, bar, width, shown: -1 };
  }

  // The middle of a place beside a label that lies on no state and no other text: below, right, left, above; else below.
  #freePlace(part, box, width, height) {
    const [middle, line] = [box.x + box.width / 2, box.y + box.height / 2];
    const top = Math.min(...[...part.querySelectorAll("text")].map((text) => text.getBBox().y));
    const places = [
      [middle, box.y + box.height + height / 2 + 1],
      [box.x + box.width + width / 2 + 3, line],
      [box.x - width / 2 - 3, line],
      [middle, top - height / 2 - 1],
    ];
    const taken = [...this.#root.querySelectorAll(".node > :is(path, polygon, ellipse), .edge text")].map((item) => item.getBBox());
    const isFree = ([x, y]) => !taken.some((other) =>
      Math.abs(other.x + other.width / 2 - x) < (other.width + width) / 2 &&
      Math.abs(other.y + other.height / 2 - y) < (other.height + height) / 2);
    return places.find(isFree) ?? places[0];
  }

  #textOf(id, trigger) {
    const texts = [...(this.#parts.get(id)?.querySelectorAll("text") ?? [])].slice(1);
    return texts.find((text) => text.textContent.replace(/^• /, "").split(/[ (,/]/)[0] === trigger) ?? null;
  }

  // Scrolls to what is present, where the picture is larger than its frame.
  follow() {
    if (this.#zoom === 1 || !this.#root) return;
    const part = this.#parts.get([...this.#present.values()][0]?.[0]);
    if (!part) return;
    const [box, frame] = [part.getBoundingClientRect(), this.#frame.getBoundingClientRect()];
    const isOutside = box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom;
    if (!isOutside) return;
    this.#frame.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
    this.#frame.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
  }
}
