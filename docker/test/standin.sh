#!/usr/bin/env bash
# Builds the image on a stand-in base by buildah, in chroot isolation, and runs it: a real Cassandra
# with the plugin serves CQL with one of our strategies, and refuses to start without its plugin.
# Needs root, buildah, mmdebstrap, python3 and the built jars. Everything is left in target/docker.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=target/docker
context=$work/standin
mkdir -p "$context/lib" "$context/conf"
plugin=$(find cassandra-plugin/target -maxdepth 1 -name 'coppice-cassandra-5.0-*.jar' \
  ! -name '*-sources.jar' ! -name '*-javadoc.jar' ! -name '*-tests.jar' | head -n 1)
version=${plugin##*/coppice-cassandra-5.0-}
version=${version%.jar}
[ -n "$version" ] || {
  echo "build the jars first: mvn -q verify -DskipTests" >&2
  exit 1
}

if [ ! -e "$context/base.tar" ]; then
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  mmdebstrap --quiet --variant=minbase --include=openjdk-17-jre-headless "$codename" \
    "$context/base.part.tar" - < <(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2> /dev/null ||
      echo "deb http://deb.debian.org/debian $codename main")
  mv "$context/base.part.tar" "$context/base.tar"
fi
(cd "$context" && rm -rf lib node-lib && jar xf ../../../jmh/target/coppice-bench.jar node-lib/ && mv node-lib lib)
rm -f "$context"/lib/coppice-*
# As the official image calls it, where Maven says cassandra-all.
for jar in "$context"/lib/cassandra-all-*.jar; do
  mv "$jar" "${jar/cassandra-all/apache-cassandra}"
done
read -r cql storage_port jmx < <(python3 -c '
import socket
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(s.getsockname()[1] for s in held))')
sed "s/@JMX@/$jmx/" docker/test/standin-entrypoint.sh > "$context/standin-entrypoint.sh"
sed "s/@CQL@/$cql/; s/@STORAGE@/$storage_port/" docker/test/standin.yaml > "$context/conf/cassandra.yaml"
cp docker/test/standin-logback.xml "$context/conf/logback.xml"

storage=(--root "$PWD/$work/images" --runroot "$PWD/$work/run" --storage-driver vfs)
build() {
  buildah "${storage[@]}" bud --quiet --isolation chroot --format docker "$@" > /dev/null
}
build -t coppice-standin -f docker/test/Dockerfile.standin "$context"
build -t coppice-check --build-arg BASE=localhost/coppice-standin --build-arg "VERSION=$version" \
  -f docker/Dockerfile .

container=$(buildah "${storage[@]}" from --pull-never localhost/coppice-check)
node=
end() {
  [ -z "$node" ] || kill "$node" 2> /dev/null || true
  pkill -f -- "-Dcassandra.jmx.local.port=$jmx" 2> /dev/null || true
  buildah "${storage[@]}" rm "$container" > /dev/null 2>&1 || true
}
trap end EXIT
run() {
  buildah "${storage[@]}" run --isolation chroot "$container" -- "$@"
}

mode=$(run stat -c %a "/opt/cassandra/lib/coppice-cassandra-5.0-$version.jar")
if [ "$mode" != 644 ]; then
  echo "the plugin's mode is not 0644 but '$mode'" >&2
  exit 1
fi

run coppice-entrypoint.sh cassandra -f > "$work/node.log" 2>&1 &
node=$!
SECONDS=0
until bash -c ": < /dev/tcp/127.0.0.1/$cql" 2> /dev/null; do
  if ! kill -0 "$node" 2> /dev/null || [ "$SECONDS" -gt 900 ]; then
    echo "the node did not start:" >&2
    tail -n 20 "$work/node.log" >&2
    exit 1
  fi
  sleep 1
done

[ -x "$work/cqlsh/bin/cqlsh" ] || {
  python3 -m venv "$work/cqlsh"
  "$work/cqlsh/bin/pip" install --quiet cqlsh
}
sed "s/'replication_factor': 3/'replication_factor': 1/" docker/example.cql > "$work/example.cql"
ask() {
  "$work/cqlsh/bin/cqlsh" --connect-timeout=60 --request-timeout=300 "$@" 127.0.0.1 "$cql"
}
ask -f "$work/example.cql"
# Not -q: grep would end at the first match, and cqlsh by a broken pipe.
ask -e 'SELECT count(*) FROM example.events' | grep ' 3$' > /dev/null
ask -e 'DESCRIBE TABLE example.events' | grep SplitForestCompactionStrategy > /dev/null
java -jar engine/tool/target/coppice-tool.jar preflight --jmx "127.0.0.1:$jmx"
end
node=

# Each container is thrown away by end().
container=$(buildah "${storage[@]}" from --pull-never localhost/coppice-check)
run rm "/opt/cassandra/lib/coppice-cassandra-5.0-$version.jar"
code=0
run coppice-entrypoint.sh cassandra -f 2> "$work/refused.log" || code=$?
if [ "$code" -ne 66 ]; then
  echo "without its plugin the image ended with $code instead of 66" >&2
  exit 1
fi
