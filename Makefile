# The ways in: `make` alone lists them. Debian packages that are missing are installed; nothing else outside this
# folder is touched, but by `install`.

PREFIX ?= /usr/local
DESTDIR ?=
BENCH ?=
STATEMACHINE ?= 3.2.2
STORE ?= .build/store
TABLE ?= .build/conformance.md
SLACK ?= 1
WALKS ?= 0
ONLY ?=
FAULTS ?= 200
SNAPSHOT ?= 0
DOCUMENTS ?= 1-100000
RACE ?= UnixHostTests|EndToEndTests
NAME ?= Staircase
DIR ?= ../$(NAME)

# What is installed or measured is built for speed. The Swift runtime is linked in: the programs start in half the time
# and go on when the toolchain moves.
RELEASE := swift build -q -c release --static-swift-stdlib
# What is tried and tested is built in a third of the time: only what every step passes is optimised (Package.swift says
# what that is), and nothing is written for debuggers and editors; the compiler does not check what it has made for LLVM.
# `make run` and `make test` share what it makes.
QUICK_FLAGS := --disable-index-store -debug-info-format none \
  -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode -Xswiftc -no-emit-module-separately-wmo \
  -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify -Xswiftc -Xfrontend -Xswiftc -disable-llvm-value-names
QUICK := FSMD_BUILD=quick swift build $(QUICK_FLAGS)
# SwiftPM asks for incremental builds as well, and the compiler remarks for every module that whole modules are not.
WITHOUT_REMARKS := | sed -u '/^remark: Incremental compilation/d'
ONLY_PROGRAMS := FSMD_ONLY_PROGRAMS=1
SWIFT_FILES := Sources Tests Examples/Staircase/Sources Examples/Staircase/Tests Package.swift
# The tests as one program: a second run of it does not wait for the lock of `swift test`.
TEST_RUNNER := .build/debug/fsmdPackageTests.xctest --testing-library swift-testing --quiet
# The suites that start processes: they run beside those that compute.
PROCESS_SUITES := ^(EndToEndTests|UnixHostTests|fsmreplTests)\.

# Swift keeps caches in the home folder and fails without; where it cannot be written, one below .build will do.
ifneq ($(shell [ -d "$$HOME" ] && [ -w "$$HOME" ] && echo writable),writable)
export HOME := $(CURDIR)/.build/home
$(shell mkdir -p .build/home)
endif

# Not $(MAKE) in a recipe: `make -n` would run all of a recipe that names it.
AGAIN := $(MAKE) --no-print-directory

.ONESHELL:
.SILENT:
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run demo pictures test test-diagrams test-page test-postgres conformance fuzz diagram-tools-are-there page-tools-are-there test-all test-lab lab race store kinds bench count format lint install clean deb tarball test-packages reproduce \
  package-tools-are-there swift-is-there libraries-are-there redis-is-there statemachine-is-there valgrind-is-there

help:
	echo 'make run      builds fsmd and opens the REPL on a daemon of its own (with no terminal: plays Demos/tour.fsm)'
	echo 'make demo     opens the live page of a daemon of its own, with machines to look at, and a prompt'
	echo 'make test     checks the format, builds with warnings as errors, runs all tests (ONLY=REGEX: only those)'
	echo 'make test-all  the same with ten times as many rounds of the random tests'
	echo 'make conformance  runs the suites of statecharts over the socket of a daemon and writes the table (TABLE=$(TABLE))'
	echo 'make fuzz     gives the daemon random documents, and requests of all verbs to them (DOCUMENTS=$(DOCUMENTS))'
	echo 'make test-diagrams  gives all diagrams to Graphviz, PlantUML and two Mermaids, and counts the labels'
	echo 'make test-page  looks at the live page in a browser, on the screens of a projector and of a phone'
	echo 'make test-postgres  tests worlds on PostgreSQL, which it installs, with servers of its own, and runs three daemons under faults (FAULTS=$(FAULTS); SNAPSHOT=SECONDS: throughput while a snapshot is open)'
	echo 'make pictures  draws the pictures of the README anew, from runs'
	echo 'make lab      writes a package with a machine, its test and a daemon of your own (NAME=$(NAME), DIR=$(DIR))'
	echo 'make test-lab  makes such a package, builds and tests it'
	echo 'make race     runs the tests that have threads under the thread sanitizer (RACE="$(RACE)")'
	echo 'make store    leaves a store with machines of all kinds, which later releases must read, in STORE=$(STORE)'
	echo 'make kinds    writes Docs/Kinds.md and the tables of Docs/Sources.md from the catalogue'
	echo 'make bench    measures fsmd beside Redis, one table (BENCH="--quick", BENCH="--only memory")'
	echo 'make count    instructions that the daemon takes per plain send, counted by valgrind'
	echo 'make format   formats all Swift files in place'
	echo 'make install  installs both programs and their man pages (PREFIX=$(PREFIX), DESTDIR=)'
	echo 'make deb      makes the Debian packages fsmd and fsmrepl, in .build/packages'
	echo 'make tarball  makes fsmd-VERSION-linux-ARCH.tar.gz and its checksum, in .build/packages'
	echo 'make test-packages  makes them, and tries them in clean roots of Debian 12 and 13 (as root)'
	echo 'make reproduce  makes the tarball of this commit in another folder, too, and compares'
	echo 'make clean    removes what was built'

