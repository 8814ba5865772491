// The source of a replay: a run that was recorded, without a daemon.
//
// The text of `#recording` is an object: `world` as the reply of `use` has it, `answers` with the lines of a reply for each
// request that the page makes (`list * limit=100`, `graph key format=svg present=no`, …), and `journal`, the lines of the
// journal in order. All lines are the daemon's, in JSON.

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

  open() {
    this.dispatchEvent(new CustomEvent("status", { detail: "recorded" }));
    this.dispatchEvent(new CustomEvent("session", { detail: { session: "recording", control: false, daemon: this.daemon, isSame: false } }));
  }

  async request(line) {
    const { world, answers, journal } = this.#recorded;
    if (line === "worlds") return { ok: true, reply: { words: ["1"] }, data: [{ ...world, words: [world.world] }] };
    if (line.startsWith("use ") || line === "world") return { ok: true, reply: { words: [], ...world }, data: [] };
    if (line.startsWith("watch ")) {
      for (const item of journal) this.dispatchEvent(new CustomEvent("notice", { detail: { ...item, class: "notice" } }));
      return { ok: true, reply: { words: ["watching", "1"] }, data: [] };
    }
    const lines = answers[line];
    if (!lines) return { ok: false, reply: { code: "RECORDED", words: [], text: "this was not recorded" }, data: [] };
    const last = lines.at(-1);
    return { ok: last.class === "success", reply: last, data: lines.slice(0, -1) };
  }
}
