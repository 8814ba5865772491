#!/bin/bash
# Tries two programs that were built for speed: try_programs.sh FOLDER
#
# The tests are of the quick build, and only in this one are all modules optimised together. All demos, examples and
# transcripts of documents are played, and a durable world outlives its daemon, which is killed after a long step.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=$(cd "$1" && pwd)
folder=$(mktemp -d)
export HOME=$folder XDG_STATE_HOME=$folder/state
unset FSMD_SOCKET
daemon=
trap '[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; rm -rf "$folder"' EXIT

# ask REQUEST...: of the daemon, which is started if it does not run.
ask() {
  local request arguments=()
  if [ -z "$daemon" ]; then
    "$programs/fsmd" --socket "$folder/socket" 2>>"$folder/log" &
    daemon=$!
    for try in $(seq 100); do
      [ ! -S "$folder/socket" ] || break
      sleep 0.1
    done
  fi
  for request; do arguments+=(-e "$request"); done
  "$programs/fsmrepl" -s "$folder/socket" "${arguments[@]}" >>"$folder/said" 2>&1
}

failed() {
  echo "The programs in $1 are wrong: $2" >&2
  tail -n 20 "$folder/log" "$folder/said" >&2
  exit 1
}

: >"$folder/log"
"$programs/fsmrepl" run --private -k Demos Examples/Statecharts >"$folder/said" 2>&1 || {
  grep -A 5 '^not ok\|^fsmrepl:' "$folder/said" >&2 || true
  failed "$1" 'a demo or an example fails.'
}
"$programs/fsmrepl" check --private -k Docs >"$folder/said" 2>&1 || failed "$1" 'a transcript of a document differs.'
ask 'world new long clock=virtual durable=yes' 'use long' 'new fridge cold' 'advance 10d' 'undo' 'redo' \
  || failed "$1" 'a long step fails.'
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
daemon=
rm "$folder/socket"
ask 'use long' 'list' 'advance 10d' || failed "$1" 'a world is not restored.'
ask shutdown
wait "$daemon"
daemon=
"$programs/fsmd" verify >>"$folder/said" 2>&1 || failed "$1" 'what a world has stored is not what happens again.'
grep -q '^long inputs .* good ' "$folder/said" || failed "$1" 'a durable world is not in the store.'
