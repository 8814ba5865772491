// The parts of an MVI feature, and which of them an input has put to work.

export class Parts {
  #parts;
  #flows;

  // `parts` is what `graph KIND show=parts format=json` answers.
  constructor({ parts, flows }) {
    this.#parts = parts;
    this.#flows = flows;
  }

  // The parts at work and the flows between them, of the lines that the journal has of one input of the feature: `parts` are ids in
  // the picture, `flows` pairs of these.
  work(lines) {
    const id = (name) => `s${this.#parts.findIndex((part) => part.name === name)}`;
    const flows = this.#flows.filter((flow) => lines.some((line) => carries(flow, line)));
    // A feature that traces itself emits an output for each part that it calls.
    const called = this.#parts.filter(({ name }) => lines.some(({ what, output }) => what === "output" && output === name));
    const names = new Set([...flows.flatMap(({ from, to }) => [from, to]), ...called.map(({ name }) => name)]);
    return { parts: [...names].map(id), flows: flows.map(({ from, to }) => [id(from), id(to)]) };
  }
}

// Whether a line of the journal says that something went from one part to another.
function carries({ from, what, names }, { what: sort, event, timer, output }) {
  switch (sort) {
    case "moved":
    case "stayed": {
      // An answer that comes later is an effect of the actor.
      const cause = event ?? timer?.replace(/\(.*/, "");
      return ["wish", "signal", "effect"].includes(what) && (what === cause || names.includes(cause));
    }
    case "told":
    case "output":
      switch (output) {
        case "effect":
          return what === "effect";
        case "state":
          return what === "new state" || what === "state" || what === "effect, new state";
        case "action":
          return from === "postProcessor";
        case "bootstrapper":
          return from === "bootstrapper";
        default:
          return what === "news" && names.includes(output);
      }
    default:
      return false;
  }
}
