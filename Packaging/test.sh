#!/bin/bash
# Tries the packages of .build/packages in clean roots of Debian: test.sh [SUITE]...
#
# A root is made once by debootstrap and kept in .build/roots; each run sees it through an overlay in memory, and
# namespaces of its own. Only root can do this. A suite that cannot be fetched is left out, unless it is the first.
set -euo pipefail
cd "$(dirname "$0")/.."
. Packaging/names.sh
[ $# -gt 0 ] || set -- bookworm trixie
if [ "$(id -u)" != 0 ]; then
  echo 'Only root can make the root of another Debian: sudo make test-packages' >&2
  exit 1
fi
mirror=${MIRROR:-http://deb.debian.org/debian}
first=$1
mkdir -p .build/roots
for suite; do
  root=$PWD/.build/roots/$suite
  if [ ! -e "$root.made" ]; then
    echo "Making a root of $suite (the first time takes some minutes)." >&2
    rm -rf "$root"
    if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1; then
      tail -n 3 "$root.log" >&2
      [ "$suite" != "$first" ] || exit 1
      echo "# $suite left out: its root could not be made"
      continue
    fi
    touch "$root.made"
  fi
  echo "# $suite"
  unshare --mount --pid --fork --kill-child bash -euo pipefail -c '
    root=$1 packages=$2 test=$3
    memory=$(mktemp -d)
    mount -t tmpfs tmpfs "$memory"
    mkdir "$memory"/{upper,work,root}
    mount -t overlay overlay -o "lowerdir=$root,upperdir=$memory/upper,workdir=$memory/work" "$memory/root"
    cd "$memory/root"
    mount -t proc proc proc
    mount --rbind /dev dev
    mkdir packages
    cp "$packages"/*.deb "$packages"/*.tar.gz "$packages"/*.sha256 packages
    cp "$test" packages/test
    cp /etc/resolv.conf etc/resolv.conf
    printf "#!/bin/sh\nexit 101\n" >usr/sbin/policy-rc.d
    chmod +x usr/sbin/policy-rc.d
    status=0
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=xterm VERSION="$4" \
      chroot . /bin/bash /packages/test || status=$?
    cd /
    umount -R -l "$memory"
    rmdir "$memory"
    exit "$status"
  ' bash "$root" "$PWD/.build/packages" "$PWD/Packaging/test-in-root.sh" "$VERSION"
done
