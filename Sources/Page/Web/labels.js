// Moves labels of arrows that Graphviz has put on frames, states, other labels or lines to a free place nearby.

// How far a label is moved at most, and by how much more each time, in the picture's own points.
const FARTHEST = 54;
const STEP = 6;
// What may overlap.
const TOLERANCE = 2;
// The distance between the points at which a line is sampled.
const GRAIN = 4;
// The most such points: a picture with more keeps labels on lines.
const MOST_POINTS = 20000;

export function freeLabels(root) {
  const boxes = (selector) => [...root.querySelectorAll(selector)].map((item) => item.getBBox());
  const nodes = boxes(".node > :is(path, polygon, ellipse)");
  const frames = boxes(".cluster:not(.outermost) > :is(path, polygon)");
  const edges = [...root.querySelectorAll(".edge")];
  const labels = edges.map((edge) => [...edge.querySelectorAll("text")])
    .filter((texts) => texts.length > 0).map((texts) => ({ texts, box: boxAround(texts.map((text) => text.getBBox())) }));
  const points = pointsOf(edges.flatMap((edge) => [...edge.querySelectorAll("path")]));
  for (const label of labels) {
    const around = points.filter((point) => holds(label.box, point, -FARTHEST));
    const isApart = (box) => !nodes.some((node) => meets(box, node)) && !frames.some((frame) => crosses(box, frame))
      && !labels.some((other) => other !== label && meets(box, other.box));
    const isFree = (box) => isApart(box) && !around.some((point) => holds(box, point, TOLERANCE));
    if (isFree(label.box)) continue;
    const places = SHIFTS.map(([x, y]) => ({ x, y, box: { ...label.box, x: label.box.x + x, y: label.box.y + y } }));
    // On a line it can still be read, on a state or another label it cannot.
    const place = places.find(({ box }) => isFree(box)) ?? (isApart(label.box) ? undefined : places.find(({ box }) => isApart(box)));
    if (!place) continue;
    label.box = place.box;
    for (const text of label.texts) {
      text.setAttribute("x", Number(text.getAttribute("x")) + place.x);
      text.setAttribute("y", Number(text.getAttribute("y")) + place.y);
    }
  }
}

// The nearest first.
const SHIFTS = Array.from({ length: FARTHEST / STEP }, (_, step) => STEP * (step + 1))
  .flatMap((far) => [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]].map(([x, y]) => [far * x, far * y]));

function pointsOf(paths) {
  const points = [];
  for (const path of paths) {
    const length = path.getTotalLength();
    if (points.length + length / GRAIN > MOST_POINTS) return [];
    for (let at = 0; at <= length; at += GRAIN) points.push(path.getPointAtLength(at));
  }
  return points;
}

// Whether a point is in a box that is smaller by `border` on each side, or larger if it is negative.
function holds(box, { x, y }, border) {
  return x > box.x + border && x < box.x + box.width - border && y > box.y + border && y < box.y + box.height - border;
}

function boxAround(boxes) {
  const [x, y] = ["x", "y"].map((name) => Math.min(...boxes.map((box) => box[name])));
  return { x, y, width: Math.max(...boxes.map((box) => box.x + box.width)) - x, height: Math.max(...boxes.map((box) => box.y + box.height)) - y };
}

function meets(one, other) {
  return one.x + TOLERANCE < other.x + other.width && other.x + TOLERANCE < one.x + one.width
    && one.y + TOLERANCE < other.y + other.height && other.y + TOLERANCE < one.y + one.height;
}

function crosses(box, frame) {
  const isInside = box.x >= frame.x && box.y >= frame.y && box.x + box.width <= frame.x + frame.width && box.y + box.height <= frame.y + frame.height;
  return meets(box, frame) && !isInside;
}
