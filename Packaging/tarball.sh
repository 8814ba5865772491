#!/bin/bash
# Makes .build/packages/fsmd-VERSION-linux-ARCH.tar.gz, for any Linux with glibc 2.36 or later, and its checksum.
set -euo pipefail
cd "$(dirname "$0")/.."
. Packaging/names.sh
name=fsmd-$VERSION-linux-$(uname -m)
gather static .build/tarball/parts
folder=.build/tarball/$name
rm -rf "$folder"
mkdir -p "$folder"/bin "$folder"/share/{man/man1,fsmd,doc/fsmd,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
cd .build/tarball/parts
cp fsmd fsmrepl "../$name/bin"
cp fsmd.1 fsmrepl.1 "../$name/share/man/man1"
cp -r Lessons "../$name/share/fsmd"
cp completions/bash/* "../$name/share/bash-completion/completions"
cp completions/zsh/* "../$name/share/zsh/site-functions"
cp completions/fish/* "../$name/share/fish/vendor_completions.d"
cp -r sbom licences "../$name/share/doc/fsmd"
cd "$OLDPWD"
cp LICENSE CHANGELOG.md "$folder/share/doc/fsmd"
sed "s/@GLIBC@/$GLIBC/; s/@VERSION@/$VERSION/" Packaging/README.tarball >"$folder/README"
chmod -R u=rwX,go=rX "$folder"
mkdir -p .build/packages
tar -C .build/tarball --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -c "$name" |
  gzip -9n >".build/packages/$name.tar.gz"
cd .build/packages
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
cat "$name.tar.gz.sha256"
