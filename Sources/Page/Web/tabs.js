// The tabs of a browser that look at one world. One of them leads: it has the stream, of which browsers allow six, and passes on
// what it says. When it is closed, another one leads.
//
// Where a browser has no locks (an address that is not this machine's), each tab leads itself.

export class Tabs {
  #channel = null;
  #left = new AbortController();
  #release = null;
  // Whether there are other tabs: one has asked, or led before.
  #isHeard = false;
  isLeading = false;

  // `onlead` is called when this tab leads; `onsaid` gets what the leader says, `onasked` that somebody asks how things are.
  constructor(name, { onlead, onsaid, onasked }) {
    const lead = () => {
      this.isLeading = true;
      onlead();
    };
    if (!navigator.locks) return void queueMicrotask(lead);
    this.#channel = new BroadcastChannel(`fsmd ${name}`);
    this.#channel.addEventListener("message", ({ data }) => {
      this.#isHeard = true;
      if (data === null ? this.isLeading : !this.isLeading) (data === null ? onasked : onsaid)(data);
    });
    navigator.locks.request(`fsmd ${name}`, { signal: this.#left.signal }, () => new Promise((resolve) => {
      this.#release = resolve;
      lead();
    })).catch(() => {});
    this.ask();
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
    this.#release?.();
    this.#channel?.close();
    this.isLeading = false;
  }
}
