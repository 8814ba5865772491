// What a teacher says, beside the diagram: paragraphs with `code` and **bold** words.

import { el, put } from "./dom.js";

export class LessonText {
  element = el("aside", { class: "lesson", role: "status", "aria-label": "What is said", tabindex: "0", hidden: true });

  // Shows a text; an empty one goes.
  show(text) {
    this.element.hidden = text === "";
    put(this.element, text.split(/\n\s*\n/).filter((part) => part.trim()).map((part) => el("p", null, part.split("\n").flatMap((words, place, lines) =>
      [...inline(words), place + 1 < lines.length ? (/^\s*[-*] /.test(lines[place + 1]) ? el("br") : " ") : null]))));
    this.element.scrollTop = 0;
  }
}

function inline(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).filter(Boolean).map((part) =>
    part.startsWith("**") && part.length > 4 ? el("b", null, part.slice(2, -2))
      : part.startsWith("`") && part.length > 2 ? el("code", null, part.slice(1, -1)) : part);
}
