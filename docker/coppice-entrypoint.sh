#!/usr/bin/env bash
# Looks whether this image can run a node with Coppice's strategies, and hands over to Cassandra's
# own entrypoint. Other commands, such as nodetool and cqlsh, are handed over as they are.
# Ends with 65 on another Cassandra line, 66 without a readable plugin, 67 on a Java before 17.
set -euo pipefail

home="${CASSANDRA_HOME:-/opt/cassandra}"
line=5.0

refuse() {
  local code=$1
  shift
  echo "coppice: $*" >&2
  exit "$code"
}

cassandra_version() {
  local jar name
  for jar in "$home"/lib/apache-cassandra-*.jar; do
    name="${jar##*/apache-cassandra-}"
    name="${name%.jar}"
    if [[ $name =~ ^[0-9]+\.[0-9]+ ]]; then
      echo "$name"
      return
    fi
  done
}

check_line() {
  local version
  version="$(cassandra_version)"
  [ -n "$version" ] || refuse 65 "there is no Cassandra in $home/lib; set CASSANDRA_HOME"
  case "$version" in
    "$line" | "$line".*) ;;
    *) refuse 65 "this plugin is for Cassandra $line, the image has $version;" \
      "build it with --build-arg BASE=cassandra:5.0.9" ;;
  esac
}

check_plugin() {
  local jars=()
  local jar
  for jar in "$home"/lib/coppice-cassandra-*.jar; do
    if [ -e "$jar" ]; then
      jars+=("$jar")
    fi
  done
  case ${#jars[@]} in
    1) ;;
    0) refuse 66 "there is no coppice-cassandra-$line-*.jar in $home/lib" ;;
    *) refuse 66 "there is more than one plugin in $home/lib, keep one: ${jars[*]##*/}" ;;
  esac
  # The node runs as a user of its own, while this runs as root, which may read everything.
  [ -n "$(find "${jars[0]}" -perm -o=r)" ] ||
    refuse 66 "Cassandra's user may not read ${jars[0]}; its mode must be 0644"
}

check_java() {
  local java=java
  if [ -n "${JAVA_HOME:-}" ]; then
    java="$JAVA_HOME/bin/java"
  fi
  command -v "$java" > /dev/null || refuse 67 "there is no Java at $java; 17 is needed"
  local first
  first="$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)" || true
  [ "${first:-0}" -ge 17 ] || refuse 67 "Java ${first:-of unknown version} at $java; 17 is needed"
}

if [ $# -eq 0 ] || [ "$1" = cassandra ] || [ "${1:0:1}" = - ]; then
  check_line
  check_plugin
  check_java
fi
exec docker-entrypoint.sh "$@"
