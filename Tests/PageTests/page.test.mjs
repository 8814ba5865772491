// The modules of the live page that decide something, without a browser: `node --test Tests/PageTests`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ruleOf } from "../../Sources/Page/Web/fields.js";
import { Facts } from "../../Sources/Page/Web/facts.js";
import { lanesOf } from "../../Sources/Page/Web/lanes.js";
import { Parts } from "../../Sources/Page/Web/parts.js";
import { line } from "../../Sources/Page/Web/requests.js";
import { clockTime, countdown, exactTime, parseDuration, span, tickTime } from "../../Sources/Page/Web/times.js";
import { roundStep, TimeScale } from "../../Sources/Page/Web/timescale.js";
import { faultOf } from "../../Sources/Page/Web/words.js";
import { Journal, machineAt } from "../../Sources/Page/Web/world.js";

// Browsers have it; Debian's Node is older.
Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

const state = (name, id, region = null) => ({ name, id, region, parent: null, initial: false, final: false });
const move = (from, to, event, arrow, more = {}) => ({ from, to, event, effect: "moved", outputs: [], arrows: [arrow], ...more });

// As `graph shiftKey format=json` has it: one arrow stands for a late tap and for a character.
const key = new Facts({
  name: "shiftKey", complete: true, why: "", states: [state("off", "s0"), state("on", "s1"), state("capsLock", "s2")],
  transitions: [
    move("off", "on", "tap", "a1"), move("on", "capsLock", "tap", "a2", { guard: "window open" }),
    move("on", "off", "tap", "a3", { guard: "not window open" }), move("on", "off", "character", "a3", { outputs: ["text"] }),
    move("capsLock", "off", "tap", "a4"),
    { from: "on", to: "on", timer: "doubleTap", after: 0.35, effect: "stayed", outputs: [] },
  ],
});

const arrows = (moves) => moves.flatMap((item) => item.arrows);

test("what is possible is what the daemon says of each event, not all that the picture has", () => {
  const open = key.possible([{ event: "tap", effects: ["moved"], into: ["capsLock"] }], "on");
  assert.deepEqual([arrows(open.certain), open.perhaps], [["a2"], []]);
  const closed = key.possible([{ event: "tap", effects: ["moved"], into: ["off"] }], "on");
  assert.deepEqual(closed.certain.map((item) => item.guard), ["not window open"]);
});

test("where data decide, nothing is certain", () => {
  for (const outcome of [{ effects: ["moved", "ignored"], into: ["off"] }, { effects: ["moved"], into: ["off", "capsLock"] }]) {
    const { certain, perhaps } = key.possible([{ event: "tap", ...outcome }], "on");
    assert.equal(certain.length, 0);
    assert.equal(perhaps.length, outcome.into.length);
  }
});

test("of a moment that the daemon is not asked about, a condition leaves its move open", () => {
  const { certain, perhaps } = key.possible(key.outcomesIn("on"), "on");
  assert.deepEqual(arrows(certain), ["a3"]);
  assert.deepEqual(certain.map((item) => item.event), ["character"]);
  assert.deepEqual(new Set(arrows(perhaps)), new Set(["a2", "a3"]));
});

test("what is missing and was undone hides nothing, until it is redone", () => {
  const journal = new Journal();
  const add = (seq, what, more) => journal.add({ seq, t: seq, name: "game", what, ...more });
  add(2, "moved", { from: "menu", to: "playing", event: "start" });
  journal.skip(3, 60);
  add(61, "stayed", { state: "playing", timer: "frame" });
  assert.equal(machineAt(journal.lines, "game", Infinity).line.seq, 61);
  journal.add({ seq: 62, t: 2, name: "-", what: "undone", from: 3, to: 61 });
  const { line, state } = machineAt(journal.lines, "game", Infinity);
  assert.deepEqual([line.seq, state], [2, "playing"]);
  journal.add({ seq: 63, t: 2, name: "-", what: "undone", from: 30, to: 61 });
  journal.add({ seq: 64, t: 2, name: "-", what: "redone", from: 3, to: 61 });
  assert.equal(machineAt(journal.lines, "game", Infinity).line.seq, 61);
  // Of a gap of which a part was undone the rest is not known.
  journal.skip(65, 70);
  journal.add({ seq: 71, t: 2, name: "-", what: "undone", from: 68, to: 70 });
  assert.equal(machineAt(journal.lines, "game", Infinity).line, null);
});

