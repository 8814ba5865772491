#!/usr/bin/env python3
"""Gives the diagrams of all kinds to the programs that draw them, and counts the labels in the pictures.

Every kind and composition, every document of Examples/Statecharts and of the folders of --documents, and a machine of
each with its state marked, goes in every format and amount of detail to
Graphviz, PlantUML, and an old and a new Mermaid in a headless Chromium. It is a mistake if a program does not take the
text, or if the label of an arrow is in the text and not in the picture. In the pictures of the daemon itself, those labels
are counted that lie on something, and the arrows that seem to have a head at both ends; there are at most as many as today.
Needs dot, plantuml and chromium; Mermaid comes in wheels that pip downloads and nobody installs.

Exits with 1 if there is a mistake, with 2 if nothing could be checked.
"""
import argparse, collections, html, http.server, json, pathlib, re, shutil, subprocess, sys, tempfile, threading, zipfile

from browser import Browser

# Versions of a wheel that has Mermaid in it, and that Mermaid's version.
WHEELS = {"1.4.20": "10.5.1", "3.18.0": "11.16.1"}
DETAILS = {"plain": " show=plain", "usual": "", "all": " show=all"}
SUFFIXES = {"dot": "dot", "mermaid": "mmd", "stateDiagram": "mmd", "plantuml": "puml"}


def stop(why):
    print(f"check_diagrams: {why}", file=sys.stderr)
    sys.exit(2)


def answers(programs, requests):
    """The data of each answer of a daemon of its own, without the line's mark; None for a failure."""
    command = [programs / "fsmrepl", "--private", "--daemon", programs / "fsmd", "--raw", "-k", "-"]
    run = subprocess.run(command, input="\n".join(requests) + "\n", text=True, capture_output=True)
    lines, all_answers = [], []
    for line in run.stdout.splitlines():
        if line.startswith("."):
            lines.append(line[2:])
        elif line.startswith(("+", "-")):
            all_answers.append("\n".join(lines) + "\n" if line[0] == "+" else None)
            lines = []
    if len(all_answers) != len(requests):
        stop(f"{len(requests)} requests got {len(all_answers)} answers: {run.stderr}")
    return all_answers


def loads(programs, folders):
    """Requests for the documents of folders that load and start."""
    files = [file for folder in folders for file in sorted(pathlib.Path(folder).resolve().iterdir())]
    names = [(f"document{place}", file) for place, file in enumerate(files)
             if file.suffix in (".mmd", ".scxml", ".puml", ".json")]
    requests = [f"load {file} as {name}" for name, file in names]
    started = answers(programs, requests + [f"new {name} m-{name}" for name, _ in names])[len(names):]
    return [request for request, answer in zip(requests, started) if answer is not None]


def write_diagrams(programs, folder, documents):
    begin = ["clock virtual"] + loads(programs, documents)
    kinds = [line.split()[0] for line in answers(programs, begin + ["kinds"])[-1].splitlines()]
    requests = begin + [f"describe {kind}" for kind in kinds]
    pages = answers(programs, requests)[len(begin):]
    made = []
    for kind, page in zip(kinds, pages):
        required = re.findall(r"^parameter (\S+) .*?required=(\"(?:[^\"\\]|\\.)*\"|\S+)", page, re.M)
        made.append(f"new {kind} my-{kind}" + "".join(f" {name}={value}" for name, value in required))
    wanted = [
        (f"{name}.{format}.{detail}.{SUFFIXES[format]}", f"graph {name} format={format}{words}")
        for kind in kinds for name in (kind, f"my-{kind}") for format in SUFFIXES for detail, words in DETAILS.items()
    ]
    texts = answers(programs, begin + made + [request for _, request in wanted])[len(begin) + len(made):]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    mistakes = []
    for (file, request), text in zip(wanted, texts):
        if text is None:
            mistakes.append(f"{request} fails")
        else:
            (folder / file).write_text(text, encoding="utf-8")
    return mistakes


def bare(texts):
    return collections.Counter("".join(text.split()) for text in texts if text.strip())


def lost(wanted, drawn):
    return list((bare(wanted) - bare(drawn)).elements())


