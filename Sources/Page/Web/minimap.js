// A small map of a picture that is larger than its frame: where the states are, which are present, and what is in view.

import { put, svg } from "./dom.js";

// Pixels of its longer side.
const SIDE = 150;
// How much of its frame's sides it takes at most.
const PART = 4;
// Pixels around it.
const ROOM = 28;

export class MiniMap {
  #frame;
  #view = svg("rect", { class: "view" });
  #marks = new Map();
  #isWhole = true;
  element = svg("svg", { class: "minimap whole", "aria-hidden": "true" });

  // `frame` scrolls the picture.
  constructor(frame) {
    this.#frame = frame;
    frame.addEventListener("scroll", () => this.show(), { passive: true });
    this.element.addEventListener("pointerdown", (event) => {
      const box = this.element.getBoundingClientRect();
      frame.scrollLeft = ((event.clientX - box.left) / box.width) * frame.scrollWidth - frame.clientWidth / 2;
      frame.scrollTop = ((event.clientY - box.top) / box.height) * frame.scrollHeight - frame.clientHeight / 2;
    });
  }

  // Takes the states of a picture, by their ids.
  draw(root, states) {
    const own = root.getBoundingClientRect();
    const scale = Math.min(SIDE, this.#frame.clientWidth / PART, this.#frame.clientHeight / 2) / Math.max(own.width, own.height);
    this.element.setAttribute("width", own.width * scale);
    this.element.setAttribute("height", own.height * scale);
    this.#marks.clear();
    for (const [id, part] of states) {
      const box = part.getBoundingClientRect();
      this.#marks.set(id, svg("rect", { x: (box.x - own.x) * scale, y: (box.y - own.y) * scale,
        width: Math.max(2, box.width * scale), height: Math.max(2, box.height * scale), rx: 1 }));
    }
    put(this.element, ...this.#marks.values(), this.#view);
    this.show();
  }

  setPresent(ids) {
    for (const [id, mark] of this.#marks) mark.classList.toggle("present", ids.has(id));
    // What is measured is laid out first: not at each change of a picture that is seen whole.
    if (!this.#isWhole) this.show();
  }

  // Shows what is in view; nothing where all is.
  show() {
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = this.#frame;
    this.#isWhole = scrollWidth <= clientWidth + 2 && scrollHeight <= clientHeight + 2;
    this.element.classList.toggle("whole", this.#isWhole);
    if (this.#isWhole) return;
    const [width, height] = [Number(this.element.getAttribute("width")), Number(this.element.getAttribute("height"))];
    for (const [name, value] of [["x", (scrollLeft / scrollWidth) * width], ["y", (scrollTop / scrollHeight) * height],
      ["width", (clientWidth / scrollWidth) * width], ["height", (clientHeight / scrollHeight) * height]]) this.#view.setAttribute(name, value);
    // It lies over no present state.
    const isBelow = [...this.#marks.values()].some((mark) => mark.classList.contains("present")
      && (this.#end(mark, "x", "width") / width) * scrollWidth - scrollLeft > clientWidth - width - ROOM
      && (this.#end(mark, "y", "height") / height) * scrollHeight - scrollTop > clientHeight - height - ROOM);
    this.element.classList.toggle("left", isBelow);
  }

  #end(mark, place, size) {
    return Number(mark.getAttribute(place)) + Number(mark.getAttribute(size));
  }
}
