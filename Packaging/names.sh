# What the scripts of this folder share: to be read by a shell, in the folder of the project.

# The version of the programs, or VERSION, for a package of the same programs under another one.
VERSION=${VERSION:-$(sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/LineProtocol/*/Release.swift)}
# The oldest C library on which the programs run: Debian 12's.
GLIBC=2.36
# Times in packages are that of the commit, so that two builds of it are equal.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC
umask 022

# Fills a folder with what both kinds of packages have: gather shared|static FOLDER
gather() {
  local programs=.build/package/$1 folder=$2 program
  Packaging/build.sh "$1"
  rm -rf "$folder"
  mkdir -p "$folder"/completions/{bash,zsh,fish} "$folder/sbom"
  for program in fsmd fsmrepl; do
    cp "$programs/$program" "Docs/man/$program.1" "$folder"
    "$programs/$program" --completion bash >"$folder/completions/bash/$program"
    "$programs/$program" --completion zsh >"$folder/completions/zsh/_$program"
    "$programs/$program" --completion fish >"$folder/completions/fish/$program.fish"
    python3 -B Packaging/sbom.py "$VERSION" "$(git rev-parse HEAD)" "$programs/$program" "$programs/symbols/$program" \
      "$folder/sbom/$program.spdx.json" "$folder/licences"
  done
  cp -r Lessons "$folder"
}
