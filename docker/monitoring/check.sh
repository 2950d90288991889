#!/usr/bin/env bash
# Checks the monitoring kit on a real Cassandra node and an embedded store, with the exporter's agent from Maven Central
# and Prometheus. Takes about four minutes and 2 GB of memory. Prints a page.
#   mvn -q -DskipTests verify
#   docker/monitoring/check.sh > docs/transcripts/monitoring.md
# Exit codes: 0 nothing is missing, 1 something is missing or failed, 77 SKIPPED because a tool is missing,
# 129, 130 or 143 ended by SIGHUP, SIGINT or SIGTERM with all processes that it has started.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
version=1.0.1
ended=

for tool in java mvn prometheus promtool; do
  command -v "$tool" > /dev/null || { echo "SKIPPED: there is no $tool" >&2; exit 77; }
done
jar=$root/jmh/target/coppice-bench.jar
[ -e "$jar" ] || { echo "$jar is missing: mvn -q -DskipTests verify" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# stop CODE: ends the running child, which ends its own, and then this script. A child runs exactly if $! is not the
# last one that ended: the shell sets $! as it starts a child, so no signal arrives between the two.
stop() {
  trap '' HUP INT TERM
  if [ "${!:-}" != "$ended" ]; then
    kill -TERM $! 2> /dev/null || true
    wait $! || true
  fi
  exit "$1"
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM

# run COMMAND...: in the background, because a shell handles no signal while it waits for a command in the foreground
run() {
  local code=0
  "$@" &
  wait $! || code=$?
  ended=$!
  return "$code"
}

kit=docker/monitoring
run promtool check rules "$kit/rules.yml" >&2
run promtool test rules "$kit/rules-test.yml" >&2
run promtool check config "$kit/prometheus.yml" >&2
run mvn -q dependency:get -Dtransitive=false \
  -Dartifact="io.prometheus.jmx:jmx_prometheus_javaagent:$version" >&2
run mvn -q dependency:copy -Dmdep.useBaseVersion=true -DoutputDirectory="$work" \
  -Dartifact="io.prometheus.jmx:jmx_prometheus_javaagent:$version" >&2
agent=$work/jmx_prometheus_javaagent-$version.jar

run java "-javaagent:$agent=127.0.0.1:29405:$root/docker/monitoring/jmx-store.yml" -Xmx512m \
  -cp "$jar" docker/monitoring/MonitoringCheck.java "$root/docker/monitoring" "$work" "$agent" "$jar"
