// The live source: a session of the daemon, read from an event stream and written by small requests. The tabs of a browser that
// look at one world share a session.
//
// A source has `request(line, body)`, which answers with { ok, reply, data }; and the events `session`, `notice`, `flow` and
// `status`. recording.js has the same for a run without a daemon. The stream brings replies and notices in the daemon's own
// order, so whatever a reply says holds for all notices before it.

import { byteCount } from "./requests.js";
import { Tabs } from "./tabs.js";

// Milliseconds before the stream is opened again: the first time, and at most.
const SOONEST = 200;
const LATEST = 4000;
// A stream that says nothing for this long has lost its daemon: it has a comment every 15 seconds, but a browser hides those,
// so a small request asks.
const SILENCE = 20000;

// A stream that has neither begun nor failed for this long has no room: browsers keep it back without a word.
const NO_ROOM = 3000;
// Milliseconds between two questions of a tab that waits for the one that leads: in the background that one's timers are slow.
const ASK_PAUSE = 1000;

export class Connection extends EventTarget {
  #stream = null;
  #session = null;
  // What the stream began with, as text.
  #opening = null;
  #status = "";
  #tabs = null;
  #world;
  #pending = new Map();
  // What was asked ahead, by its line.
  #ahead = new Map();
  #queue = [];
  #isPosting = false;
  #number = 0;
  // What the tags of this tab begin with.
  #mark = Math.random().toString(36).slice(2, 8);
  #wait = SOONEST;
  #timer = 0;
  #room = 0;
  #heard = 0;
  #token;
  isLive = true;
  control = false;
  daemon = null;

