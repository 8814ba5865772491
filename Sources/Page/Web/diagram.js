// The picture of a machine or of a composition, in which states, moves, timers and wires light up.

import { put, setText, svg } from "./dom.js";
import { MiniMap } from "./minimap.js";
import { readPicture } from "./picture.js";
import { countdown } from "./times.js";

// The largest size of text, as a multiple of Graphviz's.
const LARGEST = 1.9;
// The size of a text in a picture, the least on the screen, and the one below which a simpler picture is better, in pixels.
const TEXT = 14;
const LEAST_TEXT = 12;
export const GOOD_TEXT = 14;
// Milliseconds between two flashes of one part: three a second are safe to look at.
const FLASH_PAUSE = 340;
// Pixels that a pointer goes before it drags.
const DRAG = 4;
// Pixels between a picture and its frame.
const PADDING = 6;
// The size of a countdown, in points of the picture.
const COUNTDOWN = { width: 58, height: 18 };

export class Diagram {
  #frame;
  #root = null;
  #parts = new Map();
  #present = new Map();
  #lit = new Map();
  #running = new Map();
  // The moves that each arrow stands for.
  #triggers = new Map();
  #pointed = [];
  #marks = null;
  #size = { width: 0, height: 0 };
  // What it takes up, in its own points.
  #box = null;
  // The least size of a text in the picture.
  #text = TEXT;
  #scale = 1;
  // Whether it is larger than its frame.
  #isLarger = false;
  // How large somebody wants it.
  #wanted = null;
  #map;
  #onpick;

  // `frame` is the element that scrolls the picture. `onpick` gets the id of a state or an arrow that is clicked.
  constructor(frame, onpick) {
    this.#frame = frame;
    this.#onpick = onpick;
    this.#map = new MiniMap(frame);
    new ResizeObserver(() => this.fit()).observe(frame);
    this.#takePointer();
  }

  get map() {
    return this.#map.element;
  }

  // A pointer that goes drags the picture, one that does not picks a part.
  #takePointer() {
    const frame = this.#frame;
    let start = null;
    frame.addEventListener("pointerdown", (event) => {
      if (event.button === 0 && event.pointerType === "mouse") start = { x: event.clientX, y: event.clientY, left: frame.scrollLeft, top: frame.scrollTop };
    });
    frame.addEventListener("pointermove", (event) => {
      if (!start) return;
      const [x, y] = [event.clientX - start.x, event.clientY - start.y];
      if (Math.hypot(x, y) < DRAG && !start.isDrag) return;
      if (!start.isDrag) frame.setPointerCapture(event.pointerId);
      start.isDrag = true;
      frame.scrollTo(start.left - x, start.top - y);
    });
    frame.addEventListener("pointercancel", () => (start = null));
    frame.addEventListener("click", (event) => {
      const isDrag = start?.isDrag;
      start = null;
      if (isDrag) return;
      const part = event.target.closest?.(".node, .edge");
      const id = part && [...this.#parts].find(([, other]) => other === part)?.[0];
      this.#onpick(id ?? null);
    });
  }

  // The size of its texts on the screen, in pixels, if all of it is shown; and as it is.
  get fittingText() {
    return this.#text * this.#fitting;
  }

  // The same of another picture.
  textOf({ width, height, text }) {
    return text * this.#fittingOf(width, height);
  }

  get shownText() {
    return this.#text * this.#scale;
  }

  get isDrawn() {
    return this.#root !== null;
  }

