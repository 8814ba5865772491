"""Draws the pictures of README and Docs from runs of the programs, so that they show what is there.

  make_pictures.py --programs FOLDER

FOLDER has fsmd and fsmrepl. Writes Docs/shiftKey.svg (by Graphviz), Docs/doubleTap.svg and Docs/page.png (by Chromium).
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile

from browser import Browser

# What stands on the page when its picture is taken: a job at its second try, with a timer that runs.
PAGE = [
    "world new lesson clock=virtual", "use lesson", "new job work", "send work start", "advance 1.2s", "send work fail",
    "advance 700ms", "send work retry", "advance 400ms",
]


def lines_of(program, *words):
    requests = [word for request in words for word in ("-e", request)]
    answer = subprocess.run([program, "--private", *requests], capture_output=True, text=True, check=True).stdout
    return [line[2:] for line in answer.splitlines() if line.startswith(". ")]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--programs", required=True)
    programs = pathlib.Path(options.parse_args().programs)
    repl, daemon = str(programs / "fsmrepl"), str(programs / "fsmd")

    diagram = lines_of(repl, "clock virtual", "new shiftKey key", "send key tap", "graph key format=svg")
    pathlib.Path("Docs/shiftKey.svg").write_text("\n".join(diagram) + "\n", encoding="utf-8")
    subprocess.run([repl, "run", "--wave", "Docs/doubleTap.svg", "Demos/devices/double-tap-too-late.fsm"], check=True)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        process = subprocess.Popen(
            [daemon, "--ephemeral", "--socket", path, "--page", "0", "--page-control"], stderr=subprocess.PIPE, text=True)
        browser = Browser()
        try:
            link = next(found[1] for line in process.stderr if (found := re.search(r"(http://\S+#\S+)", line)))
            requests = [word for request in PAGE for word in ("-e", request)]
            subprocess.run([repl, "-s", path, *requests], check=True, stdout=subprocess.DEVNULL)
            page = browser.page(width=1440, height=810, still=True)
            base, token = link.split("#")
            page.open(f"{base}?world=lesson&show=work#{token}")
            page.until("document.querySelector('.picture .present')", "the diagram is there")
            page.until("document.querySelector('.dock svg text')", "the waveform is there")
            page.until("document.querySelector('.time').textContent === '2.300' && document.querySelector('.countdown text')?.textContent === '1.6 s'", "it is later")
            page.picture("Docs/page.png")
        finally:
            browser.close()
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