def svg_texts(svg):
    return [html.unescape(re.sub("<[^>]*>", "", text)) for text in re.findall(r"<text\b[^>]*>(.*?)</text>", svg, re.S)]


def check_dot(folder):
    mistakes = []
    for file in sorted(folder.glob("*.dot")):
        run = subprocess.run(["dot", "-Tsvg", file], capture_output=True, text=True)
        if run.returncode or run.stderr.strip():
            mistakes.append(f"{file.name}: dot says {run.stderr.strip()[:200]}")
            continue
        labels = re.findall(r'^ *\w+ -> \w+ \[label="((?:[^"\\]|\\.)*)"', file.read_text(encoding="utf-8"), re.M)
        lines = [re.sub(r"\\(.)", r"\1", line) for label in labels for line in re.split(r"(?<!\\)\\n", label)]
        if missing := lost(lines, svg_texts(run.stdout)):
            mistakes.append(f"{file.name}: dot does not draw {missing[:5]}")
    return mistakes


def check_page(programs):
    """The picture of Docs/Tour.md has the texts that the daemon draws today."""
    requests = ["clock virtual", "new shiftKey key", "send key tap", "graph key format=svg"]
    stored = pathlib.Path("Docs/shiftKey.svg").read_text(encoding="utf-8")
    drawn = answers(programs, requests)[-1] or ""
    if bare(svg_texts(stored)) == bare(svg_texts(drawn)):
        return []
    return [f"Docs/shiftKey.svg is not what the daemon draws after {', '.join(requests)}"]


# The lines of labels that lie on each of these, and the heads that touch where another arrow begins, in the pictures of all
# kinds and documents.
MOST_LYING = {"label": 0, "state": 0, "title": 0, "line": 0, "frame": 3, "head": 11}

# What lies on what in the picture on the page, by the glyphs and curves that the browser draws.
LYING = """(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const boxOf = (shape) => (({ x, y, width, height }) => ({ left: x, top: y, right: x + width, bottom: y + height }))(shape.getBBox());
  const textBox = (text) => {
    text.textContent = text.textContent.trim();
    const [{ left, right }, size, base] = [boxOf(text), Number(text.getAttribute("font-size")), Number(text.getAttribute("y"))];
    return { left, right, top: base - 0.7 * size, bottom: base + 0.19 * size };
  };
  const meet = (one, other) => one.left < other.right - 0.5 && other.left < one.right - 0.5 && one.top < other.bottom - 0.5 && other.top < one.bottom - 0.5;
  const holds = (one, other) => other.left >= one.left && other.right <= one.right && other.top >= one.top && other.bottom <= one.bottom;
  const titleOf = (part) => part.closest("g.edge").querySelector("title").textContent;
  const lines = all(".edge path").map((path) => {
    const length = path.getTotalLength();
    return { start: path.getPointAtLength(0), title: titleOf(path), points: Array.from({ length: Math.ceil(length / 2) + 1 }, (_, number) => path.getPointAtLength(2 * number)) };
  });
  const heads = all(".edge polygon").map((head) => ({ tip: head.points[1], title: titleOf(head) }));
  const labels = all(".edge text").filter((text) => text.textContent.trim()).map((text) => ({ text: text.textContent.trim(), box: textBox(text) }));
  const [states, titles] = [all(".node > :is(path, polygon, ellipse), .node a > :is(path, polygon, ellipse)").map(boxOf), all(".graph > text, .cluster text").map(textBox)];
  const frames = all(".cluster :is(path, polygon)").filter((frame) => !["none", "transparent"].includes(frame.getAttribute("stroke"))).map(boxOf);
  const found = [];
  labels.forEach(({ text, box }, place) => {
    const note = (what, lies) => lies && found.push([what, text]);
    note("label", labels.slice(place + 1).some((other) => meet(box, other.box)));
    note("state", states.some((state) => meet(box, state)));
    note("title", titles.some((title) => meet(box, title)));
    note("line", lines.some(({ points }) => points.some(({ x, y }) => x > box.left + 0.5 && x < box.right - 0.5 && y > box.top + 0.5 && y < box.bottom - 0.5)));
    note("frame", frames.some((frame) => meet(box, frame) && !holds(frame, box)));
  });
  for (const { tip, title } of heads) {
    for (const { start, title: other } of lines) if (other !== title && Math.hypot(tip.x - start.x, tip.y - start.y) < 9) found.push(["head", `${title} and ${other}`]);
  }
  return { found, labels: labels.length };
})()"""


