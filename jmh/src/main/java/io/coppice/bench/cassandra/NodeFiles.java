// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directory of one node: its settings, logs and data. Single nodes are measured and have the
 * same settings for every strategy: no throttle, two compactors, caches off, memtables too large to
 * flush by themselves. Nodes of a cluster have small settings and Cassandra's own throttle and
 * hints.
 */
record NodeFiles(Path root) {

  /** Identity of the node: tokens, seeds, addresses, ports. */
  private static final String PLACE =
      """
      num_tokens: %1$d
      initial_token: %2$s
      auto_bootstrap: %3$s
      seed_provider:
        - class_name: org.apache.cassandra.locator.SimpleSeedProvider
          parameters: [{seeds: "%4$s:%7$d"}]
      listen_address: %5$s
      rpc_address: %5$s
      native_transport_port: %6$d
      storage_port: %7$d
      """;

  private static final String COMMON =
      """
      cluster_name: coppice
      partitioner: org.apache.cassandra.dht.Murmur3Partitioner
      endpoint_snitch: SimpleSnitch
      data_file_directories: ["%1$s/data"]
      commitlog_directory: "%1$s/commitlog"
      hints_directory: "%1$s/hints"
      saved_caches_directory: "%1$s/caches"
      cdc_raw_directory: "%1$s/cdc"
      commitlog_sync: periodic
      commitlog_sync_period: 10000ms
      disk_failure_policy: stop
      commit_failure_policy: stop
      auto_snapshot: false
      uuid_sstable_identifiers_enabled: false
      memtable_allocation_type: heap_buffers
      memtable_flush_writers: 1
      row_cache_size: 0MiB
      """;

  /** Every size that could make one strategy's flushes differ is fixed. */
  private static final String MEASURED =
      """
      commitlog_total_space: 8192MiB
      hinted_handoff_enabled: false
      memtable_heap_space: 512MiB
      concurrent_compactors: 2
      compaction_throughput: 0MiB/s
      key_cache_size: 0MiB
      counter_cache_size: 0MiB
      read_request_timeout: 60000ms
      range_request_timeout: 60000ms
      write_request_timeout: 60000ms
      truncate_request_timeout: 60000ms
      request_timeout: 60000ms
      native_transport_timeout: 60000ms
      """;

  /** Several nodes on one machine: little of everything, and patience with each other. */
  private static final String SMALL =
      """
      commitlog_segment_size: 8MiB
      commitlog_total_space: 128MiB
      memtable_heap_space: 48MiB
      concurrent_reads: 4
      concurrent_writes: 8
      concurrent_counter_writes: 4
      concurrent_compactors: 1
      key_cache_size: 4MiB
      counter_cache_size: 2MiB
      networking_cache_size: 16MiB
      repair_session_space: 16MiB
      read_request_timeout: 20000ms
      range_request_timeout: 20000ms
      write_request_timeout: 20000ms
      truncate_request_timeout: 60000ms
      request_timeout: 20000ms
      """;

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="FILE" class="ch.qos.logback.core.FileAppender">
          <file>%s</file>
          <encoder><pattern>%%-5level [%%thread] %%date{ISO8601} %%logger{0} - %%msg%%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="FILE"/></root>
      </configuration>
      """;

  private static final String TOOL_LOGBACK =
      """
      <configuration>
        <appender name="STDERR" class="ch.qos.logback.core.ConsoleAppender">
          <target>System.err</target>
          <encoder><pattern>%-5level %date{"HH:mm:ss,SSS"} %msg%n</pattern></encoder>
        </appender>
        <root level="WARN"><appender-ref ref="STDERR"/></root>
      </configuration>
      """;

  Path yaml() {
    return root.resolve("cassandra.yaml");
  }

  Path logback() {
    return root.resolve("logback.xml");
  }

  /** Returns the log settings of nodetool, as in Cassandra's own settings for tools. */
  Path toolLogback() {
    return root.resolve("logback-tools.xml");
  }

  Path log() {
    return root.resolve("system.log");
  }

  /** Returns the file with the output of the process. */
  Path output() {
    return root.resolve("output.log");
  }

  /** Writes the settings of a node alone. */
  void write(NodePorts ports) throws IOException {
    String loopback = "127.0.0.1";
    write(
        PLACE.formatted(1, "", false, loopback, loopback, ports.cql(), ports.storage()) + MEASURED);
  }

  /** Writes the settings of a node in a cluster. */
  void write(NodePorts ports, Seat seat) throws IOException {
    String place =
        PLACE.formatted(
            seat.tokens().size(),
            seat.replaces() ? "" : seat.tokenText(),
            seat.replaces(),
            seat.seed(),
            seat.address(),
            ports.cql(),
            ports.storage());
    write(place + SMALL);
  }

  /** Logs of earlier starts are kept beside under a number. */
  private void write(String own) throws IOException {
    Files.createDirectories(root);
    for (int start = 1; Files.exists(log()); start++) {
      Path earlier = root.resolve("system." + start + ".log");
      if (!Files.exists(earlier)) {
        Files.move(log(), earlier);
      }
    }
    Files.writeString(yaml(), COMMON.formatted(root) + own);
    Files.writeString(logback(), LOGBACK.formatted(log()));
    Files.writeString(toolLogback(), TOOL_LOGBACK);
  }
}