# A daemon of its own, which ends with the REPL: `make run` neither finds nor disturbs another.
run: libraries-are-there
	$(build_quickly)
	if [ -t 0 ]; then set --; else set -- --echo -f Demos/tour.fsm; fi
	exec .build/debug/fsmrepl --private "$$@"

# The prompt and the page of one daemon. It ends with the prompt.
demo: libraries-are-there
	$(build_quickly)
	folder=$$(mktemp -d)
	trap 'rm -rf "$$folder"' EXIT
	mkfifo "$$folder/leash"
	.build/debug/fsmd --ephemeral --socket "$$folder/socket" --page 0 --page-control --until-stdin-closes \
	  <"$$folder/leash" 2>"$$folder/log" &
	exec 9>"$$folder/leash"
	for try in $$(seq 50); do
	  if grep -q ' page http' "$$folder/log"; then break; fi
	  sleep 0.1
	done
	if ! grep -q ' page http' "$$folder/log"; then
	  cat "$$folder/log" >&2
	  exit 1
	fi
	.build/debug/fsmrepl -s "$$folder/socket" -f Demos/page.fsm -e 'clock real' >/dev/null
	sed -n 's/.* page \(http:[^ ]*\)$$/The page is at \1/p' "$$folder/log"
	.build/debug/fsmrepl -s "$$folder/socket"

# First the modules of the live page, where there is Node. Then two runs side by side, each of whose output is shown whole. The one that failed comes last, and then what repeats it.
test: libraries-are-there lint
	if [ -n '$(ONLY)' ]; then
	  :
	elif command -v node >/dev/null; then
	  if ! said=$$(node --test Tests/PageTests); then
	    printf '%s\n' "$$said" >&2
	    exit 1
	  fi
	else
	  echo 'The tests of the modules of the live page are left out: nodejs is not installed.'
	fi
	echo 'Building the programs and their tests: some minutes the first time.'
	$(QUICK) --build-tests $(WITHOUT_REMARKS)
	export FSMD_SEED="$${FSMD_SEED:-$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}"
	echo "FSMD_SEED=$$FSMD_SEED FSMD_THOROUGH=$${FSMD_THOROUGH:-1}"
	rm -rf .build/results
	mkdir -p .build/results
	tests() {
	  name=$$1
	  shift
	  $(TEST_RUNNER) --xunit-output ".build/results/$$name.xml" "$$@" >".build/results/$$name" 2>&1
	}
	if [ -n '$(ONLY)' ]; then
	  failed=0
	  tests last --filter '$(ONLY)' || failed=1
	else
	  tests processes --filter '$(PROCESS_SUITES)' &
	  first=processes last=computing failed=0
	  tests computing --skip '$(PROCESS_SUITES)' || failed=1
	  wait $$! || first=computing last=processes failed=1
	  cat ".build/results/$$first"
	  mv ".build/results/$$last" .build/results/last
	  if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
	    echo 'Faults of daemons on one database are left out: postgresql is not installed.'
	  elif ! command -v python3 >/dev/null; then
	    echo 'Faults of daemons on one database are left out: python3 is not installed.'
	  elif ! said=$$(python3 -B Tools/fault_run.py --seed "$$FSMD_SEED" --brief --faults 2 --worlds 10 2>&1); then
	    printf '%s\n' "$$said"
	    failed=1
	  fi
	fi
	if [ "$$failed" != 0 ]; then
	  cat .build/results/*.xml | sed -n '/<testcase/{N;/<failure/s/.*classname="\([^"]*\)" name="\([^"(]*\).*/\1 \2/p;}' |
	    sort -u | while read -r suite name; do
	      echo "To repeat it: FSMD_SEED=$$FSMD_SEED make test ONLY='$${suite#*.}/$$name'"
	    done
	fi
	cat .build/results/last
	exit $$failed

