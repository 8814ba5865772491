"""Drives a headless Chromium over its DevTools protocol, through a pair of pipes: the standard library alone.

A browser has pages in contexts of their own, as different people have different browsers. What a page shows is asked for with
`evaluate`, `text`, `box`; what happens in it is awaited with `until`, never slept for.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Failure(Exception):
    """What was expected did not come about."""


class Browser:
    """A Chromium without a window."""

    def __init__(self, program="chromium"):
        self.folder = tempfile.mkdtemp(prefix="fsmd-browser-")
        # The browser reads descriptor 3 and writes descriptor 4.
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        command = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb", "--remote-debugging-pipe",
            "--user-data-dir=" + self.folder, "about:blank",
        ]

        def place():
            os.dup2(to_read, 13)
            os.dup2(from_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            command, preexec_fn=place, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.writing, self.reading = to_write, from_read
        os.set_blocking(self.reading, False)
        self.bytes = bytearray()
        self.number = 0
        self.answers = {}
        self.pages = {}

    def close(self):
        try:
            self.ask("Browser.close", wait=5)
        except (Failure, OSError):
            pass
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.writing)
        os.close(self.reading)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, session=None, wait=30, **parameters):
        """Asks for something and gives the answer; Failure after `wait` seconds."""
        return self.answer(self.begin(method, session, **parameters), method, wait)

    def begin(self, method, session=None, **parameters):
        """Asks for something and gives the number of the question; its answer comes into `answers`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        return self.number

    def answer(self, number, method, wait=30):
        """The answer to a question; Failure after `wait` seconds."""
        self.await_answer(number, method, wait)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def await_answer(self, number, method, wait=30):
        """Waits until a question is answered."""
        deadline = time.monotonic() + wait
        while number not in self.answers:
            self.listen(deadline, method)

    def listen(self, deadline, what):
        """Takes what the browser says; Failure if it says nothing until the deadline."""
        ready, _, _ = select.select([self.reading], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise Failure(f"the browser does not answer {what}")
        chunk = os.read(self.reading, 1 << 20)
        if not chunk:
            raise Failure("the browser has ended")
        self.bytes += chunk
        *messages, rest = self.bytes.split(b"\0")
        self.bytes = bytearray(rest)
        for message in messages:
            self.take(json.loads(message))

    def take(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
            return
        page = self.pages.get(message.get("sessionId"))
        if page:
            page.heard(message["method"], message["params"])

    def drain(self):
        """Takes what has been said, without waiting."""
        while select.select([self.reading], [], [], 0)[0]:
            self.listen(time.monotonic() + 1, "")

    def page(self, width=1920, height=1080, dark=False, phone=False, still=False, beside=None):
        """A page in a context of its own, or another one of the browser of a page."""
        context = beside.context if beside else self.ask("Target.createBrowserContext")["browserContextId"]
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context, newWindow=True)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session, target, context)
        self.pages[session] = page
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility", "DOM"):
            page.ask(domain + ".enable")
        page.resize(width, height, phone)
        page.media(dark, still)
        return page


