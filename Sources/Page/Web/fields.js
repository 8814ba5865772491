// Fields for data, checked while they are typed by what `describe` says is allowed. The daemon has the last word.

import { el, setText } from "./dom.js";
import { byteCount } from "./requests.js";
import { parseDuration } from "./times.js";

// What a text must be, from the words of `describe`: `{ check, choices, isOptional }`; `check` gives what is wrong, or null.
export function ruleOf(allowed) {
  if (allowed === "any data") {
    // Words of `key=value`, as a request has them.
    const words = /^\s*([A-Za-z][\w.-]*=("(\\.|[^"\\])*"|[^\s"]*)(\s+|$))*$/;
    return { isRaw: true, takesEmpty: true, check: (text) => (words.test(text) ? null : "words such as count=3 name=Ann") };
  }
  const optional = /^(.*), or nil$/s.exec(allowed);
  if (optional) {
    const inner = ruleOf(optional[1]);
    return {
      ...inner,
      isOptional: true,
      choices: inner.choices && [...inner.choices, "nil"],
      check: (text) => (text === "" || text === "nil" ? null : inner.check(text)),
    };
  }
  const bytes = /^text of (\d+) to (\d+) bytes$/.exec(allowed);
  if (bytes) {
    const [least, most] = [Number(bytes[1]), Number(bytes[2])];
    return {
      takesEmpty: least === 0,
      check: (text) => {
        const count = byteCount(text);
        if (count < least) return least === 1 ? "a value is needed here" : `at least ${least} bytes`;
        return count > most ? `at most ${most} bytes; these are ${count}` : null;
      },
    };
  }
  if (allowed === "one character") {
    const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
    return { check: (text) => ([...characters.segment(text)].length === 1 ? null : "one character") };
  }
  const durations = /^(\d[\d.]*(?:ns|us|ms|s|m|h|d))\.\.(\d[\d.]*(?:ns|us|ms|s|m|h|d))$/.exec(allowed);
  if (durations) {
    const [least, most] = [parseDuration(durations[1]), parseDuration(durations[2])];
    return {
      check: (text) => {
        const value = parseDuration(text);
        if (Number.isNaN(value)) return "a duration, such as 350ms, 2s or 5m";
        return value < least || value > most ? `from ${durations[1]} to ${durations[2]}` : null;
      },
    };
  }
  const numbers = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)(?: (.*))?$/.exec(allowed);
  if (numbers) {
    const [least, most] = [Number(numbers[1]), Number(numbers[2])];
    return {
      unit: numbers[3],
      check: (text) => {
        if (!/^-?\d+(\.\d+)?$/.test(text)) return "a number";
        return Number(text) < least || Number(text) > most ? `from ${numbers[1]} to ${numbers[2]}` : null;
      },
    };
  }
  if (allowed === "on,off,true,false") return { choices: ["on", "off"], check: (text) => (/^(on|off|true|false)$/.test(text) ? null : "on or off") };
  if (/^[^\s,]+(,[^\s,]+)+$/.test(allowed)) {
    const choices = allowed.split(",");
    return { choices, check: (text) => (choices.includes(text) ? null : `one of ${choices.join(", ")}`) };
  }
  if (/^[A-Za-z_]\w*$/.test(allowed)) return { choices: [allowed], check: (text) => (text === allowed ? null : `only ${allowed}`) };
  return { takesEmpty: true, check: () => null };
}

let count = 0;

// A labelled field: `{ element, input, value, isValid }`.
export class Field {
  constructor({ name, allowed, text, initial, onchange }) {
    this.name = name;
    this.rule = ruleOf(allowed ?? "");
    this.initial = initial;
    const id = `field-${(count += 1)}`;
    const { choices } = this.rule;
    this.input =
      choices && choices.length <= 40
        ? el("select", { id }, choices.map((choice) => el("option", { value: choice }, choice)))
        : el("input", { id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: allowed ?? "" });
    if (initial !== undefined) this.input.value = initial;
    this.fault = el("span", { class: "fault", id: `${id}-fault`, role: "status" });
    this.input.setAttribute("aria-describedby", `${id}-fault`);
    this.input.addEventListener("input", () => {
      this.check(true);
      onchange?.();
    });
    const label = el("label", { for: id, title: text }, name, this.rule.unit ? ` (${this.rule.unit})` : "");
    this.element = el("div", { class: "field" }, label, this.input, this.fault);
  }

  get value() {
    return this.input.value;
  }

  // Whether the value is the one that is taken without saying it.
  get isInitial() {
    return this.initial !== undefined && this.value === this.initial;
  }

  get isLeftOut() {
    return this.rule.isOptional && this.value === "";
  }

  // Checks the value; with `isShown`, what is wrong is said beside it.
  check(isShown) {
    const fault = this.rule.check(this.value);
    if (isShown || !fault) {
      setText(this.fault, fault ?? "");
      this.input.setAttribute("aria-invalid", String(fault !== null));
    }
    return fault === null;
  }
}