# Every random test in all its rounds, and the tests of traps whose message nobody reads.
test-all:
	FSMD_THOROUGH=10 $(AGAIN) test

# In `make test` some documents are tried, here as many as are wanted, with the programs that are installed. Each document
# has draws of its own: one that fails is named, and can be tried alone.
fuzz: libraries-are-there
	$(build_programs)
	$(QUICK) --build-tests $(WITHOUT_REMARKS)
	export FSMD_SEED="$${FSMD_SEED:-1}"
	echo "FSMD_SEED=$$FSMD_SEED"
	FSMD_PROGRAMS='$(CURDIR)/.build/release' FSMD_FUZZ='$(DOCUMENTS)' $(TEST_RUNNER) --filter DocumentFuzzTests

# The suites are those of the W3C and of SCION. They are not part of this folder: FSMD_STATECHART_SUITES names theirs.
conformance: libraries-are-there
	$(QUICK) --build-tests $(WITHOUT_REMARKS)
	FSMD_CONFORMANCE_TABLE="$(abspath $(TABLE))" $(TEST_RUNNER) --filter ConformanceTests
	if [ ! -e '$(TABLE)' ]; then
	  echo 'The suites were not found; FSMD_STATECHART_SUITES names the folder that they are in.' >&2
	  exit 1
	fi
	sed -n '3,7p' '$(TABLE)'

# The programs that draw are not needed by `make test`; two versions of Mermaid come from wheels, which pip downloads.
test-diagrams: libraries-are-there diagram-tools-are-there
	$(build_quickly)
	python3 Tools/check_diagrams.py --programs .build/debug --folder .build/diagrams --documents ../shared/documents

# What is on the screen, in Debian's Chromium; pictures of it stay in .build/page. SLACK multiplies the allowed times; WALKS
# random walks of kinds, and as many of documents, are compared with the daemon, at least one of each.
test-page: libraries-are-there page-tools-are-there
	$(build_programs)
	python3 -B Tools/test_page.py --programs .build/release --folder .build/page --slack '$(SLACK)' --walks '$(WALKS)' --only '$(ONLY)'

# Servers of the tests' own, in temporary folders; PostgreSQL is installed without a cluster of the machine's.
test-postgres: libraries-are-there
	if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
	  mkdir -p /etc/postgresql-common
	  [ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
	  $(call install_package,postgresql)
	fi
	if ! command -v python3 >/dev/null; then $(call install_package,python3); fi
	$(AGAIN) test ONLY='PostgresStoreTests|PostgresTests|HostsTests|JournalStoreTests.WorldTests|JournalStoreTests.FencingTests|KillTests'
	python3 -B Tools/fault_run.py --control --faults 20 --worlds 10
	python3 -B Tools/fault_run.py --standby --faults '$(FAULTS)' --snapshot '$(SNAPSHOT)'

# Graphviz draws the diagram, Chromium the page.
pictures: libraries-are-there page-tools-are-there
	$(build_programs)
	python3 -B Tools/make_pictures.py --programs .build/release

# A package of one's own, made of Examples/Staircase under another name and depending on this folder.
lab:
	LC_ALL=C
	case '$(NAME)' in
	  '' | [!A-Z]* | *[!A-Za-z0-9_]*)
	    echo "NAME=$(NAME) cannot name a Swift module: letters, digits and '_', a capital first." >&2
	    exit 1
	    ;;
	esac
	if [ -d 'Sources/$(NAME)' ] || echo ' Any Self Type Protocol Swift Testing Foundation Dispatch Glibc Lab Lamp ' | grep -q ' $(NAME) '; then
	  echo 'NAME=$(NAME) is the name of something that the package uses; choose another.' >&2
	  exit 1
	fi
	if [ -e '$(DIR)' ]; then
	  echo 'DIR=$(DIR) is there already; nothing was written.' >&2
	  exit 1
	fi
	mkdir -p '$(DIR)'
	here=$$(printf '%s' '$(CURDIR)' | sed 's/[\\&|]/\\&/g')
	(cd Examples/Staircase && find . -name '.?*' -prune -o -type f ! -name Package.resolved -print) | while read -r file; do
	  target='$(DIR)'/$$(printf '%s' "$$file" | sed 's/Staircase/$(NAME)/g')
	  mkdir -p "$$(dirname "$$target")"
	  sed -e 's/Staircase/$(NAME)/g' -e "s|path: \"../..\"|path: \"$$here\"|" "Examples/Staircase/$$file" > "$$target"
	done
	echo '$(NAME) is in $(DIR). Go there; "swift test" tests it, and its README.md says the rest.'

