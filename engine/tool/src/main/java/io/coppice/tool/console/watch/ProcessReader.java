// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.base.bytes.NameText;
import io.coppice.policy.observe.OpenRecords;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/**
 * A reader of one process. It reads Coppice beans at every sample, with two calls per table, and
 * Cassandra's beans, with one call per metric, at every fifth. Used by one thread.
 */
public final class ProcessReader {

  private static final int STOCK_EVERY = 5;

  // Name of the plugin's jar, and the versions of Cassandra and the JDK that the plugin needs.
  private static final Pattern JAR = Pattern.compile("coppice-cassandra-5\\.0-[^:;/\\\\]*\\.jar");
  private static final String CASSANDRA = "5\\.0([.-].*)?";
  private static final int JDK = 17;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Beans beans;
  private final Map<String, LiveTable.Figures> stock = new HashMap<>();
  private final Map<String, String> parameters = new HashMap<>();
  private List<ObjectName> tables = List.of();
  private String version = "";
  private ProcessStatus.Limits limits = ProcessStatus.Limits.UNKNOWN;
  private boolean plugin;
  private int samples;

  public ProcessReader(Beans beans) {
    this.beans = beans;
  }

  public Beans beans() {
    return beans;
  }

  /**
   * Takes one sample of the process and waits for its answers.
   *
   * @param wanted tests whether the map of a table id is wanted
   * @param nowMillis the time of the sample, in milliseconds since 1970
   * @throws IOException if the connection is lost
   */
  public ProcessStatus sample(Predicate<String> wanted, long nowMillis) throws IOException {
    if (samples++ % STOCK_EVERY == 0) {
      readStock();
    }
    List<LiveTable> found = new ArrayList<>();
    Set<String> reported = new HashSet<>();
    for (Beans.Kind kind : List.of(Beans.Kind.STRATEGY, Beans.Kind.STORE)) {
      for (ObjectName name : beans.names(kind)) {
        readOurs(kind, name, wanted)
            .ifPresent(
                table -> {
                  reported.add(table.id());
                  found.add(table);
                });
      }
    }
    for (ObjectName name : tables) {
      String id = name.getKeyProperty("keyspace") + "." + name.getKeyProperty("table");
      LiveTable.Figures figures = stock.get(id);
      if (!reported.contains(id) && figures != null) {
        found.add(
            new LiveTable(
                id,
                Beans.Kind.TABLE,
                name,
                strategy(parameters.getOrDefault(id, "")),
                parameters.getOrDefault(id, ""),
                figures,
                Optional.empty(),
                Optional.empty()));
      }
    }
    boolean ours = found.stream().anyMatch(table -> table.kind() == Beans.Kind.STRATEGY);
    return new ProcessStatus(
        nowMillis, version, limits, ours || plugin, List.copyOf(found), compactions(found));
  }

  private Optional<LiveTable> readOurs(Beans.Kind kind, ObjectName name, Predicate<String> wanted)
      throws IOException {
    try {
      StrategySnapshot snapshot =
          OpenRecords.read(
              (CompositeData) beans.ask(kind, name, "snapshot"), StrategySnapshot.class);
      String id =
          kind == Beans.Kind.STORE
              ? unquoted(name.getKeyProperty("name"))
                  + "/"
                  + NameText.pathPart(unquoted(name.getKeyProperty("family")))
              : name.getKeyProperty("keyspace") + "." + name.getKeyProperty("table");
      Optional<TableMap> map = wanted.test(id) ? map(kind, name) : Optional.empty();
      String policy = snapshot.policy().replaceFirst(",.*", "");
      return Optional.of(
          new LiveTable(
              id,
              kind,
              name,
              policy,
              parameters.getOrDefault(id, ""),
              figures(snapshot, stock.get(id)),
              Optional.of(snapshot),
              map));
    } catch (Beans.RefusedException | IllegalArgumentException e) {
      // The bean has just gone, or this version does not know its form.
      return Optional.empty();
    }
  }

