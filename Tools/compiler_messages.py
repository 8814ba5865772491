"""Compiles the lamp of Docs/Teaching.md with changes, and compares what the compiler says with the page.

  compiler_messages.py [--update]

The page has a block of Swift after `<!-- lamp.swift -->`. Each `<!-- swiftc: A => B -->` is followed by a block with the
messages that come if A is replaced by B in it everywhere, and `<!-- swiftc: A => B; C => D -->` by those after both.
Without `--update`, exits with 1 and prints the page as it should be if it is another.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).parent.parent / "Docs" / "Teaching.md"
LAMP = re.compile(r"<!-- lamp\.swift -->\n```swift\n(.*?)```\n", re.DOTALL)
MESSAGES = re.compile(r"(<!-- swiftc: ([^\n]*) -->\n```text\n)(.*?)(```\n)", re.DOTALL)


def messages(code, changes):
    """What the compiler says of the code after the changes: its errors and notes, a line each."""
    for change in changes.split("; "):
        before, after = change.split(" => ")
        if before not in code:
            sys.exit(f"the lamp has no '{before}'")
        code = code.replace(before, after)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "lamp.swift").write_text(code, encoding="utf-8")
        command = ["swiftc", "-swift-version", "6", "-diagnostic-style", "llvm", "-typecheck", "lamp.swift"]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stderr
    lines = [line for line in said.splitlines() if line.startswith("lamp.swift:")]
    return "".join(f"{line}\n" for line in lines) or "(nothing)\n"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--update", action="store_true")
    update = options.parse_args().update
    page = PAGE.read_text(encoding="utf-8")
    lamp = LAMP.search(page)
    if not lamp or not MESSAGES.search(page):
        sys.exit("the page has no lamp, or no messages")
    made = MESSAGES.sub(lambda found: found[1] + messages(lamp[1], found[2]) + found[4], page)
    if update:
        PAGE.write_text(made, encoding="utf-8")
    elif made != page:
        print("".join(found[0] for found in MESSAGES.finditer(made)))
        sys.exit(1)


main()
