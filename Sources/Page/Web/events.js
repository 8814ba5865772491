// What is possible now: as words, or with control as buttons, with a form for the data of an event.

import { el, put, setText } from "./dom.js";
import { Field } from "./fields.js";
import { line } from "./requests.js";
import { faultOf } from "./words.js";

export class Events {
  #page;
  #key = "";
  #opened = new Set();
  // The kinds of the machines, by name.
  #kinds = new Map();

  constructor(page, name) {
    this.#page = page;
    this.list = el("div", { class: "possible", role: "group", "aria-label": `Possible now for ${name}` });
    this.form = el("div", { class: "form", hidden: true });
    this.fault = el("p", { class: "answer", role: "status" });
  }

  // The buttons, in their order.
  get buttons() {
    return [...this.list.querySelectorAll("button.event")];
  }

  // Shows what machines would take and what they would ignore: `members` by name, each with `member`, `kind`, `state`,
  // `possible` and `ignored`. In the past nothing can be sent.
  show(members, isPast, isOfSeveral) {
    this.list.classList.remove("doubtful");
    const hasControl = this.#page.source.control && !isPast;
    for (const [name, { kind }] of members) this.#kinds.set(name, kind);
    const told = [...members].map(([name, member]) => [name, member.possible, member.ignored, member.isAsked]);
    const key = JSON.stringify([hasControl, isPast, told]);
    if (this.#key === key) return;
    this.#key = key;
    // What has the focus keeps it.
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset : null;
    const groups = [...members].map(([name, member]) => this.#group(name, member, hasControl, isOfSeveral));
    put(this.list, [el("h3", { class: "caption" }, isPast ? "Possible then" : "Possible now"), ...groups]);
    if (!focused?.event) return;
    const same = this.buttons.find(({ dataset }) => dataset.event === focused.event && dataset.machine === focused.machine);
    (same ?? this.buttons[0])?.focus({ preventScroll: true });
  }

  // Something has happened; what is possible now is being asked.
  doubt() {
    this.list.classList.add("doubtful");
  }

  #group(name, member, hasControl, isOneOfSeveral) {
    const item = (event, isIgnored) => el("li", null, this.#item(name, member, event, isIgnored, hasControl, isOneOfSeveral));
    const isEmpty = !member.possible.length && member.isAsked;
    const ignored = el(
      "details",
      {
        open: this.#opened.has(name),
        ontoggle: ({ target }) => this.#opened[target.open ? "add" : "delete"](name),
      },
      el("summary", null, `${member.ignored.length} ignored now`),
      el("ul", null, member.ignored.map((event) => item(event, true))),
    );
    return el(
      "div",
      null,
      isOneOfSeveral ? el("h3", null, member.member) : null,
      el(
        "ul",
        null,
        member.possible.map((event) => item(event, false)),
        isEmpty ? el("li", null, el("span", { class: "none" }, "no event")) : null,
      ),
      member.ignored.length ? ignored : null,
    );
  }

  #item(name, { member }, event, isIgnored, hasControl, isOneOfSeveral) {
    const look = isIgnored ? "event ignored" : "event";
    const label = (isIgnored ? `${event}, would be ignored` : event) + (isOneOfSeveral ? ` of ${member}` : "");
    if (!hasControl) return el("span", { class: look, title: isIgnored ? "would be ignored" : null }, event);
    const pressed = () => this.send(name, event);
    return el(
      "button",
      { class: look, "data-event": event, "data-machine": name, "aria-label": label, onclick: pressed },
      event,
    );
  }

  // Sends an event, after its data were asked for.
  async send(name, event) {
    const kind = this.#kinds.get(name);
    const described = kind ? await this.#page.kinds.describe(kind) : null;
    const fields = described?.events.find((item) => item.name === event)?.fields ?? [];
    if (fields.length) this.#ask(name, event, fields);
    else await this.#send(name, event, []);
  }

  #ask(name, event, descriptions) {
    const send = el("button", { class: "primary", type: "submit" }, `Send ${event}`);
    const check = () => (send.disabled = !fields.every((field) => field.check(false)));
    const fields = descriptions.map((field) => new Field({ ...field, onchange: check }));
    const close = () => {
      this.form.hidden = true;
      put(this.form);
      this.buttons.find((button) => button.dataset.event === event)?.focus();
    };
    const onsubmit = (submit) => {
      submit.preventDefault();
      if (!fields.every((field) => field.check(true))) return;
      close();
      this.#send(name, event, fields);
    };
    const onkeydown = (key) => {
      if (key.key !== "Escape") return;
      key.stopPropagation();
      close();
    };
    const cancel = el("button", { type: "button", class: "quiet", onclick: close }, "Cancel");
    const title = el("h3", null, `${event} for ${name}`);
    put(this.form, el("form", { onsubmit, onkeydown }, title, fields.map((field) => field.element), send, cancel));
    this.form.hidden = false;
    check();
    fields[0].input.focus();
  }

  async #send(name, event, fields) {
    const given = fields.filter((field) => !field.isLeftOut && !field.rule.isRaw);
    // Another event that a document's transitions match has a name of its own.
    const other = event === "*" ? given.shift()?.value : null;
    const raw = fields.filter((field) => field.rule.isRaw).map((field) => ` ${field.value.trim()}`);
    const data = Object.fromEntries(given.map((field) => [field.name, field.value]));
    await this.ask(line(["send", name, other ?? event], data) + raw.join(""));
  }

  // Sends a request, and says what went wrong.
  async ask(request) {
    const answer = await this.#page.source.request(request);
    setText(this.fault, answer.ok ? "" : faultOf(answer));
  }
}