  private static String unquoted(String name) {
    return name.startsWith("\"") ? ObjectName.unquote(name) : name;
  }

  private Optional<TableMap> map(Beans.Kind kind, ObjectName name) throws IOException {
    try {
      return Optional.of(
          OpenRecords.read((CompositeData) beans.ask(kind, name, "tableMap"), TableMap.class));
    } catch (Beans.RefusedException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static LiveTable.Figures figures(StrategySnapshot of, LiveTable.Figures stock) {
    boolean store = of.counters().stream().anyMatch(one -> one.name().equals("StoreReads"));
    long tables = of.runs().stream().mapToLong(StrategySnapshot.Run::tables).sum();
    return new LiveTable.Figures(
        of.amplification().flushedBytes(),
        of.amplification().mergedBytes(),
        of.counter("MergeReadBytes"),
        of.backlog().liveBytes(),
        of.runs().stream().mapToLong(StrategySnapshot.Run::bytes).max().orElse(0),
        of.counter("Flushes"),
        store ? of.counter("StoreReads") : of.counter("Reads"),
        store ? -1 : of.counter("Writes"),
        store ? of.counter("StoreTablesRead") : -1,
        of.amplification().tablesPerRead(),
        tables,
        of.runs().size(),
        of.backlog().plans(),
        of.backlog().bytes(),
        stock == null ? Double.NaN : stock.readP99Micros());
  }

  private void readStock() throws IOException {
    try {
      version =
          beans
              .get(Beans.Kind.STORAGE, Beans.only(Beans.Kind.STORAGE), "ReleaseVersion")
              .toString();
    } catch (Beans.RefusedException e) {
      version = "";
      limits = ProcessStatus.Limits.UNKNOWN;
      return;
    }
    limits =
        new ProcessStatus.Limits(
            // The spelling is Cassandra's.
            setting("ConcurrentCompactors"), setting("CompactionThroughtputBytesPerSec"));
    // A node without a Coppice table shows the plugin by its class path, which does not change.
    plugin = samples > 1 ? plugin : onClassPath();
    List<ObjectName> users = new ArrayList<>();
    for (ObjectName name : beans.names(Beans.Kind.TABLE)) {
      String keyspace = name.getKeyProperty("keyspace");
      if (!keyspace.equals("system") && !keyspace.startsWith("system_")) {
        users.add(name);
        readStock(name, keyspace, name.getKeyProperty("table"));
      }
    }
    tables = List.copyOf(users);
  }

  /** Returns whether the plugin's jar is on the class path of a process that can run it. */
  private boolean onClassPath() throws IOException {
    ObjectName runtime = Beans.only(Beans.Kind.RUNTIME);
    try {
      String jdk = beans.get(Beans.Kind.RUNTIME, runtime, "SpecVersion").toString();
      String path = beans.get(Beans.Kind.RUNTIME, runtime, "ClassPath").toString();
      return version.matches(CASSANDRA)
          && !jdk.startsWith("1.")
          && Integer.parseInt(jdk) >= JDK
          && JAR.matcher(path).find();
    } catch (Beans.RefusedException | NumberFormatException e) {
      return false;
    }
  }

  /** Returns a setting of Cassandra's storage service; -1 if this version lacks it. */
  private long setting(String attribute) throws IOException {
    try {
      Object value = beans.get(Beans.Kind.STORAGE, Beans.only(Beans.Kind.STORAGE), attribute);
      return value instanceof Number number ? number.longValue() : -1;
    } catch (Beans.RefusedException e) {
      return -1;
    }
  }

  private void readStock(ObjectName name, String keyspace, String table) throws IOException {
    String id = keyspace + "." + table;
    try {
      Object json = beans.get(Beans.Kind.TABLE, name, "CompactionParametersJson");
      parameters.put(id, json.toString());
    } catch (Beans.RefusedException e) {
      stock.remove(id);
      return;
    }
    stock.put(
        id,
        new LiveTable.Figures(
            count(keyspace, table, "BytesFlushed", "Count"),
            count(keyspace, table, "CompactionBytesWritten", "Count"),
            -1,
            count(keyspace, table, "LiveDiskSpaceUsed", "Count"),
            -1,
            count(keyspace, table, "MemtableSwitchCount", "Count"),
            count(keyspace, table, "ReadLatency", "Count"),
            count(keyspace, table, "WriteLatency", "Count"),
            -1,
            number(keyspace, table, "SSTablesPerReadHistogram", "Mean"),
            count(keyspace, table, "LiveSSTableCount", "Value"),
            -1,
            count(keyspace, table, "PendingCompactions", "Value"),
            -1,
            number(keyspace, table, "ReadLatency", "99thPercentile")));
  }

  /** Returns the short name of the class in compaction parameters. */
  static String strategy(String json) {
    try {
      String name = JSON.readTree(json).path("class").asText("?");
      return name.substring(name.lastIndexOf('.') + 1);
    } catch (JsonProcessingException e) {
      return "?";
    }
  }

  private long count(String keyspace, String table, String metric, String attribute)
      throws IOException {
    double number = number(keyspace, table, metric, attribute);
    return Double.isNaN(number) ? -1 : (long) number;
  }

  private double number(String keyspace, String table, String metric, String attribute)
      throws IOException {
    try {
      Object value = beans.get(Beans.Kind.METRIC, Beans.metric(keyspace, table, metric), attribute);
      return value instanceof Number number ? number.doubleValue() : Double.NaN;
    } catch (Beans.RefusedException e) {
      return Double.NaN;
    }
  }

  private List<RunningCompaction> compactions(List<LiveTable> found) throws IOException {
    List<RunningCompaction> compactions = new ArrayList<>();
    Set<String> reported = new HashSet<>();
    for (LiveTable table : found) {
      for (TableMap.Merge merge : table.map().map(TableMap::merges).orElse(List.of())) {
        reported.add(merge.id());
        compactions.add(compaction(table, merge));
      }
    }
    if (!version.isEmpty()) {
      for (Map<?, ?> one : running()) {
        String id = text(one, "compactionId", text(one, "id", ""));
        if (!reported.contains(id) && text(one, "unit", "").equals("bytes")) {
          compactions.add(
              new RunningCompaction(
                  id,
                  text(one, "keyspace", "") + "." + text(one, "columnfamily", ""),
                  text(one, "taskType", ""),
                  "",
                  Long.parseLong(text(one, "completed", "0")),
                  Long.parseLong(text(one, "total", "0")),
                  Double.NaN,
                  -1,
                  false));
        }
      }
    }
    return compactions;
  }

  private static RunningCompaction compaction(LiveTable table, TableMap.Merge merge) {
    return new RunningCompaction(
        merge.id(),
        table.id(),
        merge.code(),
        merge.sentence(),
        merge.doneBytes(),
        merge.inputBytes(),
        Double.NaN,
        merge.level(),
        table.kind() == Beans.Kind.STORE || !merge.code().equals("compaction"));
  }

  private List<Map<?, ?>> running() throws IOException {
    List<Map<?, ?>> running = new ArrayList<>();
    try {
      Object all =
          beans.get(Beans.Kind.COMPACTIONS, Beans.only(Beans.Kind.COMPACTIONS), "Compactions");
      for (Object one : (List<?>) all) {
        running.add((Map<?, ?>) one);
      }
    } catch (Beans.RefusedException e) {
      // A process without Cassandra has no compactions of this kind.
      return List.of();
    }
    return running;
  }

  private static String text(Map<?, ?> map, String key, String otherwise) {
    Object value = map.get(key);
    return value == null ? otherwise : value.toString();
  }
}
