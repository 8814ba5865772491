"""Random walks on the live page: what the screen says is compared with what the daemon answers.

Most of a walk is waiting for the page, so several walk side by side: what waits is a generator of the numbers of its questions.
A page goes on to the next walk by choosing its world.
"""

import json
import random
import re
import time

from browser import Failure

# Runs in each page before its own scripts. `screen()` is what the screen says of the panels' machines; `nextScreen(isFirst)` waits
# until something has changed and nothing does any more, and adds what was bold and filled after each frame since then.
WATCHER = """
const texts = (root, selector) => [...root.querySelectorAll(selector)].map((item) => item.textContent);
const parts = (selector) => [...document.querySelectorAll(`.panel ${selector}`)].map((item) => item.dataset.part);
const arrows = () => ({ possible: parts(".edge.possible"), perhaps: parts(".edge.perhaps"), present: parts(":is(.node, .cluster).present") });

function leastText(picture) {
  const scale = picture?.getScreenCTM()?.a;
  const sizes = scale ? [...picture.querySelectorAll("text")].filter((item) => item.getClientRects().length)
    .map((item) => Number(item.getAttribute("font-size") ?? 99) * scale) : [];
  return Math.min(99, ...sizes);
}

function screen() {
  const panel = document.querySelector(".panel");
  return {
    states: texts(panel, ".present-state:not(.absent) strong"),
    timers: [...panel.querySelectorAll(".timers li")].map((item) => `${item.querySelector(".name").textContent} ${item.title}`),
    readings: Object.fromEntries([...panel.querySelectorAll(".readings > div")].map((item) => [...item.children].map((one) => one.textContent))),
    ...arrows(), lit: parts(".edge.lit"),
    events: texts(panel, ".possible > div > ul .event"),
    moment: document.querySelector(".moment-text").textContent,
    isPast: document.documentElement.classList.contains("is-past"),
    text: leastText(panel.querySelector(".picture")),
  };
}

let [seen, changed, isAsked] = [[], () => {}, false];
new MutationObserver(() => {
  changed();
  if (isAsked || !document.querySelector(".panel")) return;
  isAsked = true;
  requestAnimationFrame(() => setTimeout(() => {
    isAsked = false;
    const now = arrows();
    if (JSON.stringify(now) !== JSON.stringify(seen.at(-1))) seen.push(now);
  }));
}).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

// What nobody can see is not painted; where things are is the same.
addEventListener("DOMContentLoaded", () => (document.documentElement.style.visibility = "hidden"));

async function nextScreen(isFirst) {
  if (!isFirst) {
    await new Promise((resolve) => {
      const limit = setTimeout(resolve, 1000);
      let quiet = 0;
      changed = () => {
        clearTimeout(quiet);
        quiet = setTimeout(resolve, 25);
      };
    });
    changed = () => {};
  }
  const found = { ...screen(), seen };
  seen = [];
  return found;
}
Object.assign(globalThis, { nextScreen });
"""


def exact(seconds):
    """A time as the page writes it in full."""
    text = f"{float(seconds):.9f}".rstrip("0")
    return text if len(text.split(".")[1]) >= 3 else f"{float(seconds):.3f}"


def events(move):
    """The events and the timer that bring a transition; one of a document may be for several."""
    return set(re.split(r", (?![^(]*\))", move["event"]) if "event" in move else []) | {move.get("timer")}


def seconds(text):
    """A duration such as `5m` or `1m30s`."""
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}
    return sum(float(amount) * units[unit] for amount, unit in re.findall(r"([\d.]+)(ns|us|ms|s|m|h|d)", text))


def close(shown, value):
    """Whether a reading on the screen is the daemon's."""
    try:
        return abs(float(shown.split()[0]) - float(value)) <= 0.0051
    except ValueError:
        return shown.split(" ")[0] == value.split(" ")[0]


