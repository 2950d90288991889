// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The files and system properties of one node of its own, on loopback, where clients and JMX are
 * off. The value of {@code coppice.node.yaml} follows the settings in cassandra.yaml.
 *
 * @param home everything the node writes lies below
 * @param dataDirectories how many, at least 1
 * @param variety its format of SSTables and number of tokens count
 */
public record NodeFiles(Path home, int dataDirectories, Variety variety) {

  private static final Variety USUAL = Variety.chosenOr(Variety.PLAIN);

  /** A node as {@code -Dcoppice.node=} says, else a plain one. */
  public NodeFiles(Path home, int dataDirectories) {
    this(home, dataDirectories, USUAL);
  }

  /** A home below target/, emptied. */
  public static NodeFiles fresh(String name, int dataDirectories) {
    return fresh(name, dataDirectories, USUAL);
  }

  /** A home below target/, emptied. */
  public static NodeFiles fresh(String name, int dataDirectories, Variety variety) {
    Path home = Path.of(System.getProperty("coppice.target"), "nodes", name).toAbsolutePath();
    try {
      if (Files.exists(home)) {
        try (Stream<Path> files = Files.walk(home)) {
          for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(file);
          }
        }
      }
      Files.createDirectories(home);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new NodeFiles(home, dataDirectories, variety);
  }

  /** The data directories, in the order in which the node numbers them. */
  public Stream<Path> data() {
    return IntStream.range(0, dataDirectories).mapToObj(i -> home.resolve("data" + i));
  }

  /** The node's own log. */
  public Path log() {
    return home.resolve("system.log");
  }

  /** Writes the files and says what the node's JVM must be told. */
  public Map<String, String> prepare() {
    try {
      Files.writeString(home.resolve("cassandra.yaml"), yaml());
      Files.writeString(home.resolve("logback.xml"), logback());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("cassandra-foreground", "yes");
    properties.put("cassandra.config", home.resolve("cassandra.yaml").toUri().toString());
    properties.put("cassandra.storagedir", home.toString());
    properties.put("cassandra.logdir", home.toString());
    properties.put("logback.configurationFile", home.resolve("logback.xml").toString());
    properties.put("cassandra.skip_wait_for_gossip_to_settle", "0");
    properties.put("cassandra.ring_delay_ms", "100");
    properties.put("cassandra.superuser_setup_delay_ms", "0");
    properties.put("cassandra.size_recorder_interval", "0");
    // What the node would measure, for a second and more, at each start.
    properties.put("cassandra.memtable.row_overhead_size", "124");
    // A process that dies leaves what it wrote to the operating system, synced or not.
    properties.put("cassandra.skip_sync", "true");
    // Else a tombstone counts as droppable up to a minute late.
    properties.put("cassandra.streaminghistogram.roundseconds", "1");
    // The default role's password is hashed at each start; fewest rounds.
    properties.put("cassandra.auth_bcrypt_gensalt_log2_rounds", "4");
    properties.put("coppice.node", variety.toString());
    // Cassandra reports leaked references in either case. With true it also records where each was
    // taken, which costs a third of the processor time.
    properties.put(
        "cassandra.debugrefcount", System.getProperty("cassandra.debugrefcount", "false"));
    properties.put("cassandra.strict.runtime.checks", "true");
    return properties;
  }

  private String yaml() throws IOException {
    String data = data().map(path -> "  - " + path + "\n").collect(Collectors.joining());
    int port = freePort();
    return """
          cluster_name: coppice-test
          num_tokens: %d
          partitioner: org.apache.cassandra.dht.Murmur3Partitioner
          endpoint_snitch: SimpleSnitch
          seed_provider:
            - class_name: org.apache.cassandra.locator.SimpleSeedProvider
              parameters:
                - seeds: "127.0.0.1:%d"
          listen_address: 127.0.0.1
          rpc_address: 127.0.0.1
          storage_port: %d
          start_native_transport: false
          data_file_directories:
          %scommitlog_directory: %s/commitlog
          hints_directory: %s/hints
          saved_caches_directory: %s/saved_caches
          cdc_raw_directory: %s/cdc
          commitlog_sync: periodic
          commitlog_sync_period: 10000ms
          commitlog_segment_size: 8MiB
          disk_failure_policy: stop
          commit_failure_policy: stop
          auto_snapshot: false
          incremental_backups: false
          snapshot_before_compaction: false
          concurrent_compactors: 2
          compaction_throughput: 0MiB/s
          sstable_preemptive_open_interval: 1MiB
          memtable_heap_space: 64MiB
          memtable_offheap_space: 64MiB
          memtable_allocation_type: offheap_objects
          concurrent_reads: 4
          concurrent_writes: 4
          read_request_timeout: 60s
          range_request_timeout: 60s
          write_request_timeout: 60s
          truncate_request_timeout: 60s
          key_cache_size: 1MiB
          row_cache_size: 0MiB
          counter_cache_size: 0MiB
          file_cache_enabled: false
          sstable:
            selected_format: %s
          storage_compatibility_mode: %s
          """
        .formatted(
            variety.has("tokens") ? 16 : 1,
            port,
            port,
            data,
            home,
            home,
            home,
            home,
            variety.has("bti") ? "bti" : "big",
            variety.has("bti") ? "NONE" : "CASSANDRA_4")
        .concat(System.getProperty("coppice.node.yaml", ""));
  }

  /**
   * Returns a port of the loopback address that no process uses now. Any process may take it until
   * the caller does, so a caller asks right before it opens the port.
   */
  public static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private String logback() {
    return """
        <configuration>
          <appender name="FILE" class="ch.qos.logback.core.FileAppender">
            <file>%s</file>
            <encoder><pattern>%%-5level [%%thread] %%date{ISO8601} %%logger{0} - %%msg%%n</pattern></encoder>
          </appender>
          <root level="INFO"><appender-ref ref="FILE"/></root>
        </configuration>
        """
        .formatted(log());
  }
}
