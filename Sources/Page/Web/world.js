// What the page knows of a world: its clock, its machines, and the lines of its journal that came by.

import { identity } from "./words.js";

// Lines of the journal that are kept; the oldest go first, some at a time.
const MOST_LINES = 24000;
const SPARED_LINES = 20000;
// Milliseconds after a gap in which another one may come.
const SAMPLED = 1000;

// The time of a world between two words of the daemon about it.
export class Clock {
  mode = "virtual";
  speed = 1;
  isPaused = false;
  #time = 0;
  #host = 0;

  // Takes what a reply or a notice says: `mode`, `speed`, `paused` and `t`, as far as they are there.
  set({ mode, speed, paused, t }) {
    const now = this.now();
    if (mode !== undefined) this.mode = mode;
    if (speed !== undefined) this.speed = speed;
    if (paused !== undefined) this.isPaused = paused === "yes" || paused === true;
    this.#time = t ?? now;
    this.#host = performance.now();
  }

  // A time at which something happened: time is at least there.
  reach(t) {
    if (t > this.now()) this.set({ t });
  }

  get runs() {
    return this.mode === "real" && !this.isPaused;
  }

  now() {
    return this.runs ? this.#time + ((performance.now() - this.#host) / 1000) * this.speed : this.#time;
  }
}

// The lines of a journal, in the order of `seq`, each once.
export class Journal {
  lines = [];
  last = 0;
  // When inputs were last left out, as the browser counts time.
  #skippedAt = -Infinity;

  // Whether more happens than comes in, so that what is asked about the last inputs is late.
  get isSampled() {
    return performance.now() - this.#skippedAt < SAMPLED;
  }

  clear() {
    this.lines = [];
    this.last = 0;
  }

  // Adds a line that came now. Lines of one input come one after the other.
  add(line) {
    this.last = Math.max(this.last, line.seq);
    this.lines.push(line);
    if (line.what === "undone") this.#undo(line);
    if (line.what === "redone") this.#redo(line);
    if (this.lines.length > MOST_LINES) this.lines = this.lines.slice(-SPARED_LINES);
  }

  // Notes that inputs are missing: what follows them does not follow from what was known.
  skip(from, to) {
    this.#skippedAt = performance.now();
    this.last = Math.max(this.last, to);
    this.lines.push({ seq: from, until: to, what: "gap" });
  }

  // Adds what the daemon's journal has of machines and is missing here; false if nothing is.
  fill(lines) {
    const inputOf = ({ seq, name }) => `${seq} ${name}`;
    const known = new Set(this.lines.map(inputOf));
    const missing = lines.filter((line) => line.seq <= this.last && !known.has(inputOf(line)));
    // Since the daemon answered, some of it may have been undone.
    for (const line of this.lines) {
      if (line.what === "undone") this.#undo(line, missing);
      if (line.what === "redone") this.#redo(line, missing);
    }
    // A gap stands before all that is known of it.
    this.lines = [...this.lines, ...missing].sort((one, other) => one.seq - other.seq || (other.what === "gap") - (one.what === "gap"));
    return missing.length > 0;
  }

  #undo({ seq, from, to }, lines = this.lines) {
    if (from === undefined) return;
    for (const line of lines) if (line.seq >= from && (line.until ?? line.seq) <= to && line.undone === undefined) line.undone = seq;
  }

  // What was undone later than `to` is in effect again; the undos themselves are not.
  #redo({ seq, from, to }, lines = this.lines) {
    if (from === undefined) return;
    for (const line of lines) {
      if (line.seq >= from && line.seq <= to && Number(line.undone) > to) delete line.undone;
      else if (line.seq > to && line.seq < seq && line.undone === undefined) line.undone = seq;
    }
  }
}

// Whether something was undone at the moment of an input.
function isUndone(line, seq) {
  return line.undone !== undefined && Number(line.undone) <= seq;
}

