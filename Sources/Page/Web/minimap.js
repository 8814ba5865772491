// A small map of a picture that is larger than its frame: where the states are, which are present, and what is in view.

import { put, svg } from "./dom.js";

// Pixels of its longer side.
const SIDE = 150;
// How much of its frame's sides it takes at most.
const PART = 4;
// Pixels around it.
const ROOM = 28;
// Whether it stands at the left and at the top, in the order in which corners are tried.
const CORNERS = [[false, false], [true, false], [false, true], [true, true]];

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
    // It lies over no present state, if there is such a corner.
    const present = [...this.#marks.values()].filter((mark) => mark.classList.contains("present")).map((mark) => {
      const [x, y, wide, high] = ["x", "y", "width", "height"].map((name) => Number(mark.getAttribute(name)));
      const [across, down] = [scrollWidth / width, scrollHeight / height];
      return { left: x * across - scrollLeft, right: (x + wide) * across - scrollLeft, top: y * down - scrollTop, bottom: (y + high) * down - scrollTop };
    });
    const isFree = ([isLeft, isTop]) => !present.some(({ left, right, top, bottom }) =>
      (isLeft ? left < width + ROOM && right > 0 : right > clientWidth - width - ROOM && left < clientWidth) &&
      (isTop ? top < height + ROOM && bottom > 0 : bottom > clientHeight - height - ROOM && top < clientHeight));
    const [isLeft, isTop] = CORNERS.find(isFree) ?? CORNERS[0];
    this.element.classList.toggle("left", isLeft);
    this.element.classList.toggle("high", isTop);
  }
}
