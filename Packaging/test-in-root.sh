# What test.sh does as root in a clean root of Debian, with the packages in /packages. Ends at the first mistake.
set -euo pipefail
NEXT=${VERSION%.*}.$((${VERSION##*.} + 1))
number=0

# ok WHAT COMMAND...: a point of the test.
ok() {
  local what=$1
  shift
  number=$((number + 1))
  if ! "$@" >/tmp/said 2>&1; then
    echo "not ok $number - $what"
    echo "  $*" | head -c 2000
    sed 's/^/  /' /tmp/said | tail -n 20
    exit 1
  fi
  echo "ok $number - $what"
}

# says TEXT COMMAND...: it prints the text, whatever its exit code.
says() {
  local text=$1
  shift
  "$@" >/tmp/out 2>&1 || true
  cat /tmp/out
  grep -qF -- "$text" /tmp/out
}

# silent COMMAND...: it succeeds without a word.
silent() {
  "$@" >/tmp/out 2>&1 || { cat /tmp/out; return 1; }
  cat /tmp/out
  [ ! -s /tmp/out ]
}

not() { ! "$@"; }

# As a person, without the variables of root's session.
as() {
  local user=$1
  shift
  setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups \
    env -i PATH=/usr/bin:/bin HOME="/people/$user" XDG_RUNTIME_DIR="/run/user/$(id -u "$user")" LC_ALL=C.UTF-8 TERM=xterm "$@"
}

# Waits for a condition, 20 seconds at most.
await() {
  local try
  for try in $(seq 200); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  "$@"
}

# A line typed at a terminal, and the end of input.
typed() { script -qec "$1" /dev/null <<<"${2:-quit}"; }

mkdir /people
for user in ann ben; do
  useradd -m -b /people -s /bin/bash "$user"
  mkdir -p "/run/user/$(id -u "$user")"
  chown "$user:" "/run/user/$(id -u "$user")"
  chmod 700 "/run/user/$(id -u "$user")"
done
cat >/tmp/door.fsm <<'END'
new shiftKey key
send key tap
expect key on
END

# The tarball, before anything is installed.
ok 'the checksum of the tarball is right' bash -c 'cd /packages && sha256sum -c *.sha256'
mkdir /srv/tried
tar -xzf /packages/fsmd-*.tar.gz -C /srv/tried
ok 'it has one folder' [ "$(ls /srv/tried | wc -l)" = 1 ]
tree=$(echo /srv/tried/*)
ok 'its programs start' says "fsmd $VERSION" "$tree/bin/fsmd" --version
ok 'a script is played without readline' as ann "$tree/bin/fsmrepl" run /tmp/door.fsm
ok 'the prompt names the package that it needs' says 'apt install libreadline8' typed "$tree/bin/fsmrepl"
ok 'the page names the package that it needs' says 'apt install libmicrohttpd12' \
  timeout 20 "$tree/bin/fsmd" --ephemeral --socket /tmp/s --page 0
ok 'lessons are found' says 'fsmrepl lesson NUMBER' as ann "$tree/bin/fsmrepl" lesson
apt-get update -qq
apt-get install -y -qq --no-install-recommends libreadline8 libmicrohttpd12 >/dev/null 2>&1
ok 'with readline there is a prompt' says "fsmd $VERSION on" typed "$tree/bin/fsmrepl"
ok 'with libmicrohttpd there is a page' says 'page http://127.0.0.1' timeout -s INT 3 \
  "$tree/bin/fsmd" --ephemeral --socket /tmp/s --page 0

# Installed.
architecture=$(dpkg --print-architecture)
install() {
  apt-get install -y -qq --no-install-recommends "/packages/fsmd_$1_$architecture.deb" "/packages/fsmrepl_$1_$architecture.deb"
}
ok 'the packages are installed' install "$VERSION"
ok "the user's socket is enabled" [ -L /etc/systemd/user/sockets.target.wants/fsmd.socket ]
ok 'nothing else is' [ -z "$(find /etc/systemd/system -name '*fsmd*')" ]
ok 'the manual pages are there' [ -e /usr/share/man/man1/fsmd.1.gz -a -e /usr/share/man/man1/fsmrepl.1.gz ]
ok 'bash completes' bash -c '
  source /usr/share/bash-completion/completions/fsmrepl
  COMP_WORDS=(fsmrepl run --tap --ju) COMP_CWORD=3
  _fsmrepl 2>/dev/null
  [ "${COMPREPLY[*]}" = --junit ]'
apt-get install -y -qq --no-install-recommends systemd fish zsh >/dev/null 2>&1
ok 'fish completes' bash -c \
  'fish -c "source /usr/share/fish/vendor_completions.d/fsmd.fish; complete -C \"fsmd --log w\"" | grep -q ^warning'
ok 'zsh takes its completions' zsh -fc 'autoload -Uz compinit && compinit -D -u && [[ $_comps[fsmd] = _fsmd ]] && autoload -U +X _fsmd _fsmrepl'
units=$(dpkg -L fsmd | grep 'lib/systemd/system/fsmd-class.service')
ok 'the units for a class are right' silent systemd-analyze verify --man=no "$units" "${units%service}socket"
ok "the user's units are right" silent env XDG_RUNTIME_DIR=/run HOME=/root systemd-analyze --user verify --man=no /usr/lib/systemd/user/fsmd.{socket,service}
ok 'the unit for a class exposes 2.0 at most' systemd-analyze security --offline=true --threshold=20 "$units"

# Used, as the socket unit has it started.
socket=/run/user/$(id -u ann)/fsmd/fsmd.sock
start() {
  as ann mkdir -p "$(dirname "$socket")"
  as ann systemd-socket-activate -l "$socket" /usr/bin/fsmd 2>>/tmp/log &
  await test -S "$socket"
}
start
daemon=$!
ok 'the first client starts the daemon' says '+ created lamp' as ann fsmrepl -e 'new power lamp' -e 'send lamp buttonClick'
ok 'the prompt says which socket it uses' says "on $socket" as ann bash -c 'script -qec fsmrepl /dev/null <<<quit'
# A long step, a daemon that is killed, and all of it again: what only an optimized program does wrong.
ok 'a long step is made' says '+ advanced' as ann fsmrepl -e 'world new long clock=virtual durable=yes' -e 'use long' \
  -e 'new fridge cold' -e 'advance 10d'
kill -9 "$(grep -o '^[0-9]*' /people/ann/.local/state/fsmd/journal.lock | head -n 1)"
wait "$daemon" || true
rm -f "$socket"
start
daemon=$!
ok 'a killed daemon has its worlds again' says '+ advanced' as ann fsmrepl -e 'use long' -e 'advance 10d'
ok 'and what they did is done again' says 'good' as ann fsmd verify long

# A new version, over a running daemon with a client.
mkfifo /tmp/asked
as ann fsmrepl - </tmp/asked >/tmp/answers &
exec 9>/tmp/asked
echo 'list' >&9
await grep -q 'lamp power on' /tmp/answers
ok 'a new version is installed' install "$NEXT"
ok 'it has the new number' [ "$(dpkg-query -W -f '${Version}' fsmd)" = "$NEXT" ]
echo 'send lamp buttonClick' >&9
ok 'the client goes on with the daemon that runs' await grep -q '+ moved on off' /tmp/answers
echo 'send lamp buttonClick' >&9
exec 9>&-
as ann fsmrepl -e shutdown >/dev/null
wait "$daemon" || true
rm -f "$socket"
start
daemon=$!
ok 'the new daemon has what was stored' says '+ on' as ann fsmrepl -e 'expect lamp on'
ok 'and the store is sound' as ann fsmd verify
as ann fsmrepl -e shutdown >/dev/null
wait "$daemon" || true

# A home folder that cannot be written.
chown root: /people/ben
chmod 755 /people/ben
ok 'a home that cannot be written is named' says '/people/ben/.local' as ben timeout 20 fsmd
other=/run/user/$(id -u ben)/fsmd.sock
as ben systemd-socket-activate -l "$other" /usr/bin/fsmd 2>>/tmp/log &
await test -S "$other"
ok 'also to the client that started the daemon' says '/people/ben/.local' as ben fsmrepl -s "$other" -e 'list'
ok 'a daemon that keeps nothing does without' says '+ created lamp' as ben fsmrepl --private -e 'new power lamp'
ok 'and so does the prompt' says "on /tmp/" as ben bash -c 'script -qec "fsmrepl --private" /dev/null <<<quit'

# Removed, and purged.
ok 'the packages are removed' apt-get remove -y -qq fsmd fsmrepl
ok 'the programs are gone' not ls /usr/bin/fsmd /usr/bin/fsmrepl
ok "a person's worlds are not" [ -s /people/ann/.local/state/fsmd/fsmd.sqlite -o -n "$(ls /people/ann/.local/state/fsmd)" ]
ok 'the packages are purged' apt-get purge -y -qq fsmd fsmrepl
left=$(find / -xdev \( -path /people -o -path /packages -o -path /srv -o -path /run -o -path /proc -o -path /tmp -o -path /var/log \) -prune -o \
  \( -name '*fsmd*' -o -name '*fsmrepl*' \) -print)
ok "nothing is left outside of homes: $left" [ -z "$left" ]
echo "1..$number"
