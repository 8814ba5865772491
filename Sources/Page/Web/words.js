// The journal in words.

import { clockTime, span } from "./times.js";

// What brought an input, as a phrase: "by tap", "when doubleTap ran out".
export function causeOf(line) {
  if (line.timer !== undefined) return { how: "timer", what: line.timer, text: `${line.timer} ran out` };
  if (line.wire !== undefined) return { how: "wire", what: line.wire, text: `through the wire from ${line.wire}` };
  if (line.event !== undefined) return { how: "event", what: line.event, text: line.event };
  return { how: "none", what: "", text: "" };
}

// A sentence on one line of a journal; the name of the machine comes first, where there is one.
export function sentence(line) {
  switch (line.what) {
    case "created":
      return `${line.name} is made: ${article(line.kind)} in ${line.state}`;
    case "dropped":
      return `${line.name} is gone`;
    case "moved":
      return line.from === line.to
        ? `${line.name} enters ${line.to} anew${by(line)}`
        : `${line.name} goes from ${line.from} to ${line.to}${by(line)}`;
    case "stayed":
      return `${line.name} handles ${subject(line)} and stays in ${line.state}`;
    case "ignored":
      return `${line.name} ignores ${subject(line)} in ${line.state}`;
    case "refused":
      return `${line.name} refuses ${subject(line)} in ${line.state}`;
    case "output":
      return `${line.name} emits ${outputText(line)}`;
    case "told":
      return `${line.name} tells ${outputText(line)}`;
    case "pointed":
      return `look at ${line.state} of ${line.name}`;
    case "armed":
      return `${line.name} starts ${line.timer}, due at ${clockTime(line.due)}`;
    case "disarmed":
      return `${line.name} stops ${line.timer}`;
    case "expired":
      return `${line.timer} of ${line.name} runs out`;
    case "wired":
      return `${line.output} of ${line.name} becomes ${line.event} of ${line.to}`;
    case "unwired":
      return `${line.output} of ${line.name} no longer becomes ${line.event} of ${line.to}`;
    case "undone":
      return line.from === undefined ? "time is turned back" : line.from === line.to
        ? `input ${line.from} is undone`
        : `inputs ${line.from} to ${line.to} are undone`;
    case "redone":
      return line.from === undefined ? "time goes on again" : line.from === line.to
        ? `input ${line.from} is in effect again`
        : `inputs ${line.from} to ${line.to} are in effect again`;
    case "defined":
      return `${line.kind} is defined, version ${line.version}`;
    case "undefined":
      return `${line.kind} is no longer defined`;
    default:
      return `${line.name} ${line.what}`;
  }
}

// What is wrong with a request, in words.
export function faultOf({ gone, reply }) {
  if (gone || reply.code === "GONE") return "The daemon cannot be reached now; nothing was changed. The page tries again by itself.";
  return reply.text ?? reply.code;
}

// An output with its data.
export function outputText({ output, data = [] }) {
  return [output, ...data].join(" ");
}

// What tells the lines of one input apart.
export function identity({ t, name, what, kind, state, from, to, output, data, timer, event, due }) {
  return [t, name, what, kind, state, from, to, output, data, timer, event, due].join(" ");
}

function by(line) {
  const cause = causeOf(line);
  return cause.how === "none" ? "" : cause.how === "event" ? `, by ${cause.text}` : cause.how === "timer" ? `: ${cause.text}` : `, ${cause.text}`;
}

function subject(line) {
  const cause = causeOf(line);
  return cause.how === "timer" ? `the end of ${cause.what}` : cause.how === "wire" ? `what came from ${cause.what}` : cause.what;
}

function article(word) {
  return `${/^[aeio]/i.test(word) ? "an" : "a"} ${word}`;
}

// A name for the clock as it is.
export function clockWords(clock) {
  if (clock.mode === "virtual") return "virtual";
  if (clock.isPaused) return "paused";
  return clock.speed === 1 ? "real" : `real × ${clock.speed}`;
}

// 1,234,567. The browser's own formats of numbers take a long moment to load.
export function inThousands(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

// What a gap in the stream means.
export function gapWords(count, seconds) {
  return `${inThousands(count)} changes in ${span(seconds)} were too many to show one by one`;
}
