// The journal in words.

import { exactTime, span } from "./times.js";

// What brought an input, as a phrase: "by tap", "when doubleTap ran out".
export function causeOf(line) {
  if (line.timer !== undefined) return { how: "timer", what: line.timer, text: `${line.timer} ran out` };
  if (line.wire !== undefined) return { how: "wire", what: line.wire, text: `through the wire from ${line.wire}` };
  if (line.event !== undefined) return { how: "event", what: line.event, text: line.event };
  return { how: "none", what: "", text: "" };
}

// A sentence on one line of a journal; the name of the machine comes first, where there is one.
export function sentence(line) {
  const [first, second] = line.words;
  const rest = line.words.slice(1).join(" ");
  switch (line.what) {
    case "created":
      return `${line.name} is made: ${article(first)} in ${second}`;
    case "dropped":
      return `${line.name} is gone`;
    case "moved":
      return first === second
        ? `${line.name} enters ${second} anew${by(line)}`
        : `${line.name} goes from ${first} to ${second}${by(line)}`;
    case "stayed":
      return `${line.name} handles ${subject(line)} and stays in ${first}`;
    case "ignored":
      return `${line.name} ignores ${subject(line)} in ${first}`;
    case "refused":
      return `${line.name} refuses ${subject(line)} in ${first}`;
    case "output":
      return `${line.name} emits ${first}${rest ? ` ${rest}` : ""}`;
    case "told":
      return `${line.name} tells ${first}${rest ? ` ${rest}` : ""}`;
    case "pointed":
      return `look at ${first} of ${line.name}`;
    case "armed":
      return `${line.name} starts ${first}, due at ${exactTime(line.due)}`;
    case "disarmed":
      return `${line.name} stops ${first}`;
    case "expired":
      return `${first} of ${line.name} runs out`;
    case "wired":
      return `${first} of ${line.name} becomes ${line.words[2]} of ${second}`;
    case "unwired":
      return `${first} of ${line.name} no longer becomes ${line.words[2]} of ${second}`;
    case "undone":
      return line.from === undefined ? "time is turned back" : line.from === line.to
        ? `input ${line.from} is undone`
        : `inputs ${line.from} to ${line.to} are undone`;
    case "redone":
      return line.from === undefined ? "time goes on again" : line.from === line.to
        ? `input ${line.from} is in effect again`
        : `inputs ${line.from} to ${line.to} are in effect again`;
    case "defined":
      return `${first} is defined, version ${line.version}`;
    case "undefined":
      return `${first} is no longer defined`;
    default:
      return `${line.name} ${line.what} ${line.words.join(" ")}`;
  }
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
