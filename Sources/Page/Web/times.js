// Times as people read them. A time of a world is a number of seconds.

// 0.350, 12:04.500, 23:58:56, 3 d 04:00:00: from an hour on in whole seconds.
export function clockTime(seconds) {
  const sign = seconds < 0 ? "−" : "";
  let rest = Math.abs(seconds);
  const days = Math.floor(rest / 86400);
  rest -= days * 86400;
  const hours = Math.floor(rest / 3600);
  rest -= hours * 3600;
  const minutes = Math.floor(rest / 60);
  rest -= minutes * 60;
  const two = (number) => String(number).padStart(2, "0");
  const whole = two(Math.floor(rest + 1e-9));
  if (days) return `${sign}${days} d ${two(hours)}:${two(minutes)}:${whole}`;
  if (hours) return `${sign}${hours}:${two(minutes)}:${whole}`;
  const tail = rest.toFixed(3);
  if (minutes) return `${sign}${minutes}:${tail.padStart(6, "0")}`;
  return `${sign}${tail}`;
}

// A round time on an axis: 350 ms, 1.5 s, 12:04.5, 14:00:00.
export function tickTime(seconds) {
  if (seconds > 0 && seconds < 1) return `${Number((seconds * 1000).toFixed(6))} ms`;
  const text = clockTime(seconds).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return text.includes(":") ? text : `${text} s`;
}

// All digits that the daemon sent, in seconds.
export function exactTime(seconds) {
  const text = seconds.toFixed(9).replace(/0+$/, "");
  const decimals = text.length - text.indexOf(".") - 1;
  return `${decimals < 3 ? seconds.toFixed(3) : text} s`;
}

// 350 ms, 4.2 s, 12 min 5 s, 3 h 2 min.
export function span(seconds) {
  if (seconds < 0) return `−${span(-seconds)}`;
  if (seconds === 0) return "0 s";
  if (seconds < 1e-6) return `${Math.round(seconds * 1e9)} ns`;
  if (seconds < 1e-3) return `${plain(seconds * 1e6)} µs`;
  if (seconds < 1) return `${plain(seconds * 1e3)} ms`;
  if (seconds < 60) return `${plain(seconds)} s`;
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const first = units.findIndex(([size]) => seconds >= size);
  const whole = Math.floor(seconds / units[first][0]);
  const next = Math.floor((seconds - whole * units[first][0]) / units[first + 1][0]);
  return `${whole} ${units[first][1]}${next ? ` ${next} ${units[first + 1][1]}` : ""}`;
}

function plain(number) {
  return number < 10 ? String(Number(number.toFixed(2))) : number < 100 ? String(Number(number.toFixed(1))) : String(Math.round(number));
}

// A number as it is shown everywhere: with two decimals at most.
export function number(value) {
  return String(Number(Number(value).toFixed(2)));
}

// What is left of a timer: steady in width while it counts down.
export function countdown(seconds) {
  if (seconds <= 0) return "0 ms";
  if (seconds < 1) return `${Math.ceil(seconds * 1000 - 1e-6)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const whole = Math.ceil(seconds);
  const two = (number) => String(number).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}:${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  return span(whole);
}

// A duration as a request has it, `1.5s` or `2m`, in seconds; NaN if it is none.
export function parseDuration(text) {
  const match = /^(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)?$/.exec(text);
  if (!match) return NaN;
  const units = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86400 };
  return Number(match[1]) * units[match[2] ?? "s"];
}
