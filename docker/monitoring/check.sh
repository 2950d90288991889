#!/usr/bin/env bash
# Checks the monitoring kit on a real Cassandra node and an embedded store, with the exporter's agent from Maven Central
# and Prometheus. Takes about three minutes and 2 GB of memory. Prints a page; ends with 1 if something is missing.
#   mvn -q -DskipTests verify
#   docker/monitoring/check.sh > docs/transcripts/monitoring.md
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
version=1.0.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in java mvn prometheus promtool; do
  command -v "$tool" > /dev/null || { echo "SKIPPED: there is no $tool" >&2; exit 0; }
done
jar=$root/jmh/target/coppice-bench.jar
[ -e "$jar" ] || { echo "$jar is missing: mvn -q -DskipTests verify" >&2; exit 1; }

(cd docker/monitoring && promtool check rules rules.yml && promtool test rules rules-test.yml \
  && promtool check config prometheus.yml) >&2
mvn -q dependency:get -Dtransitive=false \
  -Dartifact="io.prometheus.jmx:jmx_prometheus_javaagent:$version" >&2
mvn -q dependency:copy -Dmdep.useBaseVersion=true -DoutputDirectory="$work" \
  -Dartifact="io.prometheus.jmx:jmx_prometheus_javaagent:$version" >&2
agent=$work/jmx_prometheus_javaagent-$version.jar

java "-javaagent:$agent=127.0.0.1:29405:$root/docker/monitoring/jmx-store.yml" -Xmx512m \
  -cp "$jar" docker/monitoring/MonitoringCheck.java "$root/docker/monitoring" "$work" "$agent" "$jar"