# Such a package is made, built, tested and spoken to; its dependencies are built anew, in a folder of its own.
test-lab: libraries-are-there
	echo 'Making a package of its own, and testing it (the first time takes some minutes).'
	rm -rf .build/lab/Hallway
	$(AGAIN) -s lab NAME=Hallway DIR=.build/lab/Hallway >/dev/null
	swift build --package-path .build/lab/Hallway --scratch-path .build/lab/build --build-tests
	swift test -q --package-path .build/lab/Hallway --scratch-path .build/lab/build --skip-build --disable-xctest
	$(build_quickly)
	.build/debug/fsmrepl --daemon .build/lab/build/debug/Hallway -e 'world new lab clock=virtual' -e 'use lab' \
	  -e 'new lamp hall burn=10s' -e 'send hall pressed' -e 'advance 10s' -e 'expect hall dark' >/dev/null

# The same under the thread sanitizer, daemons that tests start included: a race that is seen makes an exit code wrong.
race: libraries-are-there
	echo 'Building the programs and their tests with the thread sanitizer (the first time takes some minutes).'
	swift build -q --build-tests --sanitize=thread --scratch-path .build/race
	TSAN_OPTIONS=exitcode=66 swift test -q --skip-build --disable-xctest --sanitize=thread --scratch-path .build/race \
	  --filter '$(RACE)'

# What is kept of a release, so that later ones can be tested with it.
store: libraries-are-there
	$(QUICK) --build-tests $(WITHOUT_REMARKS)
	FSMD_STORE_FIXTURE="$(STORE)" $(TEST_RUNNER) --filter AllKindsStoreTests

# The list of all kinds. A test compares it with the catalogue.
kinds: libraries-are-there
	$(QUICK) --build-tests $(WITHOUT_REMARKS)
	FSMD_KINDS_PAGE='$(CURDIR)/Docs/Kinds.md' $(TEST_RUNNER) --filter KindsPageTests

lint: swift-is-there
	swift format lint --strict --parallel -r $(SWIFT_FILES)

bench: libraries-are-there redis-is-there statemachine-is-there
	echo 'Building fsmd and fsmbench for speed (the first time takes some minutes).'
	$(RELEASE) --product fsmd
	$(RELEASE) --product fsmbench
	PYTHONPATH=.build/python .build/release/fsmbench $(BENCH)

count: libraries-are-there valgrind-is-there
	echo 'Building fsmd and fsmbench for speed (the first time takes some minutes).'
	$(RELEASE) --product fsmd
	$(RELEASE) --product fsmbench
	# Valgrind gives up at debug information that it does not know.
	mkdir -p .build/count
	strip --strip-debug -o .build/count/fsmd .build/release/fsmd
	cp .build/release/fsmbench .build/count
	.build/count/fsmbench --count

format: swift-is-there
	swift format format -i -r $(SWIFT_FILES)