test("a move of one region is found by the whole word", () => {
  const facts = new Facts({
    name: "two", complete: true, why: "", states: [state("a", "s0", 0), state("b", "s1", 0), state("x", "s2", 1), state("y", "s3", 1)],
    transitions: [move("a", "b", "go", "a0"), move("x", "y", "go", "a1"), move("x", "y", "run", "a2")],
  });
  assert.deepEqual(facts.moved("a+x", "b+x", { event: "go" }).arrows, ["a0"]);
  assert.deepEqual(facts.moved("a+x", "b+y", { event: "go" }).arrows, ["a0", "a1"]);
  assert.deepEqual(facts.ids("b+y"), ["s1", "s3"]);
});

// A key that is tapped twice at one moment; then the second tap is undone, and another one comes later.
function tapped() {
  const journal = new Journal();
  const add = (seq, t, what, more = {}) => journal.add({ seq, t, name: "key", what, ...more });
  add(1, 0, "created", { kind: "shiftKey", state: "off" });
  add(2, 1, "moved", { from: "off", to: "on", event: "tap" });
  add(2, 1, "armed", { timer: "doubleTap", due: 1.35 });
  add(3, 1, "moved", { from: "on", to: "capsLock", event: "tap" });
  add(3, 1, "disarmed", { timer: "doubleTap", due: 1.35 });
  journal.add({ seq: 4, t: 1, name: "-", what: "undone", from: 3, to: 3 });
  return { journal, add };
}

test("the last move is the last one that is in effect", () => {
  const { journal, add } = tapped();
  assert.equal(machineAt(journal.lines, "key", 3).line.to, "capsLock");
  const now = machineAt(journal.lines, "key", Infinity);
  assert.deepEqual([now.state, now.line.seq, [...now.timers.keys()]], ["on", 2, ["doubleTap"]]);
  add(5, 2, "refused", { state: "on", event: "nonsense" });
  assert.equal(machineAt(journal.lines, "key", Infinity).line.seq, 2);
  journal.add({ seq: 6, t: 2, name: "-", what: "undone", from: 2, to: 5 });
  assert.equal(machineAt(journal.lines, "key", Infinity).line, null);
  assert.equal(machineAt(journal.lines, "key", 0).exists, false);
});

test("a redo puts back what was undone", () => {
  const { journal } = tapped();
  journal.add({ seq: 5, t: 1, name: "-", what: "redone", from: 3, to: 3 });
  assert.equal(machineAt(journal.lines, "key", Infinity).state, "capsLock");
});

test("what is missing comes to its place, each line once", () => {
  const journal = new Journal();
  journal.add({ seq: 9, t: 9, name: "a", what: "moved", from: "x", to: "y", event: "go" });
  const older = [{ seq: 2, t: 1, name: "a", what: "created", kind: "k", state: "x" }, { seq: 9, t: 9, name: "a", what: "moved", from: "x", to: "y", event: "go" }];
  assert.equal(journal.fill(older), true);
  assert.equal(journal.fill(older), false);
  assert.deepEqual(journal.lines.map(({ seq }) => seq), [2, 9]);
});

test("what comes late was undone meanwhile, and may be in effect again", () => {
  const journal = new Journal();
  journal.add({ seq: 3, t: 1, what: "undone", from: 2, to: 2 });
  const late = { seq: 2, t: 1, name: "a", what: "moved", from: "x", to: "y", event: "go" };
  journal.fill([{ ...late }]);
  assert.equal(journal.lines[0].undone, 3);
  journal.add({ seq: 4, t: 1, what: "redone", from: 2, to: 2 });
  journal.fill([{ ...late, name: "b" }]);
  assert.deepEqual(journal.lines.filter(({ what }) => what === "moved").map(({ undone }) => undone), [undefined, undefined]);
});

test("a round time on an axis has no zeros behind its point, and all of its seconds", () => {
  assert.deepEqual([0, 0.35, 1.5, 10, 600, 90.5, 50400, 50430, 86400].map(tickTime),
    ["0 s", "350 ms", "1.5 s", "10 s", "10:00", "1:30.5", "14:00:00", "14:00:30", "1 d 00:00:00"]);
});

