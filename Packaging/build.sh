#!/bin/bash
# Builds both programs as they are given out, in .build/package: build.sh shared|static
#
# shared: SQLite and Expat are those of the system, which keeps them up to date: for a Debian package.
# static: they are linked in, for a tarball that asks for little of a system.
# The programs are in .build/package/shared or static, stripped; beside them, in symbols, as the linker left them.
set -euo pipefail
cd "$(dirname "$0")/.."
. Packaging/names.sh
how=$1
folder=$PWD/.build/package
flags=(
  -c release --static-swift-stdlib --scratch-path "$folder/build" --disable-index-store -debug-info-format none
  # Nothing in the programs says where they were built.
  -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
  # The linker drops what is not used, joins what is equal, and packs relocations (which glibc reads from 2.36 on).
  -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections
  -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -O2 -Xlinker --no-export-dynamic
  -Xlinker --no-eh-frame-hdr -Xlinker "$PWD/Packaging/discarded.ld"
  # The names of Unicode's characters, half a megabyte: nothing asks for one, and to whoever did, none has a name.
  -Xlinker --wrap=_swift_stdlib_getScalarName -Xlinker "$folder/no-names.o"
)
mkdir -p "$folder"
echo 'long __wrap__swift_stdlib_getScalarName(void) { return 0; }' | gcc -x c -c -o "$folder/no-names.o" -
if [ "$how" = static ]; then
  # A folder with nothing but archives comes first where the linker searches.
  rm -rf "$folder/archives"
  mkdir -p "$folder/archives"
  for library in sqlite3 expat; do
    ln -s "$(gcc -print-file-name="lib$library.a")" "$folder/archives"
    printf 'Name: %s\nDescription: an archive\nVersion: 0\nLibs: -L%s -l%s\nCflags:\n' \
      "$library" "$folder/archives" "$library" >"$folder/archives/$library.pc"
  done
  export PKG_CONFIG_PATH=$folder/archives
fi
for program in fsmd fsmrepl; do
  FSMD_ONLY_PROGRAMS=1 FSMD_BUILD=package swift build "${flags[@]}" --product "$program" >&2
done
mkdir -p "$folder/$how/symbols"
for program in fsmd fsmrepl; do
  cp "$folder/build/release/$program" "$folder/$how/symbols/$program"
  strip --strip-all -o "$folder/$how/$program" "$folder/$how/symbols/$program"
  bytes=$(stat -c %s "$folder/$how/$program")
  # An empty program linked in this way has 4.4 MB; SQLite and Expat, where they are linked in, 1.2.
  case $program-$how in
    fsmd-shared) most=15 ;;
    fsmd-static) most=16 ;;
    fsmrepl-*) most=8 ;;
  esac
  echo "$program ($how): $bytes bytes" >&2
  if [ "$bytes" -gt $((most * 1000 * 1000)) ]; then
    echo "$program is larger than $most MB." >&2
    exit 1
  fi
done
Tools/try_programs.sh "$folder/$how"
python3 -B Packaging/check_floor.py "$GLIBC" "$folder/$how/fsmd" "$folder/$how/fsmrepl"
