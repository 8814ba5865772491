#!/bin/bash
# Makes the tarball of this commit in another folder, and compares it with the one in .build/packages. Takes as long as
# the first build of it.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "$(git status --porcelain)" ]; then
  echo 'There are changes that are not committed: two builds of one commit cannot be compared.' >&2
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone -q . "$folder/other"
"$folder/other/Packaging/tarball.sh" >/dev/null
for sum in .build/packages/*.sha256; do
  cmp "$sum" "$folder/other/.build/packages/$(basename "$sum")"
  cat "$sum"
done
echo 'Two builds in two folders are equal.'
