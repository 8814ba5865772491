// What `describe` tells of kinds: their events with data, their parameters. Asked for once for each.

const GROUPS = ["documents", "devices", "screens", "services", "text", "frameworks"];

export class Kinds {
  #source;
  #known = new Map();

  constructor(source) {
    this.#source = source;
  }

  forget() {
    this.#known.clear();
  }

  // The kinds that can be made, by the names of their groups: lists of `{ name, text }`.
  async all() {
    const [all, ...answers] = await Promise.all([this.#source.request("kinds"),
      ...GROUPS.map((group) => this.#source.request(`kinds group=${group}`))]);
    const groups = new Map(GROUPS.map((group, place) => [group, new Set(answers[place].data.map(({ name }) => name))]));
    return Map.groupBy(all.data.map(({ name, text = "" }) => ({ name, text })),
      ({ name }) => [...groups].find(([, names]) => names.has(name))?.[0] ?? "others");
  }

  // `{ text, form, events, parameters }`; an event has `name`, `text` and `fields`, each `{ name, allowed }`.
  describe(name) {
    if (!this.#known.has(name)) this.#known.set(name, this.#ask(name));
    return this.#known.get(name);
  }

  async #ask(name) {
    const { ok, data } = await this.#source.request(`describe ${name}`);
    if (!ok) {
      this.#known.delete(name);
      return { text: "", events: [], parameters: [], readings: [] };
    }
    const of = (what) => data.filter((line) => line.what === what);
    return {
      text: of("kind")[0]?.text ?? "",
      form: of("kind")[0]?.form ?? "",
      events: of("event").map((line) => ({
        name: line.name,
        text: line.text ?? "",
        fields: Object.entries(line.arguments ?? {}).map(([name, allowed]) => ({ name, allowed })),
      })),
      parameters: of("parameter").map((line) => ({
        name: line.name,
        text: line.text ?? "",
        initial: line.default,
        allowed: (line.allowed ?? []).join(","),
      })),
      states: new Map(of("state").map((line) => [line.name, line.text ?? ""])),
      readings: of("reading").map((line) => line.name),
    };
  }
}
