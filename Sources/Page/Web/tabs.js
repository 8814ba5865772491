// The tabs of a browser that look at one world. One of them leads: it has the stream, of which a browser allows few, and passes on
// what it says. When it is closed, another one leads.
//
// Where a browser has no locks (an address that is not this machine's), each tab leads itself.

// Streams of a browser to one daemon: it allows six connections, and requests need one.
const MOST_STREAMS = 5;

export class Tabs {
  #channel = null;
  #left = new AbortController();
  // What ends the locks that this tab has.
  #releases = [];
  // Whether there are other tabs: one has asked, or led before.
  #isHeard = false;
  #isFull = false;
  isLeading = false;

  // `onlead` is called when this tab leads, `onfull` if it has to wait for a stream of another world; `onsaid` gets what the
  // leader says, `onasked` that somebody asks how things are.
  constructor(name, { onlead, onfull, onsaid, onasked }) {
    const lead = () => {
      this.#isFull = false;
      this.isLeading = true;
      onlead();
    };
    if (!navigator.locks) return void queueMicrotask(lead);
    this.#channel = new BroadcastChannel(`fsmd ${name}`);
    this.#channel.addEventListener("message", ({ data }) => {
      this.#isHeard = true;
      if (data !== null) return this.isLeading || this.#isFull ? undefined : onsaid(data);
      if (this.#isFull) this.#channel.postMessage({ status: "full" });
      if (this.isLeading) onasked();
    });
    this.#hold(`fsmd ${name}`, {}).then(async (isHeld) => {
      if (!isHeld) return;
      for (let number = 0; number < MOST_STREAMS; number += 1) {
        if (await this.#hold(`fsmd stream ${number}`, { ifAvailable: true })) return lead();
      }
      if (this.#left.signal.aborted) return;
      this.#isFull = true;
      onfull();
      await this.#holdAny(Array.from({ length: MOST_STREAMS }, (_, number) => `fsmd stream ${number}`));
      if (!this.#left.signal.aborted) lead();
    });
    this.ask();
  }

  // Takes a lock until this tab is closed; false if it does not get it.
  #hold(name, options, isWanted = () => true) {
    const ways = options.ifAvailable ? options : { signal: this.#left.signal };
    return new Promise((resolve) => {
      navigator.locks.request(name, ways, (lock) => {
        const isHeld = lock !== null && !this.#left.signal.aborted && isWanted();
        resolve(isHeld);
        return isHeld ? new Promise((release) => this.#releases.push(release)) : undefined;
      }).catch(() => resolve(false));
    });
  }

  // Takes the first lock of several that is free.
  #holdAny(names) {
    let isTaken = false;
    return Promise.race(names.map((name) => this.#hold(name, {}, () => !isTaken && (isTaken = true)).then((isHeld) => (isHeld ? true : new Promise(() => {})))));
  }

  // Says something to the others.
  say(message) {
    if (this.isLeading && this.#isHeard) this.#channel?.postMessage(message);
  }

  // Asks the leader to say how things are.
  ask() {
    if (!this.isLeading) this.#channel?.postMessage(null);
  }

  close() {
    this.#left.abort();
    for (const release of this.#releases) release();
    this.#channel?.close();
    this.isLeading = false;
  }
}