def check_labels(programs, documents):
    """Labels that lie on something, and arrows that seem to have two heads, in the daemon's own pictures."""
    begin = ["clock virtual"] + loads(programs, documents)
    kinds = [line.split()[0] for line in answers(programs, begin + ["kinds"])[-1].splitlines()]
    pictures = answers(programs, begin + [f"graph {kind} format=svg" for kind in kinds])[len(begin):]
    browser = Browser()
    page = browser.page()
    lying, labels = collections.defaultdict(list), 0
    for kind, picture in zip(kinds, pictures):
        if picture is None:
            return [f"graph {kind} format=svg fails"]
        page.evaluate(f"document.body.innerHTML = {json.dumps(picture[picture.index('<svg'):])}; true")
        seen = page.evaluate(LYING)
        labels += seen["labels"]
        for what, text in seen["found"]:
            lying[what].append(f"{kind}: {text}")
    browser.close()
    counts = ", ".join(f"{what} {len(lying[what])}" for what in MOST_LYING)
    print(f"{labels} lines of labels in {len(kinds)} pictures of the daemon lie on {counts}")
    return [f"{len(lying[what])} on a {what}, at most {most}: {'; '.join(lying[what])}" for what, most in MOST_LYING.items() if len(lying[what]) > most]


def check_plantuml(folder):
    files, mistakes = sorted(folder.glob("*.puml")), []
    for first in range(0, len(files), 100):
        subprocess.run(["plantuml", "-tsvg", "-nbthread", "2", *files[first:first + 100]], capture_output=True)
    for file in files:
        picture = file.with_suffix(".svg")
        svg = picture.read_text(encoding="utf-8") if picture.exists() else "Syntax Error"
        if "Syntax Error" in svg or "An error has occured" in svg:
            mistakes.append(f"{file.name}: PlantUML does not take it")
            continue
        labels = re.findall(r"^\w+ -\S*> \w+ : (.+)$", file.read_text(encoding="utf-8"), re.M)
        lines = [re.sub("~(.)", r"\1", line) for label in labels for line in label.split("\\n")]
        # PlantUML cuts lines into pieces, and replaces spaces.
        drawn = "".join("".join(svg_texts(svg)).replace("\u00a0", " ").split())
        if missing := [line for line in lines if "".join(line.split()) not in drawn]:
            mistakes.append(f"{file.name}: PlantUML does not draw {missing[:5]}")
    return mistakes


PAGE = """<!doctype html><meta charset="utf-8"><body><script src="/script"></script><script type="module">
%s
const drawn = [];
try {
  mermaid.initialize({startOnLoad: false, securityLevel: 'strict', maxTextSize: 1e6, maxEdges: 2000});
  const texts = await (await fetch('/texts')).json();
  for (let place = 0; place < texts.length; place++) {
    try {
      const {svg} = await mermaid.render('drawing' + place, texts[place]);
      const box = document.createElement('div');
      box.innerHTML = svg;
      drawn.push({labels: [...box.querySelectorAll('g.edgeLabel')].map(label => label.textContent),
                  nodes: box.querySelectorAll('g.node').length});
    } catch (mistake) { drawn.push({mistake: String(mistake.message || mistake)}); }
  }
} catch (mistake) { drawn.push({mistake: String(mistake)}); }
await fetch('/drawn', {method: 'POST', body: JSON.stringify(drawn)});
</script>"""


def mermaid_labels(text):
    """The labels of arrows, as Mermaid should draw them."""
    labels = re.findall(r'^ *\S+ (?:--|-\.)(?!>)"?(.+?)"?(?:-->|\.->) ', text, re.M)
    labels += re.findall(r"^ *\S+ --> \S+ : (.+)$", text, re.M)
    names = {"quot": '"', "lt": "<", "gt": ">", "amp": "&"}
    return [
        re.sub(r"#(\w+);", lambda match: names.get(match[1]) or chr(int(match[1])), label.replace("<br/>", ""))
        for label in labels
    ]