test("a timer within a state is in the region whose state the machine is in, though another region has one of its name", () => {
  const states = [["off", "s1", "shift"], ["off", "s2", "voice"], ["on", "s3", "voice"], ["on", "s4", "shift"]];
  const facts = new Facts({
    name: "keys", complete: true, why: "",
    states: [state("keys", "s0"), ...states.map(([name, id, region]) => ({ ...state(name, id, region), parent: "keys" }))],
    transitions: [{ from: "on", to: "on", timer: "doubleTap", after: 0.35, effect: "stayed", outputs: [] }],
  });
  assert.deepEqual(facts.running("doubleTap", "on+off").inner, ["s4"]);
  assert.deepEqual(facts.stayed("on+off", { timer: "doubleTap" }, []).inner, [{ id: "s4", trigger: "doubleTap" }]);
  assert.deepEqual(facts.running("doubleTap", "on+on").inner, ["s4", "s3"]);
});

test("after a gap the last move is not known, until what is missing is there", () => {
  const { journal } = tapped();
  journal.skip(5, 90);
  assert.deepEqual([machineAt(journal.lines, "key", Infinity).state, machineAt(journal.lines, "key", Infinity).line], [null, null]);
  assert.equal(machineAt(journal.lines, "key", 3).line.to, "capsLock");
  const last = { seq: 90, t: 2, name: "key", what: "moved", from: "capsLock", to: "off", event: "tap" };
  assert.equal(journal.fill([last, { ...last, seq: 91 }]), true);
  assert.deepEqual(machineAt(journal.lines, "key", Infinity).line, last);
  assert.deepEqual(journal.lines.map(({ seq }) => seq).slice(-3), [4, 5, 90]);
});

test("the parts of a feature that an input has put to work, and what went between them", () => {
  const flow = (from, to, what, names = []) => ({ from, to, what, names });
  const feature = new Parts({
    parts: ["view", "actor", "reducer", "state", "postProcessor", "newsPublisher", "outside"].map((name) => ({ name })),
    flows: [
      flow("view", "actor", "wish", ["open"]), flow("actor", "reducer", "effect", ["loaded"]), flow("reducer", "state", "new state"),
      flow("state", "view", "state"), flow("state", "postProcessor", "effect, new state"), flow("postProcessor", "actor", "action", ["markViewed"]),
      flow("newsPublisher", "outside", "news", ["route"]),
    ],
  });
  const wish = feature.work([{ what: "moved", event: "open" }, { what: "armed", timer: "loaded(1)" }]);
  assert.deepEqual(wish, { parts: ["s0", "s1"], flows: [["s0", "s1"]] });
  const told = (output) => ({ what: "told", output });
  const answer = feature.work([{ what: "moved", timer: "loaded(1)" }, told("effect"), told("state"), { what: "output", output: "route" }]);
  assert.deepEqual(answer.flows, [["s1", "s2"], ["s2", "s3"], ["s3", "s0"], ["s3", "s4"], ["s5", "s6"]]);
  assert.deepEqual(feature.work([told("action")]).flows, [["s4", "s1"]]);
  const traced = feature.work([{ what: "moved", event: "wish" }, { what: "output", output: "reducer" }]);
  assert.deepEqual(traced, { parts: ["s0", "s1", "s2"], flows: [["s0", "s1"]] });
  assert.deepEqual(feature.work([]), { parts: [], flows: [] });
});

test("a lane shows the branch of the moment", () => {
  const { journal, add } = tapped();
  add(5, 2, "moved", { from: "on", to: "off", event: "character" });
  const states = (moment) => lanesOf(journal.lines, ["key"], moment)[0].segments.map((segment) => segment.state);
  assert.deepEqual(states(Infinity), ["off", "on", "off"]);
  assert.deepEqual(states(3), ["off", "on", "capsLock"]);
});