  // Shows a picture; false if the text is none. A frame around all of it whose title is one of `titles` says nothing new.
  draw(text, facts, titles = []) {
    const picture = readPicture(text);
    if (!picture) return false;
    this.#parts = picture.parts;
    this.#root = picture.root;
    this.#root.setAttribute("aria-hidden", "true");
    this.#root.classList.add("picture");
    this.#running.clear();
    this.#triggers.clear();
    for (const move of facts?.transitions ?? []) {
      for (const id of move.arrows ?? []) this.#triggers.set(id, [...(this.#triggers.get(id) ?? []), move]);
    }
    for (const [id, part] of this.#parts) part.dataset.part = id;
    for (const wire of facts?.wires ?? []) for (const id of wire.arrows ?? []) this.#parts.get(id)?.classList.add("wire");
    const states = new Set(facts?.states.map(({ id }) => id));
    for (const [id, part] of this.#parts) {
      if (part.classList.contains("cluster") && !states.has(id) && titles.includes(part.querySelector("text")?.textContent.trim())) part.classList.add("outermost");
    }
    put(this.#frame, this.#root);
    const graph = this.#root.querySelector(".graph");
    this.#marks = svg("g", { class: "marks" });
    graph?.append(this.#marks);
    // Without the title, which stands above the frame.
    const box = graph?.getBBox();
    if (box?.width) {
      const shift = graph.getCTM && graph.transform.baseVal.consolidate()?.matrix;
      const [x, y] = [box.x + (shift?.e ?? 0), box.y + (shift?.f ?? 0)];
      const room = 6;
      // A countdown may have to stand above or below all else.
      const more = facts?.transitions.some((move) => move.timer !== undefined || move.after !== undefined) ? COUNTDOWN.height + 2 : 0;
      this.#size = { width: box.width + 2 * room, height: box.height + 2 * (room + more) };
      this.#root.setAttribute("viewBox", `${x - room} ${y - room - more} ${this.#size.width} ${this.#size.height}`);
      this.#box = { x: box.x, y: box.y - more, width: box.width, height: box.height + 2 * more };
    }
    this.#text = Math.min(TEXT, ...[...this.#root.querySelectorAll(":is(.node, .edge, .cluster) text[font-size]")].map((item) => Number(item.getAttribute("font-size"))));
    this.fit();
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

  // The scale at which all of it is in its frame.
  get #fitting() {
    return this.#fittingOf(this.#size.width, this.#size.height);
  }

  #fittingOf(width, height) {
    const { clientWidth, clientHeight } = this.#frame;
    if (!clientWidth || !width) return 1;
    return Math.min(LARGEST, (clientWidth - 2 * PADDING) / width, (clientHeight - 2 * PADDING) / height);
  }

  // Makes it larger or smaller than it was.
  zoomBy(factor) {
    const least = Math.min(this.#fitting, LEAST_TEXT / this.#text);
    this.#wanted = Math.max(least, Math.min(8, this.#scale * factor));
    this.fit();
  }

  // Makes it as large as somebody wants it, or as its frame allows, and as can be read in any case.
  fit() {
    const { clientWidth, clientHeight } = this.#frame;
    if (!this.#root || !clientWidth) return;
    const scale = this.#wanted ?? Math.max(this.#fitting, LEAST_TEXT / this.#text);
    this.#isLarger = this.#size.width * scale > clientWidth + 2 || this.#size.height * scale > clientHeight + 2;
    if (scale !== this.#scale || !this.#root.style.width) {
      this.#scale = scale;
      this.#root.style.width = `${this.#size.width * scale}px`;
      this.#root.style.height = `${this.#size.height * scale}px`;
      this.#map.draw(this.#root, [...this.#parts].filter(([, part]) => part.classList.contains("node") && part.querySelector("text")));
    }
    this.#map.show();
    this.#mapPresent();
    this.follow();
  }

  #mapPresent() {
    this.#map.setPresent(new Set([...this.#present.values()].flat()));
  }

  // The arrows from one of some states to one of others, by what Graphviz calls their ends.
  between(from, to) {
    const titles = (ids) => ids.map((id) => this.#parts.get(id)?.querySelector("title")?.textContent);
    const ends = new Set(titles(from).flatMap((start) => titles(to).map((end) => `${start}->${end}`)));
    return [...this.#parts].filter(([, part]) => part.classList.contains("edge") && ends.has(part.querySelector("title")?.textContent)).map(([id]) => id);
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
    this.#mapPresent();
    this.follow();
  }

  // Makes pale what does not exist at the moment that is shown, and nothing else.
  setAbsent(ids) {
    for (const part of this.#root?.querySelectorAll(".absent") ?? []) part.classList.remove("absent");
    for (const id of ids) this.#parts.get(id)?.classList.add("absent");
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
    if (!part || performance.now() - (part.flashed ?? -Infinity) < FLASH_PAUSE) return;
    part.flashed = performance.now();
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

  // The arrows of moves that would happen now, and of those that data decide about. Of an arrow for several moves the lines of
  // its label that mean these.
  setPossible(certain, perhaps) {
    const byArrow = (moves) => Map.groupBy(moves.flatMap((move) => (move.arrows ?? []).map((id) => ({ id, move }))), ({ id }) => id);
    const [sure, open] = [byArrow(certain), byArrow(perhaps)];
    for (const [id, part] of this.#parts) {
      if (!part.classList.contains("edge")) continue;
      part.classList.toggle("possible", sure.has(id));
      part.classList.toggle("perhaps", open.has(id) && !sure.has(id));
      const texts = [...part.querySelectorAll("text")];
      // A long label goes on in further lines.
      let isMeant = false;
      const meant = texts.filter((text) => {
        const said = withoutMark(text);
        if (this.#triggers.get(id)?.some((move) => means(said, { ...move, guard: null }))) {
          isMeant = sure.get(id)?.some(({ move }) => means(said, move)) ?? false;
        }
        return isMeant;
      });
      for (const text of texts) text.classList.toggle("now", meant.length ? meant.includes(text) : sure.has(id));
    }
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
      // Of two states of one name, that in which the timer stands.
      const named = timer.inner.filter((id) => timer.inner.length === 1 || this.#textOf(id, timer.base));
      for (const id of [...timer.arrows, ...named]) {
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
    const { width, height } = COUNTDOWN;
    const box = (isArrow ? [...part.querySelectorAll("text")].at(-1) : part)?.getBBox();
    if (isArrow) {
      const path = part.querySelector("path");
      if (path) {
        track = svg("path", { class: "track", d: path.getAttribute("d"), pathLength: 1, fill: "none" });
        group.append(track);
        const middle = path.getPointAtLength(path.getTotalLength() / 2);
        [x, y] = [middle.x, middle.y];
      }
    }
    if (box?.width) [x, y] = this.#freePlace(isArrow ? [...part.querySelectorAll("text")] : [part], box, width, height);
    const text = svg("text", { x, y: y + 4.5, "text-anchor": "middle", "font-size": TEXT });
    const bar = svg("rect", { class: "rest", x: x - width / 2, y: y - height / 2, width, height, rx: 9 });
    group.append(svg("rect", { class: "plate", x: x - width / 2, y: y - height / 2, width, height, rx: 9 }), bar, text);
    this.#marks.append(group);
    return { group, track, text, bar, width, shown: -1 };
  }

  // The middle of a place beside a label or a state, whose last part has the box, that lies on no state, no text and no other
  // countdown: below, right, left, above, below at a corner, and somewhat farther; else on no state; else below.
  #freePlace(parts, box, width, height) {
    const [middle, line] = [box.x + box.width / 2, box.y + box.height / 2];
    const top = Math.min(...parts.map((part) => part.getBBox().y));
    const places = [0, 0.6, 1.2].flatMap((more) => [
      [middle, box.y + box.height + height * (0.5 + more) + 1],
      [box.x + box.width + width * (0.5 + more) + 3, line],
      [box.x - width * (0.5 + more) - 3, line],
      [middle, top - height * (0.5 + more) - 1],
      [box.x + width / 2, box.y + box.height + height * (0.5 + more) + 1],
      [box.x + box.width - width / 2, box.y + box.height + height * (0.5 + more) + 1],
    ]);
    const boxes = (selector) => [...this.#root.querySelectorAll(selector)].map((item) => item.getBBox());
    const states = boxes(".node :is(path, polygon, ellipse)");
    const others = boxes(".edge text, .countdown .plate");
    const whole = this.#box;
    const isShown = ([x, y]) => !whole || x - width / 2 >= whole.x && x + width / 2 <= whole.x + whole.width && y - height / 2 >= whole.y && y + height / 2 <= whole.y + whole.height;
    const isOff = (taken) => ([x, y]) => isShown([x, y]) && !taken.some((other) =>
      Math.abs(other.x + other.width / 2 - x) < (other.width + width) / 2 &&
      Math.abs(other.y + other.height / 2 - y) < (other.height + height) / 2);
    return places.find(isOff([...states, ...others])) ?? places.find(isOff(states)) ?? places[0];
  }

  #textOf(id, trigger) {
    const texts = [...(this.#parts.get(id)?.querySelectorAll("text") ?? [])].slice(1);
    return texts.find((text) => withoutMark(text).split(/[ (,/]/)[0] === trigger) ?? null;
  }

  // Scrolls to what is present, with the arrows that leave it, where the picture is larger than its frame.
  follow() {
    const frame = this.#frame;
    if (!this.#root || !this.#isLarger) return;
    const states = [...this.#present.values()].flat().flatMap((id) => this.#parts.get(id) ?? []);
    if (!states.length) return;
    const titles = new Set(states.map((part) => part.querySelector("title")?.textContent));
    const [leaving, targets] = [[], new Set()];
    for (const part of this.#parts.values()) {
      const [from, to] = part.classList.contains("edge") ? (part.querySelector("title")?.textContent ?? "").split("->") : [];
      if (!titles.has(from)) continue;
      leaving.push(part);
      targets.add(to);
    }
    const ends = [...this.#parts.values()].filter((part) => part.classList.contains("node") && targets.has(part.querySelector("title")?.textContent));
    const view = frame.getBoundingClientRect();
    // As much as there is room for: all of it, the arrows alone, or the states.
    const wanted = [[...states, ...leaving, ...ends], [...states, ...leaving], states].map(around)
      .find((box) => box.right - box.left <= view.width && box.bottom - box.top <= view.height) ?? around(states.slice(0, 1));
    if (wanted.left >= view.left && wanted.right <= view.right && wanted.top >= view.top && wanted.bottom <= view.bottom) return;
    frame.scrollLeft += (wanted.left + wanted.right) / 2 - view.left - view.width / 2;
    frame.scrollTop += (wanted.top + wanted.bottom) / 2 - view.top - view.height / 2;
  }
}

// A line of a label without the mark and the space with which it may begin.
function withoutMark(text) {
  return text.textContent.replace(/^[^\p{L}\p{N}_*[/]+/u, "").trimEnd();
}

// Whether a line of a label stands for a move.
function means(text, { event, timer, guard }) {
  const trigger = event ?? timer;
  return trigger !== "" && text.startsWith(trigger) && !/^[\w.]/.test(text.slice(trigger.length)) && (!guard || text.includes(`[${guard}]`));
}

// The box around some parts.
function around(parts) {
  const boxes = parts.map((part) => part.getBoundingClientRect());
  const of = (name, most) => most(...boxes.map((box) => box[name]));
  return { left: of("left", Math.min), top: of("top", Math.min), right: of("right", Math.max), bottom: of("bottom", Math.max) };
}
