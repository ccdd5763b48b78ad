#!/bin/sh
# Builds Centrifugo in the version of go.mod into the cache, unless it is there, and prints its path.
# Needs Go, and the Go module proxy where the modules are not in Go's own cache.
set -eu
cd "$(dirname "$0")"
version=$(sed -n 's|.*github.com/centrifugal/centrifugo/v6 v\([^ ]*\).*|\1|p' go.mod)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/parallax/centrifugo-$version
if [ ! -x "$folder/centrifugo" ]; then
  command -v go >/dev/null || { echo 'centrifugo: Go is missing' >&2; exit 1; }
  mkdir -p "$folder"
  work=$(mktemp -d "$folder/.build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  # Without the flag, the program calls itself version 0.0.0.
  CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$work/centrifugo" \
    -ldflags "-s -w -X github.com/centrifugal/centrifugo/v6/internal/build.Version=$version" \
    github.com/centrifugal/centrifugo/v6 >&2
  mv "$work/centrifugo" "$folder/centrifugo"
fi
echo "$folder/centrifugo"
