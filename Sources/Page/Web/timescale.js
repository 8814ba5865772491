// Where a time stands in a waveform. Silence takes less room than it lasts, and an instant with several inputs is drawn apart:
// the axis is not to scale, so exact times are written beside it.

// Least and most pixels between two inputs.
const LEAST_WIDTH = 26;
const MOST_WIDTH = 190;
// How much wider a short stretch is drawn at most.
const WIDEST = 4;

// Pixels for so many seconds.
function width(seconds) {
  if (seconds <= 0) return LEAST_WIDTH * 0.6;
  return Math.min(MOST_WIDTH, LEAST_WIDTH + 24 * Math.log10(1 + seconds / 0.02));
}

// Steps of a waveform: `points` are `{ seq, t, x }` for each input, and `end` the place of now.
export class TimeScale {
  points = [];

  // `inputs` are `{ seq, t }` in order; `from` and `to` the ends of the stretch; a short one is drawn wider to fill the `room`.
  constructor(inputs, from, to, room = 0) {
    let x = 0;
    let before = from;
    for (const { seq, t } of inputs) {
      x += this.points.length || t > from ? width(t - before) : 8;
      this.points.push({ seq, t, x });
      before = t;
    }
    this.from = from;
    this.to = Math.max(to, before);
    this.end = x + Math.max(30, width(this.to - before));
    const wider = Math.min(WIDEST, room / this.end);
    if (wider <= 1) return;
    for (const point of this.points) point.x *= wider;
    this.end *= wider;
  }

  // The place of an input.
  ofInput(seq) {
    return this.points.find((point) => point.seq === seq)?.x ?? 0;
  }

  // The place of a time: of the last input of an instant, where it has several.
  of(t) {
    const after = this.points.findIndex((point) => point.t > t);
    const place = (after < 0 ? this.points.length : after) - 1;
    const left = place < 0 ? { t: this.from, x: 0 } : this.points[place];
    const right = after < 0 ? { t: this.to, x: this.end } : this.points[after];
    if (right.t <= left.t) return left.x;
    return left.x + ((right.x - left.x) * Math.min(1, Math.max(0, t - left.t) / (right.t - left.t)));
  }

  // The time at a place.
  at(x) {
    const after = this.points.findIndex((point) => point.x > x);
    const place = (after < 0 ? this.points.length : after) - 1;
    const left = place < 0 ? { t: this.from, x: 0 } : this.points[place];
    const right = after < 0 ? { t: this.to, x: this.end } : this.points[after];
    if (right.x <= left.x) return left.t;
    return left.t + (right.t - left.t) * Math.min(1, Math.max(0, (x - left.x) / (right.x - left.x)));
  }
}
