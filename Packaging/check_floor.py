"""Checks that programs need no newer C library than is promised: check_floor.py VERSION PROGRAM..."""

import re
import subprocess
import sys

floor, programs = sys.argv[1], sys.argv[2:]


def number(version):
    return tuple(int(part) for part in version.split("."))


failed = False
for program in programs:
    text = subprocess.run(["readelf", "-VW", program], check=True, capture_output=True, text=True).stdout
    # DT_RELR is understood from 2.36 on.
    found = {number(version) for version in re.findall(r"Name: GLIBC_([0-9.]+)", text)}
    if "GLIBC_ABI_DT_RELR" in text:
        found.add((2, 36))
    if not found:
        sys.exit(f"{program} asks for no version of glibc: is it a program?")
    newest = max(found)
    print(f"{program} needs glibc {'.'.join(map(str, newest))}", file=sys.stderr)
    failed |= newest > number(floor)
if failed:
    sys.exit(f"that is newer than glibc {floor}, which packages promise")