def draw_with_mermaid(wheel, texts):
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    whole = next((name for name in names if name.endswith("/mermaid.min.js")), None)
    module = next((name for name in names if name.endswith("/mermaid/dist/index.js")), None)
    if not whole and not module:
        stop(f"no Mermaid in {wheel}")
    start = "" if whole else f"const {{mermaid}} = await import('/wheel/{module}');"
    result, is_done = [], threading.Event()

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            kind, body = "text/javascript", b""
            if self.path == "/":
                kind, body = "text/html", (PAGE % start).encode()
            elif self.path == "/texts":
                kind, body = "application/json", json.dumps(texts).encode()
            elif self.path == "/script" and whole:
                body = archive.read(whole)
            elif self.path.startswith("/wheel/") and self.path[7:] in names:
                body = archive.read(self.path[7:])
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            result.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()
            is_done.set()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The sandbox does not start for root, nor in most containers; only our own page is loaded.
        browser = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={profile}", f"http://127.0.0.1:{server.server_port}/"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not is_done.wait(1) and browser.poll() is None:
                pass
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
    if len(result) != len(texts):
        stop(f"Chromium answered {len(result)} of {len(texts)}: {result[-1:]}")
    return result


def check_mermaid(folder, wheel, version):
    files, mistakes = sorted(folder.glob("*.mmd")), []
    texts = [file.read_text(encoding="utf-8") for file in files]
    for file, text, drawn in zip(files, texts, draw_with_mermaid(wheel, texts)):
        if "mistake" in drawn:
            mistakes.append(f"{file.name}: Mermaid {version} says {' '.join(drawn['mistake'].split())[:200]}")
        elif not drawn["nodes"]:
            mistakes.append(f"{file.name}: Mermaid {version} draws nothing")
        elif missing := lost(mermaid_labels(text), drawn["labels"]):
            mistakes.append(f"{file.name}: Mermaid {version} does not draw {missing[:5]}")
    return mistakes


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--programs", type=pathlib.Path, default=pathlib.Path(".build/debug"))
    options.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(".build/diagrams"))
    options.add_argument("--documents", nargs="*", default=[])
    options.add_argument("--labels", action="store_true", help="counts what labels lie on, and nothing else")
    options = options.parse_args()
    documents = ["Examples/Statecharts", "Examples/Exercises", *filter(lambda folder: pathlib.Path(folder).is_dir(), options.documents)]
    missing = [program for program in ("dot", "chromium", *([] if options.labels else ["plantuml"])) if not shutil.which(program)]
    if missing:
        stop(f"{', '.join(missing)} cannot be found")
    mistakes = check_labels(options.programs, documents)
    if options.labels:
        for mistake in mistakes:
            print(mistake)
        sys.exit(1 if mistakes else 0)
    wheels = options.folder.parent / "wheels"
    for version in WHEELS:
        if not list(wheels.glob(f"nicegui-{version}-*.whl")):
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, f"nicegui=={version}"]
            if subprocess.run(command).returncode:
                stop(f"pip cannot download nicegui {version}")
    mistakes += write_diagrams(options.programs, options.folder, documents)
    print(f"{len(list(options.folder.iterdir()))} diagrams are in {options.folder}")
    mistakes += check_page(options.programs)
    for name, check in [("Graphviz", check_dot), ("PlantUML", check_plantuml)]:
        found = check(options.folder)
        print(f"{name}: {len(found)} mistakes", flush=True)
        mistakes += found
    for version, mermaid in WHEELS.items():
        found = check_mermaid(options.folder, next(wheels.glob(f"nicegui-{version}-*.whl")), mermaid)
        print(f"Mermaid {mermaid}: {len(found)} mistakes", flush=True)
        mistakes += found
    for mistake in mistakes:
        print(mistake)
    sys.exit(1 if mistakes else 0)


main()
