#!/usr/bin/env bash
# The stand-in for Cassandra's own entrypoint: starts a node from the jars, or runs another command.
set -euo pipefail

if [ $# -gt 0 ] && [ "$1" != cassandra ]; then
  exec "$@"
fi
exec java -Xms512m -Xmx512m -XX:+UseG1GC \
  --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED \
  --add-exports=java.base/sun.nio.ch=ALL-UNNAMED \
  --add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED \
  --add-opens=java.base/java.io=ALL-UNNAMED \
  --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \
  -Dcassandra-foreground=yes \
  -Dcassandra.config=file:///opt/cassandra/conf/cassandra.yaml \
  -Dcassandra.storagedir=/var/lib/cassandra \
  -Dcassandra.logdir=/var/lib/cassandra \
  -Dcassandra.jmx.local.port=@JMX@ \
  -Dcassandra.skip_wait_for_gossip_to_settle=0 \
  -Dcassandra.ring_delay_ms=100 \
  -Dlogback.configurationFile=/opt/cassandra/conf/logback.xml \
  -cp "/opt/cassandra/conf:/opt/cassandra/lib/*" \
  org.apache.cassandra.service.CassandraDaemon