class Walk:
    """Walks, one after the other, each with a machine in a world of its own."""

    def __init__(self, page, client, daemon, seed, slack):
        self.page, self.client, self.daemon, self.seed, self.slack = page, client, daemon, seed, slack
        self.looks = 0
        self.least = 99.0
        self.world = None
        # The walks that this page has shown.
        self.numbers = []
        # What the browser would tell about each request and each change costs as much as the page.
        for domain in ("Network", "Accessibility", "DOM"):
            page.ask(domain + ".disable")
        page.ask("Page.addScriptToEvaluateOnNewDocument", source=f"{{{WATCHER}}}")

    def ask(self, request):
        answer = self.client.say(request)[0]
        if answer[0] != "+":
            raise Failure(f"{request}: {answer}")
        return answer

    def take(self, number, request, definition=b"", steps=20):
        """The walk of a number, of a machine `m` that a request makes, of a kind that a `define` with its document may define."""
        self.request = request
        draw = random.Random(f"{self.seed} {number}")
        self.ask("use main")
        self.ask("worlds")
        for world in [line.split()[1] for line in self.client.data]:
            if self.world and re.fullmatch(rf"(then-)?{self.world}(-.*)?", world):
                self.ask(f"world drop {world}")
        world = self.world = f"walk{number}"
        for line in (f"world new {world} seed={draw.randrange(1000)}", f"use {world}"):
            self.ask(line)
        if definition:
            self.client.socket.sendall(definition)
            answer = self.client.end()
            if answer[0] != "+":
                raise Failure(f"define: {answer}")
        self.ask(request)
        self.names = self.all = self.members()
        if self.numbers:
            self.page.evaluate(f"""(([select]) => {{
              globalThis.panelBefore = document.querySelector(".panel");
              select.append(new Option("{world}"));
              select.value = "{world}";
              select.dispatchEvent(new Event("change"));
            }})(document.querySelectorAll(".world select"))""")
        else:
            base, token = self.daemon.link.split("#")
            self.page.open(f"{base}?world={world}&show=m#{token}")
        self.numbers.append(number)
        yield from self.until_shown()
        self.facts = None
        yield from self.compare("after it was made")
        for step in range(steps):
            what = self.step(draw)
            if what:
                yield from self.compare(what)
        yield from self.look_back(draw)
        yield from self.fork(draw)

    def until_shown(self):
        yield from self.page.awaiting(
            "(panel => panel !== globalThis.panelBefore && panel.querySelector('.present-state strong').textContent.length > 1)(document.querySelector('.panel'))",
            "the machine is shown", wait=30 * self.slack)

    def members(self):
        self.ask("list")
        return [line.split()[1] for line in self.client.data]

    def step(self, draw):
        """Does something to the world and gives what; None if nothing came about."""
        kind = draw.choice(["send"] * 6 + ["advance", "step", "undo", "redo", "goto"])
        request = {"advance": f"advance {draw.choice(['10ms', '400ms', '3s', '1h'])}", "step": "step", "undo": f"undo {draw.randint(1, 2)}",
                   "redo": "redo"}.get(kind)
        if not self.names:
            request = "redo"
        elif kind == "send":
            name = draw.choice(self.names)
            self.ask(f"can {name}")
            events = [line.split()[1:] for line in self.client.data]
            if not events:
                return None
            event, *more = draw.choice(events)
            values = [f"{word}={draw.choice(['1', '0', '2', 'a', 'on', 'hello', '112'])}" for word in more if "=" not in word]
            request = " ".join(["send", name, event, *values])
        elif kind == "goto":
            now = float(re.search(r" t=([0-9.]+)", self.ask("world"))[1])
            request = f"goto {now * draw.random():.9f}"
        answer = self.client.say(request)[0]
        self.names = self.members()
        return f"{request} ({answer})"

    # What the daemon says

    def says(self):
        """State, timers and readings of each machine, and what each event would do."""
        said = {}
        for name in self.names:
            self.ask(f"show {name}")
            lines = [line[2:].split(" ") for line in self.client.data]
            member = name[2:]
            state = " ".join(next(words[1:] for words in lines if words[0] == "state"))
            timers = {(f"{member}.{words[1]}" if member else words[1]) + f" due at {exact(words[2].split('=')[1])} s" for words in lines if words[0] == "timer"}
            readings = {(f"{member}.{words[1]}" if member else words[1]): words[2].strip('"').replace('\\"', '"') for words in lines if words[0] == "reading"}
            self.ask(f"can {name}")
            events = [(line.split()[1], "effect=" in line, len([word for word in line.split()[2:] if "=" not in word])) for line in self.client.data]
            outcomes = {}
            for event, is_ignored, _ in events:
                if not is_ignored:
                    answer = self.ask(f"can {name} {event}")
                    found = {key: values.split(",") for key, values in re.findall(r" (effect|into)=(\S+)", answer)}
                    outcomes[event] = (found.get("effect", []), found.get("into", []))
            said[name] = {"state": state.strip('"'), "timers": timers, "readings": readings, "outcomes": outcomes,
                          "events": [event for event, is_ignored, count in events if not is_ignored or count]}
        return said

    def last_moves(self):
        """The last move in effect of each machine, as its line in the journal."""
        moves = {}
        for name in self.names:
            self.ask(f"journal {name} limit=1000 what=all")
            for line in self.client.data:
                words = line.split(" ")
                if " undone=" in line:
                    continue
                if words[4] in ("moved", "stayed"):
                    moves[name] = words
                elif words[4] in ("created", "dropped"):
                    moves.pop(name, None)
        return moves

    # The comparison

    def compare(self, what):
        """Waits until the screen says what the daemon says; Failure with the first difference."""
        said, moves = self.says(), self.last_moves()
        yield from self.until_same(what, lambda screen: self.difference(screen, said, moves))

    def until_same(self, what, difference):
        deadline = time.monotonic() + 12 * self.slack
        isFirst = True
        while True:
            number = self.page.begin(f"nextScreen({json.dumps(isFirst)})")
            yield number
            screen = self.page.value(number)
            for moment in screen.pop("seen"):
                self.expect_fresh(what, moment)
            found = difference(screen)
            if not found:
                break
            if time.monotonic() > deadline:
                self.ask("journal limit=12 what=all")
                raise Failure(f"{what}: {found}; " + " | ".join(line[2:] for line in self.client.data))
            isFirst = False
        self.looks += 1
        self.least = min(self.least, screen["text"])

    def expect_fresh(self, what, moment):
        """Failure if arrows are bold that leave no state of those that are filled, at any moment."""
        for isAnew in (False, True):
            if isAnew and self.facts and self.may_change:
                self.facts = self.graph()
            for graph in self.facts or []:
                if len(self.all) > 1 or any(state.get("region") is not None or state.get("parent") is not None for state in graph["states"]):
                    return
                here = {state["name"] for state in graph["states"] if state.get("id") in moment["present"]}
                stale = [arrow for arrow in moment["possible"] + moment["perhaps"]
                         if not any(arrow in move.get("arrows", []) and move["from"] in here for move in graph["transitions"])]
                if not stale:
                    return
        if self.facts:
            raise Failure(f"{what}: {stale} are bold, and the machine is in {here}")

    @property
    def may_change(self):
        """Whether what a machine does for the first time may change its picture."""
        return not all(graph["complete"] for graph in self.facts)

    def graph(self):
        """What the picture on the screen shows, by the ids of its parts; asked in the forms that the page may have chosen."""
        forms = ["", " show=plain"]
        graphs = []
        # A machine that reads texts has a picture with places of its own, which the daemon marks.
        for form in forms:
            answer = self.client.say(f"graph m format=json present=no{form}")[0]
            if answer[0] == "+":
                graphs.append(json.loads("\n".join(line[2:] for line in self.client.data)))
        return [graph for graph in graphs if any(state.get("id") for state in graph["states"])]

    def difference(self, screen, said, moves=None):
        states = [item["state"] for item in said.values()]
        if sorted(screen["states"]) != sorted(states):
            return f"the states are {states}, on the screen {screen['states']}"
        timers = set().union(*(item["timers"] for item in said.values()))
        if set(screen["timers"]) != timers:
            return f"the timers are {timers}, on the screen {screen['timers']}"
        readings = {name: value for item in said.values() for name, value in item["readings"].items()}
        if set(readings) != set(screen["readings"]) or not all(close(screen["readings"][name], value) for name, value in readings.items()):
            return f"the readings are {readings}, on the screen {screen['readings']}"
        if screen["isPast"] or moves is None:
            return None
        events = [event for item in said.values() for event in item["events"]]
        if sorted(screen["events"]) != sorted(events):
            return f"possible are {events}, on the screen {screen['events']}"
        for isAnew in (False, True):
            if self.facts is None or isAnew and self.may_change:
                self.facts = self.graph()
            differences = [self.arrows(screen, said, moves, graph) for graph in self.facts]
            if not differences or not all(differences):
                return None
        return differences[0]

    def arrows(self, screen, said, moves, graph):
        """A difference between bold and lit arrows and the daemon's outcomes, by one of the pictures."""
        if len(said) > 1 or any(
                state.get("region") is not None or state.get("parent") is not None for state in graph["states"]) or any(
                move.get("event") == "" for move in graph["transitions"]):
            return self.sound(screen, said, moves, graph)
        if not said:
            return f"{screen['possible'] + screen['perhaps'] + screen['lit']} mean something, and there is no machine" if (
                screen["possible"] or screen["perhaps"] or screen["lit"] or screen["present"]) else None
        name, item = next(iter(said.items()))
        bare = lambda word: re.sub(r"\(.*", "", word)
        known = {state["name"] for state in graph["states"]}
        here = item["state"] if item["state"] in known else bare(item["state"])
        certain, possible = set(), set()
        for event, (effects, into) in item["outcomes"].items():
            fits = [move for move in graph["transitions"] if move["effect"] == "moved" and move["from"] == here
                    and event in events(move) and (move["to"] in into or bare(move["to"]) in map(bare, into))]
            ids = {arrow for move in fits for arrow in move.get("arrows", [])}
            possible |= ids
            if effects == ["moved"] and len(into) == 1 and len({tuple(move.get("arrows", [])) for move in fits}) <= 1:
                certain |= ids
        if set(screen["possible"]) != certain:
            return f"certain are {certain}, bold {screen['possible']}, by {item['outcomes']} in {item['state']}"
        if set(screen["perhaps"]) != possible - certain:
            return f"perhaps are {possible - certain}, dashed {screen['perhaps']}"
        return self.sound(screen, said, moves, graph)

    def sound(self, screen, said, moves, graph):
        """Whether each bold arrow stands for something possible, and each lit one for the last move of a machine."""
        def means(ids, fits):
            for arrow in ids:
                if not any(arrow in move.get("arrows", []) and fits(move) for move in graph["transitions"]):
                    return arrow
        open_events = {event for item in said.values() for event in item["outcomes"]}
        wrong = means(screen["possible"] + screen["perhaps"], lambda move: events(move) & (open_events | {""}))
        if wrong:
            return f"{wrong} is bold, possible are {open_events}"
        keys = {key.split("=")[1] for words in moves.values() if words[4] == "moved" for key in words if key.startswith(("event=", "timer=", "wire="))}
        if not keys and screen["lit"]:
            return f"{screen['lit']} is lit though no move is in effect"
        triggers = {re.sub(r"\(.*", "", key) for key in keys}
        if any("wire=" in word for words in moves.values() for word in words):
            return None
        # Of a document a timer is `STATE.after.2s`, its arrow `after 2s`, and what leads on from a choice has no event.
        delays = {seconds(trigger.split(".after.")[1]) for trigger in triggers if ".after." in trigger}
        wrong = means(screen["lit"], lambda move: events(move) & (triggers | {""})
                      or (move.get("event") or "").startswith("after ") and seconds(move["event"]) in delays)
        if wrong:
            return f"{wrong} is lit, the last moves were by {triggers}"
        moved = [words for words in moves.values() if words[4] == "moved"]
        if graph["complete"] and len(said) == 1 and moved and not screen["lit"] and any(move.get("arrows") for move in graph["transitions"]):
            word = re.sub(r"\(.*", "", moved[0][6])
            if any(state["name"] == word and state.get("id") for state in graph["states"]):
                return f"{' '.join(moved[0])} is in effect, and nothing is lit"

    # The past and forks

    def past(self, seq):
        """What the daemon says of the moment after an input: a fork of it is asked."""
        world = self.world
        self.ask(f"world fork then-{world} seq={seq}")
        self.ask(f"use then-{world}")
        names, self.names = self.names, self.members()
        said = self.says()
        # A fork has what wires deliver and what is due at once, too; the page shows one input after the other.
        if int(re.search(r" seq=(\d+)", self.ask("world"))[1]) != seq:
            said = None
        self.names = names
        self.ask(f"use {world}")
        self.ask(f"world drop then-{world}")
        return said

    def look_back(self, draw):
        self.page.evaluate("document.activeElement?.blur()")
        for _ in range(draw.randint(1, 4)):
            self.page.key("[")
        seq = self.page.evaluate("Number(/input (\\d+)/.exec(document.querySelector('.slider input').getAttribute('aria-valuetext'))?.[1])")
        if not seq:
            return
        self.ask(f"journal since={seq} limit=1")
        said = None if any(" undone=" in line for line in self.client.data) else self.past(seq)
        if said is not None:
            def difference(screen):
                # Of the past there are readings that are numbers, after the last input of an instant.
                own = {name: {**item, "readings": {key: value for key, value in item["readings"].items() if key in screen["readings"]}}
                       for name, item in said.items()}
                return None if not screen["isPast"] else self.difference(screen, own)
            yield from self.until_same(f"input {seq} in the past", difference)
        self.page.key("Escape")
        yield from self.compare("back to now")

    def fork(self, draw):
        self.page.evaluate("document.activeElement?.blur()")
        for _ in range(draw.randint(1, 3)):
            self.page.key("[")
        seq = self.page.evaluate("Number(/input (\\d+)/.exec(document.querySelector('.slider input').getAttribute('aria-valuetext'))?.[1])")
        self.ask(f"journal since={seq or 1} limit=1")
        if not seq or any(" undone=" in line for line in self.client.data):
            return
        world = self.world
        self.page.evaluate("""globalThis.panelBefore = document.querySelector(".panel");
          [...document.querySelectorAll(".slider button")].find((item) => item.textContent === "Fork here").click()""")
        yield from self.page.awaiting(f"document.querySelector('.world select').value.startsWith('{world}-')", "the fork is used", wait=15 * self.slack)
        self.ask(f"use {self.page.evaluate('document.querySelector(`.world select`).value')}")
        self.names = self.members()
        self.facts = None
        yield from self.until_shown()
        yield from self.compare(f"a fork of input {seq}")
