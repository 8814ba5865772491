#!/bin/bash
# Makes the Debian packages fsmd and fsmrepl in .build/packages, and has lintian look at them.
# VERSION=0.1.1 packs the same programs under another version.
set -euo pipefail
cd "$(dirname "$0")/.."
. Packaging/names.sh
folder=.build/deb/fsmd-$VERSION
gather shared "$folder"
cp -r Packaging/debian "$folder"
mkdir -p "$folder/news"
cp CHANGELOG.md "$folder/news/NEWS.md"
cp Packaging/systemd/fsmd-class.{socket,service} "$folder"
cp Packaging/systemd/fsmd.user.{socket,service} "$folder/debian"
mkdir -p "$folder/sysusers.d"
cp Packaging/systemd/fsmd.sysusers "$folder/sysusers.d/fsmd.conf"
mail=$(git log -1 --format=%ae)
sed -i "s/@MAIL@/$mail/" "$folder/debian/control"
cat >"$folder/debian/changelog" <<END
fsmd ($VERSION) unstable; urgency=medium

  * Made of commit $(git rev-parse --short=12 HEAD).
    NEWS.md.gz beside this file has the changes for users.

 -- fsmd maintainers <$mail>  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
(cd "$folder" && dpkg-buildpackage --build=binary --no-sign -d >../log 2>&1) || {
  tail -n 30 .build/deb/log >&2
  exit 1
}
mkdir -p .build/packages
architecture=$(dpkg --print-architecture)
mv .build/deb/{fsmd,fsmrepl}_"${VERSION}_$architecture.deb" .build/packages
lintian --fail-on error --allow-root .build/packages/{fsmd,fsmrepl}_"${VERSION}_$architecture.deb" >&2
ls -l .build/packages/*"_${VERSION}_"*.deb
