// The waveform of the machines that are shown: it grows with the journal.

import { Curves } from "./curves.js";
import { atMostEvery, el, put, setText, svg } from "./dom.js";
import { lanesOf } from "./lanes.js";
import { exactTime, span } from "./times.js";
import { TimeScale } from "./timescale.js";
import { sentence } from "./words.js";
import { isOutcome } from "./world.js";

// Inputs that are drawn, the last ones.
const MOST_DRAWN = 160;
// Lines before them in which timers may have begun.
const LOOKED_BACK = 2000;
// Heights of the parts of a lane.
const TICKS = 26;
const STATE = 30;
const TIMER = 14;
const CURVE = 44;
const SPACE = 12;
const AXIS = 24;
// Room behind now, for what is written there.
const MARGIN = 64;

const SIGNS = { created: "◆", moved: "▼", stayed: "▽", ignored: "·", refused: "×" };

export class Wave {
  #world;
  #names = () => [];
  #parts;
  #scale = null;
  #lines = [];
  #past = null;
  #isAtEnd = true;
  #drawn = "";
  #cursor = null;
  #curves;

  constructor(source, world, { names, onpick }) {
    this.#world = world;
    this.#names = names;
    this.#curves = new Curves(source, () => this.update());
    const graphic = svg("svg", { class: "wave-picture", role: "img", tabindex: "0" });
    this.#parts = {
      labels: el("div", { class: "wave-labels", "aria-hidden": "true" }),
      graphic,
      scroll: el("div", { class: "wave-scroll" }, graphic),
      readout: el("p", { class: "readout", role: "status", "aria-live": "off" }),
    };
    const { scroll } = this.#parts;
    this.element = el("div", { class: "wave" }, this.#parts.labels, scroll);
    this.readout = this.#parts.readout;
    scroll.addEventListener("scroll", () => {
      this.#isAtEnd = scroll.scrollLeft + scroll.clientWidth >= scroll.scrollWidth - 4;
    }, { passive: true });
    graphic.addEventListener("pointermove", (event) => this.#point(event.clientX - graphic.getBoundingClientRect().left));
    graphic.addEventListener("pointerleave", () => this.#point(null));
    graphic.addEventListener("click", (event) => {
      const seq = this.#inputAt(event.clientX - graphic.getBoundingClientRect().left);
      if (seq !== null) onpick(seq);
    });
    this.update = atMostEvery(120, () => this.#draw());
  }

  // Shows the moment after an input; null for now.
  showPast(seq) {
    this.#past = seq;
    this.#draw();
  }

  #draw() {
    if (!this.element.isConnected || !this.element.getClientRects().length) return;
    const names = this.#names();
    const wanted = new Set(names);
    const all = this.#world.journal.lines.filter((line) => wanted.has(line.name));
    const inputs = [];
    for (const line of all) {
      if (inputs.at(-1)?.seq === line.seq) continue;
      if (line.what !== "wired" && line.what !== "unwired") inputs.push({ seq: line.seq, t: line.t });
    }
    // Inputs can be far apart in the past that is looked at: they stand around it.
    const seen = this.#past === null ? inputs.length : inputs.findIndex((input) => input.seq >= this.#past) + 20;
    const last = Math.min(inputs.length, Math.max(MOST_DRAWN, seen));
    const drawn = inputs.slice(Math.max(0, last - MOST_DRAWN), last);
    const first = drawn[0]?.seq ?? 0;
    this.#lines = all;
    const now = this.#world.clock.now();
    const isWhole = last === inputs.length;
    const to = isWhole ? now : drawn.at(-1)?.t ?? now;
    const from = drawn[0]?.t ?? Math.max(0, now - 1);
    const scale = new TimeScale(drawn, from, to, this.#parts.scroll.clientWidth - MARGIN - 4);
    this.#scale = scale;
    // What began before the first input that is drawn is looked for a while back.
    const start = Math.max(0, all.findIndex((line) => line.seq >= first) - LOOKED_BACK);
    const lanes = lanesOf(all.slice(start), names).map((lane) => ({ ...lane, curves: this.#curves.of(lane.name) }));
    if (drawn.length) this.#curves.want(names, from, scale.to);
    this.#write(lanes, scale, first, drawn);
  }

  #write(lanes, scale, first, drawn) {
    const { graphic, labels, scroll } = this.#parts;
    const least = scroll.clientWidth - 2;
    const width = Math.max(scale.end + MARGIN, least);
    // A short story begins at the left and does not fill the width.
    const layers = { back: svg("g"), front: svg("g"), wires: svg("g", { class: "deliveries" }) };
    const tops = new Map();
    const names = [];
    let y = AXIS;
    for (const lane of lanes) {
      tops.set(lane.name, y);
      const rows = timerRows(lane);
      names.push({ name: lane.name, y: y + TICKS, rows: rows.map((row) => row.name), curves: lane.curves });
      this.#writeLane(lane, rows, y, scale, first, layers);
      y += TICKS + STATE + rows.length * TIMER;
      for (const curve of lane.curves) {
        writeCurve(curve, y, scale, layers.front);
        y += CURVE;
      }
      y += SPACE;
    }
    for (const lane of lanes) {
      for (const { seq, from, output, isUndone } of lane.deliveries) {
        if (seq < first || !tops.has(from)) continue;
        const [start, end] = [tops.get(from) + TICKS + STATE / 2, tops.get(lane.name) + TICKS + STATE / 2];
        const x = scale.ofInput(seq);
        const down = end > start;
        const tip = down ? 6 : -6;
        const d = `M${x} ${start}V${end - (Math.sign(tip) * STATE) / 2}m-3.5 ${-tip}l3.5 ${tip}l3.5 ${-tip}`;
        const title = svg("title", null, `${output} of ${from}`);
        layers.wires.append(svg("path", { class: isUndone ? "undone" : null, d }, title));
      }
    }
    const height = y;
    const axis = svg("g", { class: "axis" });
    let free = -Infinity;
    let before = null;
    for (const { t, x } of scale.points) {
      if (t === before) continue;
      before = t;
      axis.append(svg("line", { x1: x, x2: x, y1: AXIS - 6, y2: height }));
      const text = exactTime(t).replace(" s", "");
      const room = text.length * 7.2 + 14;
      if (x - room / 2 < free) continue;
      axis.append(svg("text", { x, y: AXIS - 10, "text-anchor": x < room / 2 ? "start" : "middle" }, text));
      free = x + room / 2;
    }
    this.#cursor = svg("g", { class: "cursor", visibility: "hidden" }, svg("line", { y1: AXIS - 6, y2: height }));
    const marks = [];
    if (this.#past !== null && drawn.some((input) => input.seq === this.#past)) {
      const x = scale.ofInput(this.#past);
      marks.push(svg("rect", { class: "future", x, y: 0, width: Math.max(0, width - x), height }), svg("line", { class: "moment", x1: x, x2: x, y1: 4, y2: height }));
    } else {
      marks.push(svg("line", { class: "now", x1: scale.end, x2: scale.end, y1: AXIS - 6, y2: height }));
    }
    graphic.setAttribute("width", width);
    graphic.setAttribute("height", height);
    graphic.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const told = drawn.length
      ? `${drawn.length} inputs of ${lanes.map((lane) => lane.name).join(", ")}; the last at ${exactTime(drawn.at(-1).t)}`
      : "nothing has happened yet";
    graphic.setAttribute("aria-label", `Waveform: ${told}`);
    put(graphic, axis, layers.back, layers.wires, layers.front, ...marks, this.#cursor);
    const key = names.map(({ name, y: top, rows, curves }) => `${name} ${top} ${rows} ${curves.map((curve) => curve.name)}`).join("\n");
    if (key !== this.#drawn) {
      this.#drawn = key;
      labels.style.height = `${height}px`;
      put(labels, names.map(({ name, y: top, rows, curves }) => {
        const label = el("div", { class: "lane-name" }, el("b", null, name), rows.map((row) => el("span", null, row)),
          curves.map((curve) => el("span", { class: "curve-name" }, curve.unit ? `${curve.name} (${curve.unit})` : curve.name)));
        label.style.top = `${top}px`;
        return label;
      }));
    }
    if (this.#past !== null) {
      const x = scale.ofInput(this.#past);
      if (x < scroll.scrollLeft + 40 || x > scroll.scrollLeft + scroll.clientWidth - 40) scroll.scrollLeft = x - scroll.clientWidth * 0.7;
    } else if (this.#isAtEnd) {
      scroll.scrollLeft = width;
    }
  }

  #writeLane(lane, rows, top, scale, first, { back, front }) {
    const y = top + TICKS;
    let shade = 0;
    let previous = null;
    for (const { from, to, state } of lane.segments) {
      if (to !== null && to < first) continue;
      const x1 = from === null || from < first ? 0 : scale.ofInput(from);
      const x2 = to === null ? scale.end : scale.ofInput(to);
      if (state !== previous) shade += 1;
      previous = state;
      const isPresent = to === null && this.#past === null;
      const box = svg("g", { class: `segment shade-${shade % 2}${isPresent ? " present" : ""}` },
        svg("rect", { x: x1, y, width: Math.max(1, x2 - x1), height: STATE }), svg("title", null, state));
      const fits = Math.floor((x2 - x1 - 12) / 8.6);
      if (state.length <= fits || fits >= 4) box.append(svg("text", { x: x1 + 6, y: y + STATE / 2 + 5.5 }, state.length <= fits ? state : `${state.slice(0, fits - 1)}…`));
      back.append(box);
    }
    let free = -Infinity;
    for (const { seq, t, what, isUndone, cause, line } of lane.ticks) {
      if (seq < first) continue;
      const x = scale.ofInput(seq);
      const label = what === "created" ? "new" : cause.how === "wire" ? cause.what.split(".").at(-1) : cause.what;
      const tick = svg("g", { class: `tick ${what}${isUndone ? " undone" : ""}${cause.how === "timer" ? " timer" : ""}` },
        svg("line", { x1: x, x2: x, y1: y - 7, y2: y + (isOutcome(what) && what !== "moved" ? 8 : STATE) }),
        svg("text", { class: "sign", x, y: y - 2, "text-anchor": "middle" }, cause.how === "timer" && what !== "created" ? "◷" : SIGNS[what]),
        svg("title", null, `${exactTime(t)}: ${sentence(line)}`));
      const room = label.length * 7.4;
      if (x - 4 > free) {
        tick.append(svg("text", { class: "event", x: x + 7, y: y - 4 }, label));
        free = x + 7 + room;
      }
      front.append(tick);
    }
    rows.forEach((row, place) => {
      const at = y + STATE + place * TIMER + 4;
      for (const { from, to, end, due } of row.timers) {
        if (to !== null && to < first) continue;
        const x1 = from === null || from < first ? 0 : scale.ofInput(from);
        const x2 = to === null ? scale.end : scale.ofInput(to);
        back.append(svg("g", { class: `bar ${end}` }, svg("rect", { x: x1, y: at, width: Math.max(1, x2 - x1), height: 6, rx: 3 }),
          svg("text", { class: "end", x: x2, y: at + 8, "text-anchor": "middle" }, end === "expired" ? "◆" : end === "disarmed" ? "|" : ""),
          svg("title", null, `${row.name}: due at ${exactTime(due)}, ${end}`)));
      }
    });
  }

  // Says what was at a place, with its exact time.
  #point(x) {
    const { readout } = this.#parts;
    if (x === null || !this.#scale || x > this.#scale.end) {
      this.#cursor?.setAttribute("visibility", "hidden");
      setText(readout, "");
      return;
    }
    const near = this.#scale.points.filter((point) => Math.abs(point.x - x) < 7).sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0];
    const at = near?.x ?? x;
    this.#cursor?.setAttribute("visibility", "visible");
    this.#cursor?.setAttribute("transform", `translate(${at} 0)`);
    if (near) {
      const line = this.#lines.find((item) => item.seq === near.seq && (isOutcome(item.what) || item.what === "created"));
      const place = this.#scale.points.indexOf(near);
      const gap = place > 0 ? `, ${span(near.t - this.#scale.points[place - 1].t)} after the input before` : "";
      setText(readout, `${exactTime(near.t)}${gap}: ${line ? sentence(line) : ""}`);
    } else {
      setText(readout, `about ${exactTime(Number(this.#scale.at(x).toFixed(3)))}`);
    }
  }

  #inputAt(x) {
    if (!this.#scale) return null;
    const near = this.#scale.points.filter((point) => point.x <= x + 7).at(-1);
    return near?.seq ?? null;
  }
}

// A reading as a curve, with its least and greatest value beside it.
function writeCurve({ name, unit, points }, top, scale, layer) {
  const values = points.map(([, value]) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [high, low] = [top + 10, top + CURVE - 6];
  const y = (value) => (most > least ? low - ((value - least) / (most - least)) * (low - high) : (low + high) / 2);
  const path = points.filter(([t]) => t >= scale.from).map(([t, value]) => `${scale.of(t).toFixed(1)} ${y(value).toFixed(1)}`);
  if (path.length < 2) return;
  const written = (value) => Number(value.toFixed(2)).toString();
  layer.append(svg("g", { class: "curve" }, svg("path", { d: `M${path.join("L")}` }),
    svg("text", { x: scale.end + 5, y: y(values.at(-1)) + 4 }, written(values.at(-1))),
    most > least ? svg("text", { class: "edge-value", x: scale.of(points[values.indexOf(most)][0]), y: high - 1, "text-anchor": "middle" }, written(most)) : null,
    svg("title", null, `${name}: ${written(least)} to ${written(most)} ${unit}`)));
}

// The timers of a lane by name, those of one name in a row.
function timerRows(lane) {
  const rows = [];
  for (const timer of lane.timers) {
    let row = rows.find((other) => other.name === timer.name);
    if (!row && rows.length < 6) rows.push((row = { name: timer.name, timers: [] }));
    row?.timers.push(timer);
  }
  return rows;
}