// How a machine was right after an input: `{ exists, state, kind, timers, line, outputs }`; `state` is null where the lines do
// not tell. `line` is the last move that is in effect then, or what was handled within a state, and `outputs` what it emitted.
export function machineAt(lines, name, seq) {
  const was = { exists: true, state: null, kind: null, timers: new Map(), line: null, outputs: [] };
  // Timers that ran already when the lines begin are known by their end.
  const started = new Set();
  for (const line of lines) {
    // What is missing and was undone has no effect.
    if (line.what === "gap" && line.seq <= seq && !isUndone(line, seq)) {
      Object.assign(was, { exists: true, state: null, line: null, timers: new Map(), outputs: [] });
      started.clear();
    }
    if (line.name !== name) continue;
    if (isUndone(line, seq)) {
      // Before it was made it was not there, unless it is made again.
      if (line.what === "created") Object.assign(was, { exists: false, state: null, line: null, timers: new Map(), outputs: [] });
      continue;
    }
    if (line.seq > seq) {
      const { timer } = line;
      if ((line.what === "expired" || line.what === "disarmed") && !started.has(timer)) {
        if (!was.timers.has(timer)) was.timers.set(timer, { due: line.due, armed: null });
        started.add(timer);
      }
      if (line.what === "armed") started.add(timer);
      if (was.state === null) {
        if (line.what === "created") {
          was.exists = false;
          break;
        }
        if (OUTCOMES.has(line.what)) was.state = line.from ?? line.state;
      }
      continue;
    }
    switch (line.what) {
      case "created":
        Object.assign(was, { exists: true, kind: line.kind, state: line.state, line: null, timers: new Map(), outputs: [] });
        started.clear();
        break;
      case "dropped":
        Object.assign(was, { exists: false, line: null, timers: new Map(), outputs: [] });
        break;
      case "moved":
        Object.assign(was, { state: line.to, line, outputs: [] });
        break;
      case "stayed":
        Object.assign(was, { state: line.state, line, outputs: [] });
        break;
      case "ignored":
      case "refused":
        was.state = line.state;
        break;
      case "output":
        if (was.line?.seq === line.seq) was.outputs.push(line.output);
        break;
      case "armed":
        was.timers.set(line.timer, { due: line.due, armed: line.t });
        started.add(line.timer);
        break;
      case "expired":
      case "disarmed":
        was.timers.delete(line.timer);
        started.add(line.timer);
        break;
    }
  }
  return was;
}

const OUTCOMES = new Set(["moved", "stayed", "ignored", "refused"]);

export function isOutcome(what) {
  return OUTCOMES.has(what);
}

export class World {
  name = null;
  clock = new Clock();
  journal = new Journal();
  // The machines that were listed or heard of: { kind, state }.
  machines = new Map();
  // The running timers of those that are shown: { due, armed } by name.
  timers = new Map();

  clear(name) {
    this.name = name;
    this.clock = new Clock();
    this.journal.clear();
    this.machines.clear();
    this.timers.clear();
  }

  // Takes a line; what happened is known from then on.
  apply(line) {
    if (line.what === "clock") {
      this.clock.set({ mode: line.mode, speed: line.speed, paused: line.paused, t: line.t });
      return;
    }
    if (line.what === "pointed") return;
    this.journal.add(line);
    if (line.what === "undone" || line.what === "redone") {
      this.clock.set({ t: line.t });
      return;
    }
    this.clock.reach(line.t);
    this.remember(line);
  }

  // What a line says of a machine's present, without its place in the journal.
  remember({ name, what, kind, state, to, timer, due, t }) {
    switch (what) {
      case "created":
        this.machines.set(name, { kind, state });
        this.timers.set(name, new Map());
        break;
      case "dropped":
        this.machines.delete(name);
        this.timers.delete(name);
        break;
      case "moved": {
        const machine = this.machines.get(name);
        if (machine) machine.state = to;
        break;
      }
      case "armed":
        this.timersOf(name).set(timer, { due, armed: t });
        break;
      case "expired":
      case "disarmed":
        this.timers.get(name)?.delete(timer);
        break;
    }
  }

  timersOf(name) {
    let timers = this.timers.get(name);
    if (!timers) this.timers.set(name, (timers = new Map()));
    return timers;
  }
}