test("the axis is to scale, and one moment has one place", () => {
  const inputs = [{ seq: 1, t: 0 }, { seq: 2, t: 0.349 }, { seq: 3, t: 0.349 }, { seq: 4, t: 0.699 }, { seq: 5, t: 3600 }];
  const scale = new TimeScale(inputs, 0, 3600, 800);
  assert.equal(scale.ofInput(2), scale.ofInput(3));
  const [first, second] = [scale.ofInput(2) - scale.ofInput(1), scale.ofInput(4) - scale.ofInput(2)];
  assert.ok(first < second && Math.abs(first / second - 349 / 350) < 1e-9, `${first} ${second}`);
  assert.ok(Math.abs(scale.at(scale.of(1234.5)) - 1234.5) < 1e-6);
  assert.equal(scale.breaks.length, 0);
  const folded = new TimeScale(inputs, 0, 3600, 800, true);
  assert.equal(folded.breaks.length, 1);
  assert.ok(folded.ofInput(4) - folded.ofInput(2) > 50 && folded.end <= 801, String(folded.end));
});

test("ticks are round and apart", () => {
  const { ticks } = new TimeScale([{ seq: 1, t: 0 }, { seq: 2, t: 7 }], 0, 7, 900);
  assert.deepEqual(ticks.map(({ t }) => t), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual([0.13, 0.2, 3, 40, 700, 5000, 90000].map(roundStep), [0.2, 0.2, 5, 60, 900, 7200, 172800]);
  const empty = new TimeScale([], 5, 5, 300);
  assert.deepEqual([empty.end, empty.of(5), empty.ticks.length], [300, 0, 0]);
});

test("times are for people, and exact where that is asked for", () => {
  assert.deepEqual([0.35, 64.5, 86336.4, 90000].map(clockTime), ["0.350", "1:04.500", "23:58:56", "1 d 01:00:00"]);
  assert.deepEqual([0.35, 0.0004, 9.96, 59.2, 1544, 86336].map(countdown), ["350 ms", "1 ms", "10.0 s", "60 s", "25:44", "23:58:56"]);
  assert.deepEqual([0.349, 4.2, 725, 90061].map(span), ["349 ms", "4.2 s", "12 min 5 s", "1 d 1 h"]);
  assert.equal(exactTime(343.116647296), "343.116647296 s");
  assert.deepEqual(["500ms", "2m", "x"].map(parseDuration), [0.5, 120, NaN]);
});

test("words of a request are quoted where they need it, and data are checked by what describe allows", () => {
  assert.equal(line(["send", "key", "two words"], { c: 'a"b', none: undefined }), 'send key "two words" c="a\\"b"');
  assert.equal(ruleOf("0..10 °C").check("11"), "from 0 to 10");
  assert.equal(ruleOf("1s..5m").check("90s"), null);
  assert.equal(ruleOf("one character").check("ab"), "one character");
  assert.match(faultOf({ gone: true, reply: { code: "GONE" } }), /cannot be reached/);
});

test("a transition of a document may be for several events, and for a delay in another unit", () => {
  const door = new Facts({
    name: "door", complete: true, why: "", states: [state("open", "s0"), state("closing", "s1"), state("ajar", "s2")],
    transitions: [move("open", "closing", "button, longOpen", "a0"), move("open", "ajar", "after 10m", "a1")],
  });
  for (const cause of [{ event: "button" }, { timer: "longOpen(1)" }]) assert.deepEqual(door.moved("open", "closing", cause).arrows, ["a0"]);
  assert.deepEqual(door.running("open.after.600s(1)", "open").arrows, ["a1"]);
  assert.deepEqual(arrows(door.possible([{ event: "button", effects: ["moved"], into: ["closing"] }], "open").certain), ["a0"]);
});

test("a machine whose making was undone is not there, until it is made again", () => {
  const journal = new Journal();
  journal.add({ seq: 1, t: 0, name: "key", what: "created", kind: "shiftKey", state: "off" });
  journal.add({ seq: 2, t: 0, name: "key", what: "moved", from: "off", to: "on", event: "tap" });
  journal.add({ seq: 3, t: 0, name: "-", what: "undone", from: 1, to: 2 });
  assert.equal(machineAt(journal.lines, "key", Infinity).exists, false);
  assert.equal(machineAt(journal.lines, "key", 2).exists, true);
  journal.add({ seq: 4, t: 0, name: "key", what: "created", kind: "shiftKey", state: "off" });
  assert.equal(machineAt(journal.lines, "key", Infinity).exists, true);
});
