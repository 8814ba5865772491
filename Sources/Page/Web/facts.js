// What a picture shows, from `graph … format=json present=no`: which parts of it stand for a state, a move, a timer.

import { parseDuration } from "./times.js";

// Steps that one event may take through a document at most.
const MOST_STEPS = 8;

export class Facts {
  #states;
  #transitions;
  #wires;
  #regions;

  // `json` is the object; with `members` the names of the members of a composition.
  constructor(json) {
    this.name = json.name;
    this.isComplete = json.complete;
    this.why = json.why;
    this.#states = json.states;
    // A transition of a document may be for several events.
    this.#transitions = json.transitions.map((move) => ({ ...move, events: move.event === undefined ? [] : move.event.split(/, (?![^(]*\))/) }));
    this.#wires = json.wires ?? [];
    this.#regions = new Map();
    for (const state of json.states) {
      if (state.region === null) continue;
      const member = this.isComposition ? state.name.split(".")[0] : "";
      const regions = this.#regions.get(member) ?? [];
      if (!regions.includes(state.region)) regions.push(state.region);
      this.#regions.set(member, regions);
    }
  }

  get isComposition() {
    return this.#wires.length > 0;
  }

  get states() {
    return this.#states;
  }

  get transitions() {
    return this.#transitions;
  }

  get wires() {
    return this.#wires;
  }

  // Whether a picture of the machine has its states.
  get hasIDs() {
    return this.#states.some((state) => state.id !== undefined);
  }

  // The states that a word of a machine means, the innermost ones: one, or one of each region.
  leaves(word, member = "") {
    const prefix = member ? `${member}.` : "";
    const named = (name, region) =>
      this.#states.filter((state) => state.name === prefix + name && (region === undefined || state.region === region));
    const bare = (text) => text.replace(/\(.*\)$/s, "");
    for (const text of [word, bare(word)]) {
      const whole = named(text, undefined).filter((state) => state.region === null);
      if (whole.length) return whole;
    }
    const parts = split(word);
    const regions = this.#regions.get(member) ?? [];
    const found = parts.flatMap((part, place) => {
      const region = parts.length === regions.length ? regions[place] : undefined;
      const exact = named(part, region);
      return exact.length ? exact : named(bare(part), region);
    });
    return found.length ? found : named(bare(word), undefined);
  }

  // The names of states with those of all states around them; a member of a composition is around all of its own.
  #around(leaves) {
    const names = new Set();
    const todo = leaves.map((state) => state.name);
    while (todo.length) {
      const name = todo.pop();
      if (names.has(name)) continue;
      names.add(name);
      for (const state of this.#states) if (state.name === name && state.parent !== null) todo.push(state.parent);
    }
    return names;
  }

  // The ids of the states that a word means.
  ids(word, member = "") {
    return this.leaves(word, member).map((state) => state.id).filter((id) => id !== undefined);
  }

