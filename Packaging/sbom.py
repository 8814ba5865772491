"""Lists what a program consists of and what it loads, as SPDX 2.3, from the program itself.

    sbom.py VERSION COMMIT PROGRAM SYMBOLS OUTPUT [LICENCES]

PROGRAM is the stripped program, SYMBOLS the same with its symbols. LICENCES is a folder that gets the licence of each
part that is linked in. A part that this file does not know ends it: its licence has to be looked up first.
"""

import datetime
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

SWIFT = "Apache-2.0 WITH Swift-exception"
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
# By the name of a library: the project that it is of, and its licence. The one place where licences are stated.
KNOWN = [
    (r"libdispatch|libBlocksRuntime", "swift-corelibs-libdispatch", SWIFT),
    (r"lib_?(Core)?Foundation\w*|lib_CF\w*", "swift-foundation", SWIFT),
    (r"libswift\w*|libcxxshim", "swift", SWIFT),
    (r"libsqlite3", "sqlite", "blessing"),
    (r"libexpat", "expat", "MIT"),
    (r"libreadline", "readline", "GPL-3.0-or-later"),
    (r"libmicrohttpd", "libmicrohttpd", "LGPL-2.1-or-later"),
    (r"libpq", "postgresql", "PostgreSQL"),
    (r"libgcc\w*|libstdc\+\+", "gcc", GCC),
    (r"libc|libm|libdl|libpthread|librt|ld-linux\S*", "glibc", "LGPL-2.1-or-later"),
]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def part_of(library):
    name = re.sub(r"\.(a|so(\.\d+)*)$", "", os.path.basename(library))
    for pattern, project, licence in KNOWN:
        if re.fullmatch(pattern, name):
            return project, licence
    sys.exit(f"{library} is linked or loaded, and Packaging/sbom.py does not know its licence")


def strong_symbols(path):
    """What a program or an archive defines, without what several may define."""
    lines = run("nm", "--defined-only", "-g" if path.endswith(".a") else "-a", path).splitlines()
    return {words[-1] for words in map(str.split, lines) if len(words) == 3 and words[1] in "TDBRtdbr"}


def toolchain():
    program = os.path.realpath(shutil.which("swiftc"))
    return os.path.dirname(os.path.dirname(program))


def linked_in(symbols):
    """The archives that the program has code or data of: it defines a symbol that this archive alone defines."""
    archives = sorted(glob.glob(f"{toolchain()}/lib/swift_static/linux/*.a"))
    archives += [run("gcc", f"-print-file-name=lib{name}.a").strip() for name in ("sqlite3", "expat", "stdc++")]
    defined = {archive: strong_symbols(archive) for archive in archives if os.path.isabs(archive)}
    program = strong_symbols(symbols)
    for archive, own in defined.items():
        others = set().union(*(names for other, names in defined.items() if other != archive))
        if (own - others) & program:
            yield archive


def debian_version(path):
    """The version of the Debian package that a file is of; nil if it is of none."""
    for place in (path, path.replace("/usr/lib/", "/lib/", 1), os.path.realpath(path)):
        found = subprocess.run(["dpkg-query", "-S", place], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(": ")[0].split(",")[0]
            return run("dpkg-query", "-W", "-f", "${Version}", package)
    return None


def version_of(project, path):
    if project.startswith("swift"):
        return re.search(r"Swift version (\S+)", run("swiftc", "--version")).group(1)
    return debian_version(path)


def licence_text(project):
    if project.startswith("swift"):
        return f"{toolchain()}/share/swift/LICENSE.txt"
    return {"sqlite": "/usr/share/doc/libsqlite3-dev/copyright", "expat": "/usr/share/doc/libexpat1-dev/copyright"}[project]


def main():
    version, commit, program, symbols, output = sys.argv[1:6]
    licences = sys.argv[6] if len(sys.argv) > 6 else None
    name = os.path.basename(program)
    parts = {}
    for archive in linked_in(symbols):
        project, licence = part_of(archive)
        parts.setdefault(project, (licence, version_of(project, archive), "STATIC_LINK"))
    if "swift" not in parts:
        sys.exit(f"{symbols} seems to have nothing of Swift: is it stripped?")
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", program)):
        project, licence = part_of(library)
        parts.setdefault(project, (licence, None, "DYNAMIC_LINK"))
    # Names of libraries in the program are those that it loads when they are needed.
    for library in re.findall(r"^lib[\w+-]+\.so\.\d+$", run("strings", "-a", program), re.M):
        project, licence = part_of(library)
        parts.setdefault(project, (licence, None, "OPTIONAL_DEPENDENCY_OF"))

    with open(program, "rb") as file:
        content = file.read()
    own = {
        "SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION", "sourceInfo": f"built of commit {commit}", "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}],
    }
    packages, relationships = [own], [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for project, (licence, part_version, how) in sorted(parts.items()):
        package = {
            "SPDXID": f"SPDXRef-{project}", "name": project, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
        }
        if part_version:
            package["versionInfo"] = part_version
        packages.append(package)
        if how == "OPTIONAL_DEPENDENCY_OF":
            relationships.append((package["SPDXID"], how, own["SPDXID"]))
        else:
            relationships.append((own["SPDXID"], how, package["SPDXID"]))
        if licences and how == "STATIC_LINK":
            os.makedirs(licences, exist_ok=True)
            shutil.copyfile(licence_text(project), f"{licences}/{project}.txt")
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{version}-{own['checksums'][0]['checksumValue'][:32]}",
        "creationInfo": {
            "created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: fsmd-Packaging/sbom.py"],
        },
        "packages": packages,
        "relationships": [
            {"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
            for one, how, other in relationships
        ],
    }
    with open(output, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


main()
