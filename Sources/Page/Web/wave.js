// The waveform of the machines that are shown: it grows with the journal.

import { Curves } from "./curves.js";
import { atMostEvery, el, put, setText, svg } from "./dom.js";
import { lanesOf } from "./lanes.js";
import { split } from "./facts.js";
import { clockTime, exactTime, number, span, tickTime } from "./times.js";
import { TimeScale } from "./timescale.js";
import { sentence } from "./words.js";
import { isOutcome } from "./world.js";

// Inputs that are drawn, the last ones.
const MOST_DRAWN = 160;
// Lines before them in which timers may have begun.
const LOOKED_BACK = 2000;
// Heights of the parts of a lane.
const TICKS = 50;
const STATE = 30;
const TIMER = 14;
const CURVE = 44;
const SPACE = 12;
const AXIS = 26;
// How far beyond the last input the playhead is at now, in pixels.
const BEYOND = 12;
// Room behind now, for what is written there.
const MARGIN = 110;
// Room before the first input, for half a playhead.
const BEFORE = 8;
// Where the labels of inputs stand: above the signs, in rows.
const LABELS = 17;
const LABEL_ROWS = 2;
const LABEL_HEIGHT = 15;
// Pixels that a pointer goes before it measures.
const MEASURED_FROM = 5;

