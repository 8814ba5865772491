#!/usr/bin/env python3
"""Follows a fridge of fsmd through two hours of its own time: a client in JSON, with the standard library alone.

watch.py SOCKET; without it, $FSMD_SOCKET.
"""
import json
import os
import socket
import sys
from decimal import Decimal

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1] if len(sys.argv) > 1 else os.environ["FSMD_SOCKET"])
daemon = connection.makefile("rw", encoding="utf-8", newline="\n")
daemon.readline()  # The greeting, which is text.


def ask(request):
    """Sends a request, prints what happens meanwhile, and returns the line that ends the reply."""
    daemon.write(request + "\n")
    daemon.flush()
    for line in daemon:
        said = json.loads(line, parse_float=Decimal)  # Times are exact to the nanosecond.
        match said["class"]:
            case "notice":
                about = " → ".join(said[key] for key in ("kind", "from", "to", "state", "output") if key in said)
                print(f"{said['t']:>14} s  {said['name']} {said['what']} {about}")
            case "failure":
                sys.exit(f"{request}: {said['code']}: {said['text']}")
            case "success":
                return said
    sys.exit("the daemon has gone")


world = f"watch-{os.getpid()}"
for request in ["mode json", f"world new {world}", f"use {world}", "watch *", "new fridge kitchen start=4"]:
    ask(request)
done = ask("advance 2h")
print(f"{done['fired']} timers fired in {done['t']} s")
ask("use main")
ask(f"world drop {world}")
