// Where a time stands in a waveform. The axis is to scale, and one moment has one place; folded, long silence is cut short, and
// each cut has its place among the `breaks`.

// Pixels that a usual silence takes at least, and the widest waveform.
const USUAL_WIDTH = 30;
const MOST_WIDTH = 16000;
// How many times longer than a usual silence one is that is folded.
const LONG = 8;
// Pixels between two ticks, at least.
const TICK_WIDTH = 92;

export class TimeScale {
  points = [];
  // Folded silence: `{ x, seconds }`.
  breaks = [];
  // Times at which the scale changes, with their places.
  #knots;

  // `inputs` are `{ seq, t }` in order; `from` and `to` the ends of the stretch, which takes at least the `room`.
  constructor(inputs, from, to, room, isFolded = false) {
    const times = [...new Set([from, ...inputs.map(({ t }) => t), to])].filter((t) => t >= from && t <= to).sort((a, b) => a - b);
    const gaps = times.slice(1).map((t, place) => t - times[place]);
    const usual = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
    const longest = isFolded && usual > 0 ? LONG * usual : Infinity;
    const length = gaps.reduce((sum, gap) => sum + Math.min(gap, longest), 0);
    const perSecond = length > 0 ? Math.max(room / length, Math.min(usual > 0 ? USUAL_WIDTH / usual : 0, MOST_WIDTH / length)) : 0;
    this.from = from;
    this.to = to;
    let x = 0;
    this.#knots = [{ t: times[0] ?? from, x }];
    gaps.forEach((gap, place) => {
      const width = Math.min(gap, longest) * perSecond;
      if (gap > longest) this.breaks.push({ x: x + width / 2, seconds: gap });
      x += width;
      this.#knots.push({ t: times[place + 1], x });
    });
    this.end = length > 0 ? x : room;
    this.points = inputs.map(({ seq, t }) => ({ seq, t, x: this.of(t) }));
  }

  // The place of an input.
  ofInput(seq) {
    return this.points.find((point) => point.seq === seq)?.x ?? 0;
  }

  // The place of a time.
  of(t) {
    return between(this.#knots, t, "t", "x");
  }

  // The time at a place.
  at(x) {
    return between(this.#knots, x, "x", "t");
  }

  // Round times, far enough from each other to be written.
  get ticks() {
    const ticks = [];
    const step = roundStep(((this.to - this.from) * TICK_WIDTH) / Math.max(1, this.end));
    if (!(step > 0)) return ticks;
    const first = Math.ceil(this.from / step - 1e-9) + 0;
    for (let number = first; number * step <= this.to + step * 1e-9 && ticks.length < 2000; number += 1) {
      const [t, x] = [number * step, this.of(number * step)];
      if (!ticks.length || x - ticks.at(-1).x >= TICK_WIDTH * 0.8) ticks.push({ t, x });
    }
    return ticks;
  }
}

function between(knots, value, given, wanted) {
  const after = knots.findIndex((knot) => knot[given] > value);
  if (after === 0) return knots[0][wanted];
  if (after < 0) return knots.at(-1)[wanted];
  const [left, right] = [knots[after - 1], knots[after]];
  return left[wanted] + ((right[wanted] - left[wanted]) * (value - left[given])) / (right[given] - left[given]);
}

// The least round duration that is not below one: 1, 2 or 5 of a power of ten, or of what clocks count in.
export function roundStep(seconds) {
  if (!(seconds > 0)) return 0;
  const steps = [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  if (seconds > 5 && seconds <= 86400) return steps.find((step) => step >= seconds);
  const unit = seconds > 86400 ? 86400 : 1;
  const power = 10 ** Math.floor(Math.log10(seconds / unit) + 1e-9);
  return unit * power * [1, 2, 5, 10].find((factor) => factor * power >= (seconds / unit) * (1 - 1e-9));
}
