#!/usr/bin/env bash
# Compares the processor time per operation of two versions of the engine. Builds the engine of both
# commits, then runs OperationCost on both in turn, as often as asked, and prints for each load the
# ratio before / now of every pair: above 1 the second version is cheaper. The order within a pair
# changes from pair to pair. The last columns are the median and the interval that holds the median
# with 96 % confidence for nine pairs (the second lowest to the second highest ratio).
# The clock of processor time has steps of 10 ms and the compilers take seconds, so few keys make a
# pair coarse.
# Usage: docs/benchmarks/pairs/pairs.sh BEFORE NOW [PAIRS [KEYS]]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
before="${1:?commit before}"
now="${2:?commit now}"
pairs="${3:-9}"
keys="${4:-3000000}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

build() {
  git clone -q "$root" "$work/$1"
  (cd "$work/$1" && git checkout -q "$2" && mvn -q -f engine package -DskipTests -Dspotless.check.skip)
  cp "$(find "$work/$1/engine" -name 'coppice-tool.jar')" "$work/$1.jar"
  rm -rf "${work:?}/$1"
}

run() {
  java -XX:+UseParallelGC -Xms1g -Xmx1g --enable-native-access=ALL-UNNAMED -cp "$work/$1.jar" \
    "$here/OperationCost.java" "$keys" "$2" > "$work/$1.$2"
}

build before "$before"
build now "$now"
for pair in $(seq "$pairs"); do
  if [ $((pair % 2)) = 1 ]; then
    run before "$pair"
    run now "$pair"
  else
    run now "$pair"
    run before "$pair"
  fi
  paste -d' ' "$work/before.$pair" "$work/now.$pair" \
    | awk -v pair="$pair" '{ printf "pair %d %-12s before %8.1f ns  now %8.1f ns  ratio %.3f\n", pair, $1, $2, $4, $2 / $4 }' \
    | tee -a "$work/ratios"
done
for load in fillrandom readrandom readmissing seekrandom; do
  awk -v load="$load" '$3 == load { print $NF }' "$work/ratios" | sort -n \
    | awk -v load="$load" '{ r[NR] = $1 } END { printf "%-12s median %.3f  interval %.3f to %.3f\n", load, r[int((NR + 1) / 2)], r[NR > 4 ? 2 : 1], r[NR > 4 ? NR - 1 : NR] }'
done
