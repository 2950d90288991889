#!/usr/bin/env bats
# What the image's entrypoint lets pass and what it refuses. By itself with a stand-in for Cassandra's
# entrypoint and for java; with IMAGE set, the same in a container of that image.

setup() {
  root="$(mktemp -d)"
  export CASSANDRA_HOME="$root/cassandra"
  mkdir -p "$CASSANDRA_HOME/lib" "$root/bin"
  touch "$CASSANDRA_HOME/lib/apache-cassandra-5.0.9.jar"
  touch "$CASSANDRA_HOME/lib/coppice-cassandra-5.0-1.0.0.jar"
  chmod 0644 "$CASSANDRA_HOME"/lib/*.jar
  printf '#!/bin/sh\necho "handed over: $*"\n' > "$root/bin/docker-entrypoint.sh"
  java_says 17.0.15
  chmod 0755 "$root"/bin/*
  unset JAVA_HOME
  export PATH="$root/bin:$PATH"
  script="$BATS_TEST_DIRNAME/../coppice-entrypoint.sh"
}

teardown() {
  rm -rf "$root"
}

java_says() {
  printf '#!/bin/sh\necho "openjdk version \\"%s\\" 2025-04-15" >&2\n' "$1" > "$root/bin/java"
  chmod 0755 "$root/bin/java"
}

@test "a node of the line is handed over with its arguments" {
  run "$script" cassandra -f
  [ "$status" -eq 0 ]
  [ "$output" = "handed over: cassandra -f" ]
}

@test "arguments alone are a node, too" {
  rm "$CASSANDRA_HOME"/lib/coppice-*.jar
  run "$script" -f
  [ "$status" -eq 66 ]
}

@test "other commands are handed over unchecked" {
  rm "$CASSANDRA_HOME"/lib/*.jar
  run "$script" nodetool status
  [ "$status" -eq 0 ]
  [ "$output" = "handed over: nodetool status" ]
}

@test "another line is refused by its version" {
  mv "$CASSANDRA_HOME/lib/apache-cassandra-5.0.9.jar" "$CASSANDRA_HOME/lib/apache-cassandra-4.1.7.jar"
  run "$script" cassandra -f
  [ "$status" -eq 65 ]
  [[ "$output" == *"for Cassandra 5.0, the image has 4.1.7"* ]]
}

@test "5.01 is not taken for 5.0" {
  mv "$CASSANDRA_HOME/lib/apache-cassandra-5.0.9.jar" "$CASSANDRA_HOME/lib/apache-cassandra-5.01.jar"
  run "$script" cassandra -f
  [ "$status" -eq 65 ]
}

@test "a place without Cassandra is refused" {
  rm "$CASSANDRA_HOME/lib/apache-cassandra-5.0.9.jar"
  run "$script" cassandra -f
  [ "$status" -eq 65 ]
  [[ "$output" == *"no Cassandra in"* ]]
}

@test "a missing plugin is refused" {
  rm "$CASSANDRA_HOME"/lib/coppice-*.jar
  run "$script" cassandra -f
  [ "$status" -eq 66 ]
  [[ "$output" == *"no coppice-cassandra-5.0-*.jar"* ]]
}

@test "two plugins are refused, both named" {
  touch "$CASSANDRA_HOME/lib/coppice-cassandra-5.0-1.1.0.jar"
  run "$script" cassandra -f
  [ "$status" -eq 66 ]
  [[ "$output" == *"1.0.0.jar"*"1.1.0.jar"* ]]
}

@test "a plugin that Cassandra's user may not read is refused, by root as well" {
  chmod 0600 "$CASSANDRA_HOME"/lib/coppice-*.jar
  run "$script" cassandra -f
  [ "$status" -eq 66 ]
  [[ "$output" == *"0644"* ]]
}

@test "an older Java is refused by its version" {
  java_says 11.0.23
  run "$script" cassandra -f
  [ "$status" -eq 67 ]
  [[ "$output" == *"Java 11"* ]]
}

@test "Java 8, which counts from 1, is refused" {
  java_says 1.8.0_412
  run "$script" cassandra -f
  [ "$status" -eq 67 ]
}

@test "the image has plugin, tool and entrypoint in place" {
  [ -n "${IMAGE:-}" ] || skip "IMAGE is not set"
  run docker run --rm --entrypoint bash "$IMAGE" -c \
    'ls /opt/cassandra/lib/coppice-cassandra-5.0-*.jar /opt/coppice/coppice-tool.jar && command -v coppice-entrypoint.sh'
  [ "$status" -eq 0 ]
}

@test "the image refuses to start without its plugin" {
  [ -n "${IMAGE:-}" ] || skip "IMAGE is not set"
  run docker run --rm --entrypoint bash "$IMAGE" -c \
    'rm /opt/cassandra/lib/coppice-*.jar && coppice-entrypoint.sh cassandra -f'
  [ "$status" -eq 66 ]
}