// Milliseconds after which it is looked whether inputs are still left out.
const AGAIN = 1000;
const COUNTED = "①②③④⑤⑥⑦⑧⑨";

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
  // The timer after which the picture is drawn again, 0 for none.
  #again = 0;
  #readings;
  #isFolded = false;
  // Where a span that is measured begins and ends; null if none is.
  #measured = null;
  // Whether the playhead is dragged.
  #isScrubbing = false;

  // `readings` gives those of a machine as they are now; `onpick` gets the number of an input to go to, or null for now.
  constructor(source, world, { names, readings, onpick }) {
    this.#readings = readings;
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
    const place = (event) => event.clientX - graphic.getBoundingClientRect().left - BEFORE;
    // The playhead goes from input to input; beyond the last one it is now.
    const scrub = (event) => {
      const x = place(event);
      const seq = x > (this.#scale?.points.at(-1)?.x ?? 0) + BEYOND ? null : this.#inputAt(x);
      if (seq !== this.#past) onpick(seq);
    };
    graphic.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      graphic.setPointerCapture(event.pointerId);
      if (event.target.closest(".strip, .playhead")) {
        this.#isScrubbing = true;
        return scrub(event);
      }
      this.#measured = { from: place(event), to: place(event), isHeld: true };
    });
    graphic.addEventListener("pointermove", (event) => {
      if (this.#isScrubbing) scrub(event);
      else if (this.#measured?.isHeld) this.#measure(place(event));
      else this.#point(place(event));
    });
    graphic.addEventListener("lostpointercapture", () => (this.#isScrubbing = false));
    graphic.addEventListener("pointerup", (event) => {
      if (this.#isScrubbing) return;
      const { from, to } = this.#measured ?? {};
      if (from !== undefined && Math.abs(to - from) >= MEASURED_FROM) return void (this.#measured.isHeld = false);
      this.#measured = null;
      const seq = this.#inputAt(place(event));
      if (seq !== null) onpick(seq);
    });
    graphic.addEventListener("pointerleave", () => {
      if (!this.#measured) this.#point(null);
    });
    this.fold = el("button", { class: "tool", "aria-pressed": "false", title: "Cut long silence short; the cuts are marked",
      onclick: () => this.#toggleFold() }, "Fold");
    this.update = atMostEvery(120, () => this.#draw());
  }

  #toggleFold() {
    this.#isFolded = !this.#isFolded;
    this.fold.setAttribute("aria-pressed", String(this.#isFolded));
    this.#draw();
  }

  readingsAt(name, t) {
    return this.#curves.at(name, t);
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
    const until = Math.max(from, to, ...drawn.map(({ t }) => t));
    const scale = new TimeScale(drawn, from, until, this.#parts.scroll.clientWidth - MARGIN - BEFORE - 4, this.#isFolded);
    this.#scale = scale;
    // What began before the first input that is drawn is looked for a while back.
    const start = Math.max(0, all.findIndex((line) => line.seq >= first) - LOOKED_BACK);
    const lanes = lanesOf(all.slice(start), names, this.#past ?? Infinity)
      .map((lane) => ({ ...lane, rows: regionRows(lane.segments), curves: this.#curvesOf(lane.name, now, isWhole) }));
    // A gap can have a million inputs, and the curve has a point for each.
    const gap = this.#world.journal.lines.findLast((line) => line.what === "gap" && line.seq <= drawn.at(-1)?.seq)?.seq ?? 0;
    const known = drawn.find((input) => input.seq > gap);
    if (known && !this.#world.journal.isSampled) this.#curves.want(names, known.t, scale.to);
    // Nothing else may come after what was left out.
    else if (known) this.#again = this.#again || setTimeout(() => { this.#again = 0; this.update(); }, AGAIN);
    this.#write(lanes, scale, first, drawn);
  }

  // The curves of a machine up to now, where they have the number that stands below its diagram.
  #curvesOf(name, now, isWhole) {
    const present = this.#past === null && isWhole ? this.#readings(name) : [];
    return this.#curves.of(name).map((curve) => {
      const value = Number(present.find((reading) => reading.name === curve.name)?.value ?? NaN);
      const points = curve.points.filter(([t]) => t <= now);
      return Number.isNaN(value) ? { ...curve, points } : { ...curve, points: [...points, [now, value]], present: value };
    });
  }

  #write(lanes, scale, first, drawn) {
    const { graphic, labels, scroll } = this.#parts;
    const least = scroll.clientWidth - 2 - BEFORE;
    const width = Math.max(scale.end + MARGIN, least);
    // A short story begins at the left and does not fill the width.
    const layers = { back: svg("g"), front: svg("g"), wires: svg("g", { class: "deliveries" }) };
    const tops = new Map();
    const names = [];
    let y = AXIS;
    for (const lane of lanes) {
      tops.set(lane.name, y);
      const rows = timerRows(lane);
      names.push({ name: lane.name, y: y + TICKS, regions: lane.rows.length, rows: rows.map((row) => row.name), curves: lane.curves });
      this.#writeLane(lane, rows, y, scale, first, layers);
      y += TICKS + lane.rows.length * STATE + rows.length * TIMER;
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
    for (const { t, x } of scale.ticks) {
      axis.append(svg("line", { x1: x, x2: x, y1: AXIS - 6, y2: height }),
        svg("text", { x, y: AXIS - 10, "text-anchor": x < 24 ? "start" : "middle" }, tickTime(t)));
    }
    for (const { x, seconds } of scale.breaks) {
      axis.append(svg("g", { class: "break" }, svg("path", { d: `M${x - 4} ${AXIS - 6}l4 5l-4 5V${height}h8V${AXIS + 4}l4 -5l-4 -5z` }),
        svg("text", { x: x + 2, y: height - 2, "text-anchor": "middle" }, span(seconds))));
    }
    this.#cursor = svg("g", { class: "cursor", visibility: "hidden" }, svg("line", { y1: AXIS - 6, y2: height }));
    const marks = [];
    if (this.#past !== null && drawn.some((input) => input.seq === this.#past)) {
      const x = scale.ofInput(this.#past);
      marks.push(svg("rect", { class: "future", x, y: 0, width: Math.max(0, width - x), height }), playhead(x, height, "moment"));
    } else {
      marks.push(playhead(scale.of(this.#world.clock.now()), height, "now"));
    }
    graphic.setAttribute("width", width + BEFORE);
    graphic.setAttribute("height", height);
    graphic.setAttribute("viewBox", `${-BEFORE} 0 ${width + BEFORE} ${height}`);
    const told = drawn.length
      ? `${drawn.length} inputs of ${lanes.map((lane) => lane.name).join(", ")}; the last at ${exactTime(drawn.at(-1).t)}`
      : "nothing has happened yet";
    graphic.setAttribute("aria-label", `Waveform: ${told}`);
    this.#ruler = svg("rect", { class: "measured", y: 0, height, visibility: "hidden" });
    put(graphic, axis, svg("rect", { class: "strip", x: -BEFORE, y: 0, width: width + BEFORE, height: AXIS }), layers.back, layers.wires, layers.front, ...marks, this.#ruler, this.#cursor);
    this.#showMeasured();
    const key = names.map(({ name, y: top, regions, rows, curves }) => `${name} ${top} ${regions} ${rows} ${curves.map((curve) => curve.name)}`).join("\n");
    if (key !== this.#drawn) {
      this.#drawn = key;
      labels.style.height = `${height}px`;
      put(labels, names.map(({ name, y: top, regions, rows, curves }) => {
        const title = el("b", null, name);
        title.style.height = `${regions * STATE}px`;
        const label = el("div", { class: "lane-name" }, title, rows.map((row) => el("span", null, row)),
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
    const now = scale.of(this.#world.clock.now());
    const place = (seq) => (seq === null ? now : seq < first ? 0 : scale.ofInput(seq));
    const moment = this.#past ?? Infinity;
    lane.rows.forEach((segments, row) => segments.forEach(({ from, to, state }, index) => {
      if (to !== null && to < first) return;
      const x1 = from === null ? 0 : place(from);
      const x2 = place(to);
      const isPresent = (from ?? 0) <= moment && (to === null || to > moment);
      const top = y + row * STATE;
      const box = svg("g", { class: `segment shade-${index % 2}${isPresent ? " present" : ""}` },
        svg("rect", { x: x1, y: top, width: Math.max(1, x2 - x1), height: STATE }), svg("title", null, state));
      const fits = Math.floor((x2 - x1 - 12) / 8.6);
      if (state.length <= fits || fits >= 4) box.append(svg("text", { x: x1 + 6, y: top + STATE / 2 + 5.5 }, state.length <= fits ? state : `${state.slice(0, fits - 1)}…`));
      back.append(box);
    }));
    const ticks = lane.ticks.filter(({ seq }) => seq >= first);
    const depth = lane.rows.length * STATE;
    for (const { seq, t, what, isUndone, cause, line } of ticks) {
      const x = scale.ofInput(seq);
      const tick = svg("g", { class: `tick ${what}${isUndone ? " undone" : ""}${cause.how === "timer" ? " timer" : ""}` },
        svg("line", { x1: x, x2: x, y1: y - 7, y2: y + (isOutcome(what) && what !== "moved" ? 8 : depth) }),
        svg("text", { class: "sign", x, y: y - 5, "text-anchor": "middle" }, cause.how === "timer" && what !== "created" ? "◷" : SIGNS[what]),
        svg("title", null, `${exactTime(t)}: ${sentence(line)}`));
      front.append(tick);
    }
    writeLabels(ticks, y, scale, front);
    rows.forEach((row, place) => {
      const at = y + depth + place * TIMER + 4;
      for (const { from, to, end, due } of row.timers) {
        if (to !== null && to < first) continue;
        const x1 = from === null || from < first ? 0 : scale.ofInput(from);
        const x2 = to === null ? now : scale.ofInput(to);
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

  #ruler = null;

  // Measures from where the pointer went down; at an input, exactly.
  #measure(x) {
    this.#measured.to = x;
    this.#showMeasured();
  }

  #showMeasured() {
    const scale = this.#scale;
    if (!this.#measured || !scale || Math.abs(this.#measured.to - this.#measured.from) < MEASURED_FROM) return;
    const snapped = (x) => scale.points.reduce((best, point) => (Math.abs(point.x - x) < Math.abs(best.x - x) ? point : best),
      { x: x > scale.end ? scale.end : Math.abs(x - scale.end) < 7 ? scale.end : x + 7.01, t: null });
    const end = (x) => {
      const near = snapped(x);
      return near.t === null ? { x, t: scale.at(x) } : near;
    };
    const [left, right] = [end(this.#measured.from), end(this.#measured.to)].sort((one, other) => one.x - other.x);
    for (const [name, value] of [["x", left.x], ["width", Math.max(1, right.x - left.x)], ["visibility", "visible"]]) this.#ruler.setAttribute(name, value);
    setText(this.#parts.readout, `${span(right.t - left.t)} from ${exactTime(left.t)} to ${exactTime(right.t)}`);
  }

  #inputAt(x) {
    if (!this.#scale) return null;
    const near = this.#scale.points.filter((point) => point.x <= x + 7).at(-1);
    return near?.seq ?? null;
  }
}

// The moment that is shown: a line with a handle.
function playhead(x, height, look) {
  return svg("g", { class: `playhead ${look}`, transform: `translate(${x} 0)` }, svg("rect", { x: -14, y: 0, width: 28, height: AXIS }),
    svg("line", { x1: 0, x2: 0, y1: AXIS - 8, y2: height }), svg("path", { d: `M-7 2h14v10l-7 8l-7-8z` }));
}

// A reading as a curve, with its least and greatest value beside it.
function writeCurve({ name, unit, points, present }, top, scale, layer) {
  const values = points.map(([, value]) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [high, low] = [top + 10, top + CURVE - 6];
  const y = (value) => (most > least ? low - ((value - least) / (most - least)) * (low - high) : (low + high) / 2);
  const path = points.filter(([t]) => t >= scale.from).map(([t, value]) => `${scale.of(t).toFixed(1)} ${y(value).toFixed(1)}`);
  if (path.length < 2) return;
  layer.append(svg("g", { class: "curve" }, svg("path", { d: `M${path.join("L")}` }),
    present === undefined ? null : svg("text", { x: scale.of(points.at(-1)[0]) + 5, y: y(present) + 4 }, number(present)),
    most > least ? svg("text", { class: "edge-value", x: 2, y: high - 1 }, number(most)) : null,
    svg("text", { class: "edge-value", x: 2, y: low + 6 }, number(least)),
    svg("title", null, `${name}: ${number(least)} to ${number(most)} ${unit}`)));
}

// The segments of each region of a state's word: only a part that changes begins anew.
function regionRows(segments) {
  const parts = segments.map(({ state }) => split(state));
  const count = Math.max(1, ...parts.map((words) => words.length));
  // A word of another length is that of a machine of another kind, or of data: it stays whole.
  if (parts.some((words) => words.length !== count)) return [segments];
  return Array.from({ length: count }, (_, row) => {
    const merged = [];
    segments.forEach((segment, place) => {
      const state = parts[place][row];
      if (merged.at(-1)?.state === state && merged.at(-1).to === segment.from) merged.at(-1).to = segment.to;
      else merged.push({ ...segment, state });
    });
    return merged;
  });
}

// The labels of inputs, in rows; those of one place are counted and stand together, and where no row has room a number says
// how many more there are.
function writeLabels(ticks, y, scale, layer) {
  const free = Array.from({ length: LABEL_ROWS }, () => -Infinity);
  let last = null;
  for (const [, alike] of Map.groupBy(ticks, ({ seq }) => Math.round(scale.ofInput(seq)))) {
    const x = scale.ofInput(alike[0].seq);
    const words = alike.map(({ what, cause }) => (what === "created" ? "new" : cause.how === "wire" ? cause.what.split(".").at(-1) : cause.what));
    const text = alike.length === 1 ? words[0]
      : alike.length <= 4 ? words.map((word, place) => `${COUNTED[place]} ${word}`).join(" ") : `${COUNTED[0]} ${words[0]} … ${words.at(-1)} (${alike.length})`;
    // At the end of the axis a long label stands before its place.
    const isLate = x + text.length * 7.4 > scale.end + MARGIN && x > text.length * 7.4;
    const row = free.findIndex((end) => x - 8 - (isLate ? text.length * 7.4 : 0) > end);
    if (row < 0) {
      last.more += alike.length;
      last.label.lastChild.data = `${last.text} +${last.more}`;
      free[last.row] = Math.max(free[last.row], last.x + `${last.text} +${last.more}`.length * 7.4);
      continue;
    }
    const isUndone = alike.every((tick) => tick.isUndone);
    const label = svg("text", { class: `event${isUndone ? " undone" : ""}`, x: isLate ? x + 4 : x - 4, y: y - LABELS - row * LABEL_HEIGHT,
      "text-anchor": isLate ? "end" : null }, text);
    layer.append(label);
    free[row] = x + text.length * 7.4;
    last = { label, text, row, x, more: 0 };
  }
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