class Page:
    """A page of a browser."""

    def __init__(self, browser, session, target, context):
        self.browser, self.session, self.target, self.context = browser, session, target, context
        # What the console, the security policy and the network had to say against the page.
        self.complaints = []
        self.ignored = ()

    def ask(self, method, wait=30, **parameters):
        return self.browser.ask(method, self.session, wait, **parameters)

    def heard(self, method, parameters):
        text = None
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            frames = details.get("stackTrace", {}).get("callFrames", [])[:3]
            places = " < ".join(f"{frame['functionName']}:{frame['lineNumber'] + 1}" for frame in frames)
            text = f"exception: {details.get('exception', {}).get('description', details['text'])} {places}"
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            text = "console: " + " ".join(str(item.get("value", item.get("description"))) for item in parameters["args"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            text = f"log: {parameters['entry']['text']} {parameters['entry'].get('url', '')}"
        if text and not any(part in text for part in self.ignored):
            self.complaints.append(text)

    def resize(self, width, height, phone=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=phone)

    def media(self, dark=False, still=False):
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])

    def open(self, address):
        self.ask("Page.navigate", url=address)

    def evaluate(self, expression, wait=30):
        """The value of an expression of JavaScript; a promise is awaited."""
        return self.value(self.begin(expression), wait)

    def begin(self, expression):
        """Begins to work out an expression and gives the number with which `value` is asked."""
        return self.browser.begin(
            "Runtime.evaluate", self.session, expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)

    def value(self, number, wait=30):
        answer = self.browser.answer(number, "Runtime.evaluate", wait)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def until(self, expression, what=None, wait=15):
        """Waits until an expression is true, and gives its value. The page itself looks at it again and again."""
        waiting = self.awaiting(expression, what, wait)
        try:
            while True:
                self.browser.await_answer(next(waiting), "Runtime.evaluate")
        except StopIteration as end:
            return end.value

    def awaiting(self, expression, what=None, wait=15):
        """The same for one who has other things to do: a generator of the numbers of questions whose answers it waits for."""
        script = f"""new Promise((resolve) => {{
          const end = performance.now() + 500;
          const look = () => {{
            let value;
            try {{ value = ({expression}); }} catch {{ value = null; }}
            if (value || performance.now() > end) resolve(value instanceof Node ? true : value || null);
            else setTimeout(look, 10);
          }};
          look();
        }})"""
        deadline = time.monotonic() + wait
        while True:
            number = self.begin(script)
            yield number
            try:
                value = self.value(number)
            except Failure as failure:
                # A page that is being loaded begins again.
                if not any(word in str(failure) for word in ("navigated", "context", "Promise")):
                    raise
                value = None
            if value:
                return value
            if time.monotonic() > deadline:
                raise Failure(f"this did not come about: {what or expression}")

    def key(self, key, modifiers=0):
        """Presses a key as a keyboard does."""
        codes = {
            "Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), " ": (32, " "), "ArrowDown": (40, ""), "ArrowUp": (38, ""),
            "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "Home": (36, ""), "End": (35, ""),
        }
        code, text = codes.get(key, (ord(key.upper()) if len(key) == 1 else 0, key if len(key) == 1 else ""))
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def click(self, selector):
        """Clicks in the middle of what is on the screen and moves no more; Failure if something else is there."""
        self.evaluate("globalThis.pointBefore = null")
        point = self.until(f"""(() => {{
          const element = document.querySelector({json.dumps(selector)});
          if (!element) return null;
          element.scrollIntoView({{block: "nearest", inline: "nearest"}});
          const box = element.getBoundingClientRect();
          const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
          const top = document.elementFromPoint(x, y);
          const before = globalThis.pointBefore;
          if (before?.x !== x || before.y !== y) globalThis.pointBefore = {{ x, y, since: performance.now() }};
          else if (performance.now() - before.since > 40 && (element.contains(top) || top?.contains(element))) return {{ x, y }};
          return null;
        }})()""", f"{selector} can be clicked")
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=point["x"], y=point["y"], button="left", clickCount=1)

    def drag(self, start, end):
        """Drags from a place to another, each with `x` and `y`."""
        self.ask("Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, **start)
        for part in (1, 2, 3):
            point = {name: start[name] + (end[name] - start[name]) * part / 3 for name in ("x", "y")}
            self.ask("Input.dispatchMouseEvent", type="mouseMoved", button="left", buttons=1, **point)
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", button="left", clickCount=1, **end)

    def move(self, x, y):
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def text(self, selector):
        """The text that is shown of an element."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def style(self, selector, name):
        return self.evaluate(f"(e => e && getComputedStyle(e)[{json.dumps(name)}])(document.querySelector({json.dumps(selector)}))")

    def tree(self):
        """The accessibility tree as (role, name, properties)."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""),
             {item["name"]: item["value"].get("value") for item in node.get("properties", [])})
            for node in nodes if not node.get("ignored") and "role" in node]

    def picture(self, path):
        """Writes what is on the screen to a file."""
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def expect_quiet(self):
        """Failure if the console, the security policy or the network had anything against the page."""
        self.browser.drain()
        if self.complaints:
            raise Failure("the browser complains: " + "; ".join(self.complaints))

    def close(self):
        self.browser.pages.pop(self.session, None)
        if any(page.context == self.context for page in self.browser.pages.values()):
            self.browser.ask("Target.closeTarget", targetId=self.target)
        else:
            self.browser.ask("Target.disposeBrowserContext", browserContextId=self.context)
