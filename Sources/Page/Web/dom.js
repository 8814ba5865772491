// Making elements. Text of machines and clients reaches the page here alone, and only as text nodes and attributes.

export const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// An element of HTML: `el("button", { class: "quiet", onclick }, "Undo")`.
export function el(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

// An element of SVG.
export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

// Replaces the children of an element.
export function put(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}

// Sets a text only where it is another one, so that nothing is laid out anew.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Calls `work` in the next frame, once for all calls until then. A hidden page has no frames: there a timer calls it.
export function eachFrame(work) {
  let asked = false;
  const run = () => {
    asked = false;
    work();
  };
  return () => {
    if (asked) return;
    asked = true;
    if (document.hidden) setTimeout(run, 250);
    else requestAnimationFrame(run);
  };
}

// Calls `work` after the next frame was drawn.
export function afterFrame(work) {
  if (document.hidden) setTimeout(work);
  else requestAnimationFrame(() => setTimeout(work));
}

// How much longer than a work takes the pause after it is, at least, and than the frame that shows it takes beyond a usual one:
// several of them leave time for frames.
const REST = 8;
const REST_OF_FRAME = 3;
// Milliseconds of that at most: a window that is covered has no frames for long.
const LONGEST_REST = 500;
// Milliseconds of a usual frame.
const FRAME = 17;

// Calls `work` at once, and again at most every `pause` milliseconds while it is asked for; less often if it takes long, and not
// before a promise that it returned is settled: a daemon that is slow to answer is not asked the same again meanwhile.
export function atMostEvery(pause, work) {
  let timer = 0;
  let isBusy = false;
  let isWanted = false;
  let next = -Infinity;
  const run = () => {
    timer = 0;
    const begun = performance.now();
    const done = work();
    if (done instanceof Promise) {
      isBusy = true;
      done.finally(() => {
        isBusy = false;
        if (isWanted) want();
      });
    }
    const took = performance.now() - begun;
    next = Math.max(begun + pause, begun + took + REST * took);
    if (!document.hidden) {
      afterFrame(() => {
        const now = performance.now();
        next = Math.max(next, now + Math.min(LONGEST_REST, REST_OF_FRAME * (now - begun - FRAME)));
      });
    }
  };
  const want = () => {
    isWanted = isBusy;
    if (!isBusy && !timer) timer = setTimeout(run, Math.max(0, next - performance.now()));
  };
  return want;
}
