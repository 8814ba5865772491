// The live source: a session of the daemon, read from an event stream and written by small requests.
//
// A source has `request(line, body)`, which answers with { ok, reply, data }; and the events `session`, `notice`, `flow` and
// `status`. recording.js has the same for a run without a daemon. The stream brings replies and notices in the daemon's own
// order, so whatever a reply says holds for all notices before it.

import { byteCount } from "./requests.js";

// Milliseconds before the stream is opened again: the first time, and at most.
const SOONEST = 200;
const LATEST = 4000;
// A stream that says nothing for this long has lost its daemon: it has a comment every 15 seconds, but a browser hides those,
// so a small request asks.
const SILENCE = 20000;

// A stream that has neither begun nor failed for this long has no room: browsers keep it back without a word.
const NO_ROOM = 3000;

export class Connection extends EventTarget {
  #stream = null;
  #session = null;
  #pending = new Map();
  #queue = [];
  #isPosting = false;
  #number = 0;
  #wait = SOONEST;
  #timer = 0;
  #room = 0;
  #heard = 0;
  #token;
  // Whether the daemon does not know this browser.
  #isOut = false;
  isLive = true;
  control = false;
  daemon = null;

  // The token is that of the link, if the page was opened by one.
  constructor(token) {
    super();
    this.#token = token;
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
    // A browser keeps pages that were left, with their streams, of which it allows six to a host.
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => {
      if (event.persisted && this.#isLeft) this.#connect();
    });
    setInterval(() => this.#listen(), SILENCE / 2);
    // The link may be opened in another tab, which has the same cookie.
    setInterval(() => this.#unlock(), 2 * LATEST);
  }

  #isLeft = false;

  #leave() {
    this.#isLeft = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#room);
    this.#stream?.close();
    if (this.#session) this.#lose();
  }

  async #unlock() {
    if (this.#isOut && !document.hidden && (await this.#isLocked()) === false && this.#isOut) this.#connect();
  }

  async open() {
    if (this.#token) {
      const answer = await fetch("/login", { method: "POST", body: this.#token, headers: { "Content-Type": "text/plain" } })
        .catch(() => null);
      if (!answer) return this.#again();
      this.#token = null;
      if (!answer.ok) return this.#lock();
    }
    this.#connect();
  }

  #say(status) {
    this.dispatchEvent(new CustomEvent("status", { detail: status }));
  }

  #lock() {
    this.#isOut = true;
    this.#say("locked");
  }

  #connect() {
    this.#isOut = this.#isLeft = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#room);
    this.#stream?.close();
    const stream = new EventSource("/stream");
    this.#stream = stream;
    this.#room = setTimeout(() => {
      if (stream === this.#stream && stream.readyState === EventSource.CONNECTING) this.#say("full");
    }, NO_ROOM);
    stream.addEventListener("session", (event) => {
      const said = JSON.parse(event.data);
      const isSame = this.daemon === said.daemon;
      this.#session = said.session;
      clearTimeout(this.#room);
      this.#wait = SOONEST;
      this.#heard = performance.now();
      this.control = said.control;
      this.daemon = said.daemon;
      this.#say("open");
      this.dispatchEvent(new CustomEvent("session", { detail: { ...said, isSame } }));
    });
    stream.addEventListener("message", (event) => {
      this.#heard = performance.now();
      let object;
      try {
        object = JSON.parse(event.data);
      } catch {
        return;
      }
      this.#take(object);
    });
    stream.addEventListener("error", async () => {
      if (stream !== this.#stream) return;
      stream.close();
      this.#lose();
      if (await this.#isLocked()) this.#lock();
      else this.#again();
    });
  }

  // Whether the daemon is there and does not know this browser; null if it is not there.
  async #isLocked() {
    const answer = await fetch("/requests/none", { method: "POST", body: "" }).catch(() => null);
    return answer && answer.status === 401;
  }

  #lose() {
    this.#session = null;
    this.#queue = [];
    for (const { resolve } of this.#pending.values()) resolve({ ok: false, gone: true, reply: { code: "GONE" }, data: [] });
    this.#pending.clear();
    this.#say("lost");
  }

  #again() {
    clearTimeout(this.#timer);
    this.#say("lost");
    this.#timer = setTimeout(() => (this.#token ? this.open() : this.#connect()), this.#wait);
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
    const answer = await fetch(`/requests/${session}`, { method: "POST", body: "@alive sync\n" }).catch(() => null);
    if (session !== this.#session || answer?.ok) return;
    this.#stream.close();
    this.#lose();
    this.#again();
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

  // Sends a request. Requests arrive in the order in which they are made.
  request(line, body = "") {
    if (!this.#session) return Promise.resolve({ ok: false, gone: true, reply: { code: "GONE" }, data: [] });
    const tag = `p${(this.#number += 1)}`;
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
        this.#stream.close();
        this.#lose();
        this.#again();
      }
    }
    this.#isPosting = false;
  }

  #fail(body, text) {
    for (const [, tag] of body.matchAll(/^@(p\d+) /gm)) {
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
