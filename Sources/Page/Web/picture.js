// A picture that the daemon's Graphviz has drawn, taken over piece by piece: an element and an attribute that are not listed
// here do not come into the page, whatever stands in the text.

import { SVG } from "./dom.js";

const ELEMENTS = new Set(["svg", "g", "path", "polygon", "polyline", "ellipse", "circle", "rect", "line", "text", "tspan", "title"]);

// Presentation only: no address, no handler, no style, no id. Ids are kept in a map of the picture's own.
const ATTRIBUTES = new Set([
  "viewBox", "d", "points", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "width", "height", "fill", "stroke",
  "stroke-width", "stroke-dasharray", "text-anchor", "font-size", "font-weight", "font-style", "transform",
]);

// The parts of Graphviz's classes that mean something here.
const CLASSES = new Set(["graph", "node", "edge", "cluster", "current"]);

const policy = globalThis.trustedTypes?.createPolicy("fsmd-picture", { createHTML: (text) => text });

// Reads an SVG: `{ root, parts }`, the element and the groups by their ids; null if it is none.
export function readPicture(text) {
  // Its colours are for pictures that stand alone; the page has its own, and the policy would complain of them.
  const bare = text.replace(/<style[\s\S]*?<\/style>/g, "");
  // Parsed apart from the page, where nothing runs and nothing is fetched.
  const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(bare) : bare, "image/svg+xml");
  const source = parsed.documentElement;
  if (source.namespaceURI !== SVG || source.localName !== "svg") return null;
  const parts = new Map();
  const root = copied(source, parts);
  // The size is that of its frame.
  root.removeAttribute("width");
  root.removeAttribute("height");
  return { root, parts };
}

function copied(source, parts) {
  const copy = document.createElementNS(SVG, source.localName);
  for (const { name, value } of source.attributes) {
    if (ATTRIBUTES.has(name) && !/url\s*\(/i.test(value)) copy.setAttribute(name, value);
  }
  const classes = (source.getAttribute("class") ?? "").split(/\s+/).filter((name) => CLASSES.has(name));
  if (classes.length) copy.setAttribute("class", classes.join(" "));
  if (source.id && source.localName === "g") parts.set(source.id, copy);
  for (const child of source.childNodes) append(copy, child, parts);
  return copy;
}

function append(copy, child, parts) {
  if (child.nodeType === Node.TEXT_NODE) {
    if (copy.localName === "text" || copy.localName === "tspan" || copy.localName === "title") copy.append(child.data);
  } else if (child.nodeType === Node.ELEMENT_NODE && child.namespaceURI === SVG) {
    // What a link contains is drawn; the link is not.
    if (child.localName === "a") for (const inner of child.childNodes) append(copy, inner, parts);
    else if (ELEMENTS.has(child.localName)) copy.append(copied(child, parts));
  }
}