  // The token is that of the link, if the page was opened by one.
  constructor(token, world) {
    super();
    this.#token = token;
    this.#world = world;
    addEventListener("online", () => this.#hurry());
    // A new link, opened where the page stands already, changes the fragment alone.
    addEventListener("hashchange", () => {
      const given = takeToken();
      if (!given) return;
      this.#token = given;
      this.open();
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#hurry();
    });
    // A browser keeps pages that were left, with their streams.
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.enter(this.#world);
    });
    setInterval(() => this.#listen(), SILENCE / 2);
    // The link may be opened in another tab, which has the same cookie.
    setInterval(() => this.#unlock(), 2 * LATEST);
    setInterval(() => {
      if (this.#status !== "open" && !document.hidden) this.#tabs?.ask();
    }, ASK_PAUSE);
  }

  #leave() {
    this.#tabs?.close();
    this.#tabs = null;
    clearTimeout(this.#timer);
    clearTimeout(this.#room);
    this.#stream?.close();
    this.#stream = null;
    this.#drop();
    this.#status = "";
  }

  async #unlock() {
    if (this.#status === "locked" && this.#tabs?.isLeading && !document.hidden && (await this.#isLocked()) === false) this.#connect();
  }

  async open() {
    if (this.#token) {
      const answer = await fetch("/login", { method: "POST", body: this.#token, headers: { "Content-Type": "text/plain" } })
        .catch(() => null);
      if (!answer) return this.#again();
      this.#token = null;
      if (!answer.ok) return this.#say("locked");
    }
    if (!this.#tabs) this.enter(this.#world);
    else if (this.#tabs.isLeading) this.#connect();
    else this.#tabs.ask();
  }

  // Looks at a world: in the session of the tabs that do, or in a new one. The session is another one, then.
  enter(world) {
    this.#leave();
    this.#world = world;
    this.#tabs = new Tabs(world, {
      onlead: () => this.#connect(),
      onfull: () => this.#say("full"),
      onsaid: (message) => this.#follow(message),
      onasked: () => this.#answer(),
    });
  }

  // What the tab that leads says: its status, how its stream began, or a line of it.
  #follow({ status, opening, line }) {
    if (status === "lost" && this.#session) return this.#lose();
    if (status && status !== "open") return this.#say(status);
    if (opening && opening !== this.#opening) this.#begin(opening);
    // What came before the session was known is in the journal.
    if (line && this.#session) this.#hear(line);
  }

  // Another tab wants to know how things are.
  #answer() {
    if (this.#session) return this.#tabs.say({ opening: this.#opening });
    if (!this.#stream || this.#stream.readyState === EventSource.CLOSED) this.#connect();
    else this.#tabs.say({ status: this.#status });
  }

  #say(status) {
    this.#status = status;
    this.#tabs?.say({ status });
    this.dispatchEvent(new CustomEvent("status", { detail: status }));
  }

  #connect() {
    clearTimeout(this.#timer);
    clearTimeout(this.#room);
    this.#stream?.close();
    const stream = new EventSource("/stream");
    this.#stream = stream;
    this.#room = setTimeout(() => {
      if (stream === this.#stream && stream.readyState === EventSource.CONNECTING) this.#say("full");
    }, NO_ROOM);
    stream.addEventListener("session", (event) => {
      clearTimeout(this.#room);
      this.#wait = SOONEST;
      this.#begin(event.data);
      this.#tabs?.say({ opening: event.data });
    });
    stream.addEventListener("message", (event) => {
      this.#hear(event.data);
      this.#tabs?.say({ line: event.data });
    });
    stream.addEventListener("error", async () => {
      if (stream !== this.#stream) return;
      stream.close();
      this.#lose();
      if (await this.#isLocked()) this.#say("locked");
      else if (stream === this.#stream) this.#again();
    });
  }

  #begin(opening) {
    if (this.#session) this.#lose();
    const said = JSON.parse(opening);
    const isSame = this.daemon === said.daemon;
    this.#opening = opening;
    this.#session = said.session;
    this.#heard = performance.now();
    this.control = said.control;
    this.daemon = said.daemon;
    this.#say("open");
    this.dispatchEvent(new CustomEvent("session", { detail: { ...said, isSame } }));
  }

  #hear(line) {
    this.#heard = performance.now();
    let object;
    try {
      object = JSON.parse(line);
    } catch {
      return;
    }
    this.#take(object);
  }

  // Whether the daemon is there and does not know this browser; null if it is not there.
  async #isLocked() {
    const answer = await fetch("/requests/none", { method: "POST", body: "" }).catch(() => null);
    return answer && answer.status === 401;
  }

  #lose() {
    this.#drop();
    this.#say("lost");
  }

  #drop() {
    this.#session = this.#opening = null;
    this.#queue = [];
    for (const { resolve } of this.#pending.values()) resolve({ ok: false, gone: true, reply: { code: "GONE" }, data: [] });
    this.#pending.clear();
    this.#ahead.clear();
  }

  #again() {
    clearTimeout(this.#timer);
    this.#say("lost");
    this.#timer = setTimeout(() => (this.#token || !this.#tabs ? this.open() : this.#tabs.isLeading && this.#connect()), this.#wait);
    this.#wait = Math.min(LATEST, this.#wait * 2);
  }

  #hurry() {
    if (this.#session || !this.#stream || this.#stream.readyState !== EventSource.CLOSED) return this.#listen();
    this.#wait = SOONEST;
    this.#again();
  }

  // Asks for a sign of life where nothing came for long.
  async #listen() {
    const session = this.#session;
    if (!session || performance.now() - this.#heard < SILENCE) return;
    const answer = await fetch(`/requests/${session}`, { method: "POST", body: `@${this.#mark}.alive sync\n` }).catch(() => null);
    if (session === this.#session && !answer?.ok) this.#fall();
  }

  // The session is over; the tab that leads opens another.
  #fall() {
    this.#stream?.close();
    this.#lose();
    if (this.#tabs?.isLeading) this.#again();
    else this.#tabs?.ask();
  }

  #take(object) {
    switch (object.class) {
      case "notice":
        this.dispatchEvent(new CustomEvent("notice", { detail: object }));
        return;
      case "flow":
        this.dispatchEvent(new CustomEvent("flow", { detail: object }));
        return;
      default: {
        const pending = this.#pending.get(object.tag);
        if (!pending) return;
        if (object.class === "data") {
          pending.data.push(object);
          return;
        }
        this.#pending.delete(object.tag);
        pending.resolve({ ok: object.class === "success", reply: object, data: pending.data });
      }
    }
  }

  // Sends requests that will be made soon: their answers are there, or on their way, by then.
  ahead(lines) {
    for (const line of lines) this.#ahead.set(line, this.request(line));
  }

  // Sends a request. Requests arrive in the order in which they are made.
  request(line, body = "") {
    const early = this.#ahead.get(line);
    if (this.#ahead.delete(line)) return early;
    if (!this.#session) return Promise.resolve({ ok: false, gone: true, reply: { code: "GONE" }, data: [] });
    const tag = `${this.#mark}.${(this.#number += 1)}`;
    const whole = body === "" ? line : `${line} bytes=${byteCount(body)}`;
    return new Promise((resolve) => {
      this.#pending.set(tag, { resolve, data: [] });
      this.#queue.push(`@${tag} ${whole}\n${body}`);
      if (!this.#isPosting) queueMicrotask(() => this.#post());
    });
  }

  async #post() {
    if (this.#isPosting) return;
    this.#isPosting = true;
    while (this.#queue.length && this.#session) {
      const session = this.#session;
      const body = this.#queue.join("");
      this.#queue = [];
      let answer = null;
      while (session === this.#session) {
        answer = await fetch(`/requests/${session}`, { method: "POST", body, headers: { "Content-Type": "text/plain" } })
          .catch(() => null);
        if (answer?.status !== 429 && answer?.status !== 503) break;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      if (session !== this.#session) continue;
      if (!answer?.ok) {
        if (answer?.status === 413) {
          this.#fail(body, "it is too long");
          continue;
        }
        this.#fall();
      }
    }
    this.#isPosting = false;
  }

  #fail(body, text) {
    for (const [, tag] of body.matchAll(/^@(\S+) /gm)) {
      const pending = this.#pending.get(tag);
      this.#pending.delete(tag);
      pending?.resolve({ ok: false, reply: { code: "TOO-LONG", text }, data: [] });
    }
  }
}

// The key of a link, which is taken out of the address at once; null if there is none.
export function takeToken() {
  const token = location.hash.slice(1);
  if (!token || location.protocol === "file:") return null;
  history.replaceState(null, "", location.pathname + location.search);
  return token;
}
