// Words of a request, as Docs/Protocol.md has them.

// A word in quotes where it needs them.
function quoted(word) {
  if (word !== "" && !/[\s="\\]/.test(word) && !word.startsWith("#") && !word.startsWith("@")) return word;
  const inner = word.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t");
  return `"${inner}"`;
}

// A line of a request: words, then `key=value` for each value that is there.
export function line(words, keys = {}) {
  const rest = Object.entries(keys).filter(([, value]) => value !== undefined && value !== null);
  return [...words.map(quoted), ...rest.map(([key, value]) => `${key}=${quoted(String(value))}`)].join(" ");
}

// A pattern that matches this name alone.
export function isName(text) {
  return /^[A-Za-z][A-Za-z0-9._-]{0,63}$/.test(text);
}

const utf8 = new TextEncoder();

export function byteCount(text) {
  return utf8.encode(text).length;
}
