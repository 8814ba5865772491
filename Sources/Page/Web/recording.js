// The source of a replay: a run that was recorded, without a daemon.
//
// The text of `#recording` is an object: `world` as the reply of `use` has it, `answers` with the lines of a reply for each
// request that the page makes (`clock`, `graph key format=svg present=no`, …; `list` with those of all machines), and `journal`,
// the lines of the journal in order. All lines are the daemon's, in JSON.

export class Recording extends EventTarget {
  #recorded;
  isLive = false;
  control = false;
  daemon = "recording";

  constructor(recorded) {
    super();
    this.#recorded = recorded;
  }

  // The recording that the page contains; null if it contains none.
  static find() {
    const element = document.getElementById("recording");
    return element ? new Recording(JSON.parse(element.textContent)) : null;
  }

  async open() {
    await null;
    this.dispatchEvent(new CustomEvent("status", { detail: "recorded" }));
    this.dispatchEvent(new CustomEvent("session", { detail: { session: "recording", control: false, daemon: this.daemon, isSame: false } }));
  }

  async request(line) {
    const { world, answers, journal } = this.#recorded;
    if (line === "worlds") return { ok: true, reply: { lines: 1 }, data: [world] };
    if (line.startsWith("use ") || line === "world") return { ok: true, reply: world, data: [] };
    if (line.startsWith("watch ")) {
      for (const item of journal) this.dispatchEvent(new CustomEvent("notice", { detail: { ...item, class: "notice" } }));
      return { ok: true, reply: { what: "watching", patterns: 1 }, data: [] };
    }
    if (line.startsWith("list ")) return listed(answers.list, line.split(" ")[1]);
    const lines = answers[line];
    if (!lines) return { ok: false, reply: { code: "RECORDED", text: "this was not recorded" }, data: [] };
    // Its now is the moment at which it was made.
    const last = line === "clock" ? { ...lines.at(-1), paused: "yes" } : lines.at(-1);
    return { ok: last.class === "success", reply: last, data: lines.slice(0, -1) };
  }
}

// The machines whose names match a pattern, in which `*` stands for any text and `?` for a sign.
function listed(machines, pattern) {
  const parts = pattern.split(/([*?])/).map((part) => ({ "*": ".*", "?": "." })[part] ?? part.replace(/[^A-Za-z0-9]/g, "\\$&"));
  const matching = new RegExp(`^${parts.join("")}$`, "u");
  const data = machines.filter(({ name }) => matching.test(name));
  return { ok: true, reply: { class: "success", lines: data.length }, data };
}