  // The transitions of an outcome: `{ moves, arrows, inner }`, the transitions, the ids of their arrows, and what was handled
  // within states, as `{ id, trigger }`.
  //
  // `cause` has `event` or `timer`, or neither if a wire brought an event that is not known; `outputs` are the names of what
  // was emitted. Where the words cannot tell transitions apart, all that fit are meant.
  moved(from, to, cause, outputs, member = "") {
    const before = this.leaves(from, member);
    const after = this.leaves(to, member);
    const [left, entered] = [this.#around(before), this.#around(after)];
    const fits = this.#fitting(cause, member).filter(
      (move) => move.effect === "moved" && left.has(move.from) && entered.has(move.to),
    );
    const changes = fits.filter((move) => !entered.has(move.from) || !left.has(move.to));
    const direct = changes.length ? changes : fits;
    const moves = narrowed(direct.length ? direct : this.#through(cause, left, entered, member), outputs);
    return { moves, arrows: unique(moves.flatMap((move) => move.arrows ?? [])), inner: [] };
  }

  // Moves that lead on from choices and other states that are left at once.
  #through(cause, left, entered, member) {
    const found = [];
    const follow = (path) => {
      const { to } = path.at(-1);
      // A history leads to some state of its parent.
      const history = /\[H\*?\]$/.test(to) ? this.#states.find((state) => state.name === to)?.parent : null;
      if (entered.has(to) && (path.length > 1 || path[0].event === "") || entered.has(history)) found.push(...path);
      else if (path.length < MOST_STEPS) {
        const reached = this.#around([{ name: to }]);
        for (const next of this.#transitions) {
          if (next.event === "" && reached.has(next.from) && next.effect === "moved" && !path.includes(next)) follow([...path, next]);
        }
      }
    };
    for (const move of this.#fitting(cause, member)) if (move.effect === "moved" && left.has(move.from)) follow([move]);
    // What an event does within a state may let a move without an event be taken.
    if (!found.length) for (const move of this.#transitions) if (move.event === "" && move.effect === "moved" && left.has(move.from)) follow([move]);
    return unique(found);
  }

  stayed(word, cause, outputs, member = "") {
    const leaves = this.leaves(word, member);
    const around = this.#around(leaves);
    const fits = this.#fitting(cause, member).filter((move) => move.effect === "stayed" && around.has(move.from));
    const moves = narrowed(fits, outputs);
    const inner = moves.flatMap((move) => this.#idsIn(leaves, move.from).map((id) => ({ id, trigger: move.event ?? move.timer })));
    return { moves, arrows: [], inner };
  }

  #fitting({ event, timer }, member) {
    const isInside = (move) => !member || move.from.startsWith(`${member}.`);
    const base = timer === undefined ? undefined : timerName(timer);
    return this.#transitions.filter(
      (move) =>
        isInside(move) &&
        (base !== undefined
          ? isBy(move, base)
          : event !== undefined
            ? move.events.includes(event) || move.timer === event
            : move.event !== undefined),
    );
  }

  // Where a running timer is drawn: on arrows, or within states, and for how long it runs, if that is known.
  running(timer, word, member = "") {
    const leaves = this.leaves(word, member);
    const around = this.#around(leaves);
    const base = timerName(timer);
    const moves = this.#transitions.filter(
      (move) => isBy(move, base) && around.has(move.from) && (!member || move.from.startsWith(`${member}.`)),
    );
    const arrows = unique(moves.filter((move) => move.effect === "moved").map((move) => move.arrows?.at(-1)));
    const inner = unique(moves.filter((move) => move.effect !== "moved").flatMap((move) => this.#idsIn(leaves, move.from)));
    return { base, arrows, inner: arrows.length ? [] : inner, after: moves.find((move) => move.after !== undefined)?.after };
  }

  // The moves that would happen: `certain` those that nothing but their event decides, `perhaps` those that its data
  // decide. `outcomes` are what the daemon says of each event, `{ event, effects, into }`.
  possible(outcomes, word, member = "") {
    const [certain, perhaps] = [[], []];
    for (const { event, effects, into } of outcomes) {
      const ways = into.map((state) => this.moved(word, state, { event }, undefined, member).moves);
      // Each region takes a move of its own. Where one state has several moves, or an event several ends, data decide.
      const isOne = effects.length === 1 && into.length === 1 && !hasRivals(ways[0]);
      (isOne ? certain : perhaps).push(...ways.flat());
    }
    return { certain: unique(certain), perhaps: unique(perhaps).filter((move) => !certain.includes(move)) };
  }

  // The events that the picture knows of a state, as `possible` takes them: for a moment that the daemon is not asked about.
  outcomesIn(word, member = "") {
    const around = this.#around(this.leaves(word, member));
    const moves = this.#transitions.filter((move) =>
      move.event !== undefined && around.has(move.from) && (move.effect === "moved" || move.effect === "stayed"));
    const bare = (name) => (member ? name.slice(member.length + 1) : name);
    const byEvent = Map.groupBy(moves.flatMap((move) => move.events.map((event) => ({ event, move }))), ({ event }) => event);
    return [...byEvent].map(([event, found]) => [event, found.map(({ move }) => move)]).map(([event, alike]) => ({
      event,
      // A condition may hold or not, and what was not tried may do something else.
      effects: !this.isComplete || alike.some((move) => move.guard || move.samples)
        ? ["moved", "ignored"] : unique(alike.map((move) => move.effect)),
      into: unique(alike.filter((move) => move.effect === "moved").map((move) => bare(move.to))),
    }));
  }

  // The ids of all that belongs to a member: its states, their arrows, and its wires.
  partsOf(member) {
    const isOwn = (state) => state === member || state.startsWith(`${member}.`);
    return unique([
      ...this.#states.filter(({ name }) => isOwn(name)).map(({ id }) => id),
      ...this.#transitions.filter(({ from }) => isOwn(from)).flatMap(({ arrows }) => arrows ?? []),
      ...this.#wires.filter(({ from, to }) => from === member || to === member).flatMap(({ arrows }) => arrows ?? []),
    ]);
  }

  // The wires from one member to another that carry an output.
  carried(from, output, to) {
    return this.#wires.filter((wire) => wire.output === output && wire.from === from && (to === undefined || wire.to === to));
  }

  // The ids of a state, those that the machine is in: two regions may each have one of this name.
  #idsIn(leaves, name) {
    const own = leaves.filter((state) => state.name === name).map(({ id }) => id);
    return own.length ? own : [this.#id(name)];
  }

  #id(name) {
    return this.#states.find((state) => state.name === name)?.id;
  }
}

// Of transitions that words alone do not tell apart, those whose outputs are the ones that came. Each region has its own.
function narrowed(moves, outputs) {
  if (!outputs) return moves;
  return [...Map.groupBy(moves, (move) => move.from).values()].flatMap((alike) => narrowedAlike(alike, outputs));
}

function narrowedAlike(moves, outputs) {
  if (moves.length < 2) return moves;
  const came = outputs.join(" ");
  const exact = moves.filter((move) => (move.outputs ?? []).join(" ") === came);
  if (exact.length) return exact;
  const have = new Set(outputs);
  const possible = moves.filter((move) => (move.outputs ?? []).every((output) => output.endsWith("?") || have.has(output)));
  return possible.length ? possible : moves;
}

// Whether the end of a timer brings a move.
function isBy(move, timer) {
  return move.timer === timer || (move.timer === undefined && move.events.includes(timer)) || isDelay(move, timer);
}

// Whether a move of a document, `after 5m`, is that of a timer, `STATE.after.300s`.
function isDelay({ event, from }, timer) {
  const [ours, theirs] = ["after ", `${from}.after.`];
  if (!event?.startsWith(ours) || !timer.startsWith(theirs)) return false;
  const [written, runs] = [event.slice(ours.length), timer.slice(theirs.length)];
  return written === runs || parseDuration(written) === parseDuration(runs);
}

// Whether two of some moves leave the same state by different arrows.
function hasRivals(moves) {
  return [...Map.groupBy(moves, (move) => move.from).values()].some((alike) => unique(alike.map((move) => (move.arrows ?? []).join(" "))).length > 1);
}

// The parts of a word; a plus sign within parentheses belongs to data.
export function split(word) {
  const parts = [""];
  let depth = 0;
  for (const character of word) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "+" && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

// `ring` of `ring(2)`: one of several timers of a name.
function timerName(timer) {
  return timer.replace(/\(.*\)$/s, "");
}

function unique(items) {
  return [...new Set(items.filter((item) => item !== undefined && item !== null))];
}
