// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directory of one node: its settings, its logs, its data. Settings are the same for every
 * strategy: no throttle, two compactors, caches off, memtables too large to flush by themselves.
 */
record NodeFiles(Path root) {

  /**
   * Copied into the settings; every size that could make one strategy's flushes differ is fixed.
   */
  private static final String YAML =
      """
      cluster_name: coppice
      num_tokens: 1
      partitioner: org.apache.cassandra.dht.Murmur3Partitioner
      endpoint_snitch: SimpleSnitch
      auto_bootstrap: false
      seed_provider:
        - class_name: org.apache.cassandra.locator.SimpleSeedProvider
          parameters: [{seeds: "127.0.0.1:%2$d"}]
      listen_address: 127.0.0.1
      rpc_address: 127.0.0.1
      native_transport_port: %1$d
      storage_port: %2$d
      data_file_directories: ["%3$s/data"]
      commitlog_directory: "%3$s/commitlog"
      hints_directory: "%3$s/hints"
      saved_caches_directory: "%3$s/caches"
      cdc_raw_directory: "%3$s/cdc"
      commitlog_sync: periodic
      commitlog_sync_period: 10000ms
      commitlog_total_space: 8192MiB
      disk_failure_policy: stop
      commit_failure_policy: stop
      auto_snapshot: false
      hinted_handoff_enabled: false
      uuid_sstable_identifiers_enabled: false
      memtable_allocation_type: heap_buffers
      memtable_heap_space: 512MiB
      memtable_flush_writers: 1
      concurrent_compactors: 2
      compaction_throughput: 0MiB/s
      key_cache_size: 0MiB
      row_cache_size: 0MiB
      counter_cache_size: 0MiB
      read_request_timeout: 60000ms
      range_request_timeout: 60000ms
      write_request_timeout: 60000ms
      truncate_request_timeout: 60000ms
      request_timeout: 60000ms
      native_transport_timeout: 60000ms
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

  Path yaml() {
    return root.resolve("cassandra.yaml");
  }

  Path logback() {
    return root.resolve("logback.xml");
  }

  Path log() {
    return root.resolve("system.log");
  }

  /** What the process itself printed. */
  Path output() {
    return root.resolve("output.log");
  }

  /** Writes the settings; logs of earlier starts are kept beside under a number. */
  void write(NodePorts ports) throws IOException {
    Files.createDirectories(root);
    for (int start = 1; Files.exists(log()); start++) {
      Path earlier = root.resolve("system." + start + ".log");
      if (!Files.exists(earlier)) {
        Files.move(log(), earlier);
      }
    }
    Files.writeString(yaml(), YAML.formatted(ports.cql(), ports.storage(), root));
    Files.writeString(logback(), LOGBACK.formatted(log()));
  }
}
