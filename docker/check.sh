#!/usr/bin/env bash
# Checks of the image without a container engine, each SKIPPED where its tool is missing:
# hadolint, ShellCheck, bats, the compose schema, and with --build the image itself, built and run by
# buildah on a stand-in for the official image. That one takes minutes, root and 1 GB of disk.
# Ends with 1 if one failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

failed=0
passed=0
skipped=0

check() {
  local name=$1 tool=$2
  shift 2
  if ! command -v "$tool" > /dev/null; then
    echo "SKIPPED  $name: there is no $tool"
    skipped=$((skipped + 1))
  elif "$@"; then
    echo "ok       $name"
    passed=$((passed + 1))
  else
    echo "FAILED   $name"
    failed=$((failed + 1))
  fi
}

modes() {
  local file
  for file in docker/coppice-entrypoint.sh docker/check.sh docker/monitoring/check.sh \
    docker/test/standin-entrypoint.sh; do
    if [ ! -x "$file" ]; then
      echo "$file is not executable"
      return 1
    fi
  done
}

check "modes of the scripts" bash modes
check "scripts" shellcheck shellcheck docker/*.sh docker/monitoring/*.sh docker/test/*.sh
check "entrypoint" bats bats docker/test/entrypoint.bats
check "Dockerfiles" hadolint hadolint docker/Dockerfile docker/test/Dockerfile.standin
check "compose file" check-jsonschema \
  check-jsonschema --builtin-schema vendor.compose-spec docker/compose.yaml
if [ "${1:-}" = --build ]; then
  if [ "$(id -u)" = 0 ]; then
    check "image on a stand-in base" buildah docker/test/standin.sh
  else
    echo "SKIPPED  image on a stand-in base: that needs root"
    skipped=$((skipped + 1))
  fi
else
  echo "SKIPPED  image on a stand-in base: that takes minutes; docker/check.sh --build"
  skipped=$((skipped + 1))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
