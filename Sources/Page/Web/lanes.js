// What the lines of a journal say of machines over time: states as segments, inputs as ticks, timers as bars, deliveries.

import { causeOf } from "./words.js";
import { isOutcome } from "./world.js";

// The lanes of machines: `{ name, segments, ticks, timers, deliveries }`.
//
// A segment has `from`, `to` (numbers of inputs; null for the ends) and `state`, a timer `from`, `to`, `due` and `end`.
//
// With `moment` as after that input: what was undone later counts, and nothing that followed the undo.
export function lanesOf(lines, names, moment = Infinity) {
  const later = lines.filter((line) => line.seq <= moment && Number(line.undone) > moment).map((line) => Number(line.undone));
  const cut = Math.min(Infinity, ...later);
  const lanes = new Map(names.map((name) => [name, { name, segments: [], ticks: [], timers: [], deliveries: [] }]));
  const running = new Map();
  for (const line of lines) {
    const lane = lanes.get(line.name);
    if (!lane || line.seq >= cut) continue;
    const isUndone = line.undone !== undefined && Number(line.undone) < cut;
    const { seq, t, what } = line;
    if (what === "created" || isOutcome(what)) lane.ticks.push({ seq, t, what, isUndone, cause: causeOf(line), line });
    if (line.wire !== undefined) {
      const place = line.wire.lastIndexOf(".");
      lane.deliveries.push({ seq, from: line.wire.slice(0, place), output: line.wire.slice(place + 1), isUndone });
    }
    if (isUndone) continue;
    const last = lane.segments.at(-1);
    if (what === "created") {
      lane.segments.push({ from: seq, to: null, state: line.state });
    } else if (what === "dropped") {
      if (last) last.to = seq;
      for (const [key, timer] of running) {
        if (timer.lane !== lane) continue;
        timer.to = seq;
        running.delete(key);
      }
    } else if (isOutcome(what)) {
      if (!last) lane.segments.push({ from: null, to: null, state: line.from ?? line.state });
      if (what === "moved") {
        const open = lane.segments.at(-1);
        open.to = seq;
        lane.segments.push({ from: seq, to: null, state: line.to });
      }
    } else if (what === "armed") {
      const timer = { name: line.timer, from: seq, to: null, due: line.due, end: "running", lane };
      const before = running.get(`${line.name} ${line.timer}`);
      if (before) before.to = seq;
      running.set(`${line.name} ${line.timer}`, timer);
      lane.timers.push(timer);
    } else if (what === "expired" || what === "disarmed") {
      const key = `${line.name} ${line.timer}`;
      const timer = running.get(key) ?? { name: line.timer, from: null, to: null, due: line.due, lane };
      if (!running.has(key)) lane.timers.push(timer);
      timer.to = seq;
      timer.end = what;
      running.delete(key);
    }
  }
  return [...lanes.values()];
}