install: libraries-are-there
	$(build_programs)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 755 .build/release/fsmd .build/release/fsmrepl "$(DESTDIR)$(PREFIX)/bin"
	install -m 644 Docs/man/fsmd.1 Docs/man/fsmrepl.1 "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -d "$(DESTDIR)$(PREFIX)/share/fsmd/Lessons"
	install -m 644 Lessons/* "$(DESTDIR)$(PREFIX)/share/fsmd/Lessons"

# What is given out. Docs/Packages.md says what is in it; the scripts are in Packaging.
deb: libraries-are-there package-tools-are-there
	Packaging/deb.sh

tarball: libraries-are-there package-tools-are-there
	Packaging/tarball.sh

# The same programs under the next version stand in for an upgrade.
test-packages: deb tarball
	version=$$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/LineProtocol/*/Release.swift)
	VERSION=$${version%.*}.$$(($${version##*.} + 1)) Packaging/deb.sh
	Packaging/test.sh

reproduce: tarball
	Packaging/reproduce.sh

clean:
	rm -rf .build

swift-is-there:
	if ! command -v swift >/dev/null; then
	  echo 'swift is not in PATH: install Swift 6.2 or later from https://www.swift.org/install' >&2
	  exit 1
	fi

libraries-are-there: swift-is-there
	if [ ! -e /usr/include/readline/readline.h ]; then $(call install_package,libreadline-dev); fi
	if [ ! -e /usr/include/sqlite3.h ]; then $(call install_package,libsqlite3-dev); fi
	if [ ! -e /usr/include/expat.h ]; then $(call install_package,libexpat1-dev); fi
	if [ ! -e /usr/include/microhttpd.h ]; then $(call install_package,libmicrohttpd-dev); fi

package-tools-are-there: swift-is-there
	if ! command -v python3 >/dev/null; then $(call install_package,python3); fi
	if ! command -v dpkg-buildpackage >/dev/null; then $(call install_package,dpkg-dev); fi
	if ! command -v dh >/dev/null; then $(call install_package,debhelper); fi
	if ! command -v lintian >/dev/null; then $(call install_package,lintian); fi
	if ! command -v debootstrap >/dev/null; then $(call install_package,debootstrap); fi

redis-is-there: swift-is-there
	if ! command -v redis-server >/dev/null; then $(call install_package,redis-server); fi

valgrind-is-there: swift-is-there
	if ! command -v valgrind >/dev/null; then $(call install_package,valgrind); fi

# A row of the benchmarks; without it the others are measured.
statemachine-is-there:
	if [ ! -d .build/python/statemachine ] && ! python3 -m pip install -q --disable-pip-version-check \
	  --root-user-action ignore --target .build/python 'python-statemachine==$(STATEMACHINE)'; then
	  echo 'python-statemachine cannot be installed by pip; the row beside it will be left out.' >&2
	fi

diagram-tools-are-there: swift-is-there
	if ! command -v python3 >/dev/null; then $(call install_package,python3); fi
	if ! python3 -m pip --version >/dev/null 2>&1; then $(call install_package,python3-pip); fi
	if ! command -v dot >/dev/null; then $(call install_package,graphviz); fi
	if ! command -v plantuml >/dev/null; then $(call install_package,plantuml); fi
	if ! command -v chromium >/dev/null; then $(call install_package,chromium); fi

page-tools-are-there: swift-is-there
	if ! command -v python3 >/dev/null; then $(call install_package,python3); fi
	if ! command -v dot >/dev/null; then $(call install_package,graphviz); fi
	if ! command -v chromium >/dev/null; then $(call install_package,chromium); fi

# Both programs at once; SwiftPM shows how far it is.
define build_quickly
  echo 'Building fsmd and fsmrepl: two or three minutes the first time.'
  $(ONLY_PROGRAMS) $(QUICK) $(WITHOUT_REMARKS)
endef

define build_programs
  echo 'Building fsmd and fsmrepl for speed (the first time takes some minutes).'
  $(ONLY_PROGRAMS) $(RELEASE)
  Tools/try_programs.sh .build/release
endef

# Installs one Debian package without a question, as root or through sudo; says what to do where it cannot.
define install_package
  echo 'Installing $(1), which is missing.'
  if ! command -v apt-get >/dev/null; then
    echo '$(1) is missing, and this is no Debian: install what your system calls it, and try again.' >&2
    exit 1
  fi
  as_root=
  if [ "$$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo '$(1) is missing: run "apt-get install $(1)" as root, and try again.' >&2
      exit 1
    fi
    as_root=sudo
    [ -t 0 ] || as_root='sudo -n'
  fi
  if ! said=$$( ($$as_root apt-get update -qq || true) 2>&1 &&
    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -qq \
      --no-install-recommends $(1) 2>&1); then
    printf '%s\n' "$$said" '$(1) could not be installed; apt-get says why above.' >&2
    exit 1
  fi
endef
