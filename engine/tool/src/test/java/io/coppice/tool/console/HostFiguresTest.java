// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.StoreStats;
import io.coppice.policy.observe.OpenRecords;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.StrategySnapshot.Run;
import io.coppice.policy.observe.TableMap;
import io.coppice.testing.Seeds;
import io.coppice.tool.console.watch.Endpoint;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.management.openmbean.CompositeData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console and {@code top} show the figures of the host itself, whenever they were started; what
 * they measure by themselves names its window.
 */
class HostFiguresTest {

  private static final long LOOK_NANOS = 1_100_000_000L;
  private static final long PATIENCE_NANOS = 120_000_000_000L;
  private static final double EXACT = 1e-9;
  private static final int WIDTH = 400;

  // Cells of a row of top.
  private static final int WRITE = 2;
  private static final int READ = 3;
  private static final int SPACE = 4;

  @TempDir Path directory;

  /** Of a table or family of ours. */
  public interface StrategyAnswers {
    CompositeData snapshot();

    CompositeData tableMap();
  }

  /** Of Cassandra's {@code StorageService}. */
  public interface StorageAnswers {
    String getReleaseVersion();
  }

  /** Of a table of Cassandra. */
  public interface TableAnswers {
    String getCompactionParametersJson();
  }

  /** Of a figure of Cassandra, with the attributes of all kinds. */
  public interface MetricAnswers {
    long getCount();

    double getValue();

    double getMean();

    double get99thPercentile();
  }

  private record Process(String name, MBeanServerConnection connect) implements Endpoint {
    @Override
    public void close() {
      // Nothing is open.
    }
  }

  /** Keeps no changes. */
  private static final class Nothing implements ChangeStore {
    @Override
    public List<String> lines() {
      return List.of();
    }

    @Override
    public void append(String line) {
      throw new AssertionError("nothing is changed here");
    }
  }

  private static Console console(MBeanServerConnection beans) throws IOException {
    return Console.start(
        new Console.Options(List.of(new Process("host", beans)), 0, false), new Nothing());
  }

  /** Asks for the row of a table until it is so. */
  private static JsonNode row(Console console, String id, Predicate<JsonNode> so)
      throws IOException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      HttpAnswer answer = HttpAnswer.get(console.address(), "/api/state");
      for (JsonNode row : new ObjectMapper().readTree(answer.body()).at("/nodes/0/tables")) {
        if (row.path("id").asText().equals(id) && so.test(row)) {
          return row;
        }
      }
      assertThat(System.nanoTime()).as(id + ": " + answer.body()).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static void assertShows(JsonNode row, Map<String, Double> host) {
    host.forEach(
        (name, value) -> {
          if (Double.isNaN(value)) {
            assertThat(row.path(name).isNull()).as(name + " of " + row).isTrue();
          } else {
            assertThat(row.path(name).asDouble(-1))
                .as(name + " of " + row)
                .isEqualTo(value, within(EXACT));
          }
        });
  }

  private static boolean shows(JsonNode row, Map<String, Double> host) {
    try {
      assertShows(row, host);
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }

  private static void assertTopShows(
      MBeanServerConnection beans, String id, Map<String, Double> host) {
    try (Top top = new Top(List.of(new Process("host", beans)))) {
      top.sample();
      List<String> lines = top.lines(WIDTH);
      assertThat(lines.get(0)).startsWith("host").contains(" · WA since start · rates of 0 s");
      String line =
          lines.stream().filter(one -> one.startsWith(id + " ")).findFirst().orElseThrow();
      String[] cells = line.trim().split("\\s+");
      assertThat(cells[WRITE]).as(line).isEqualTo(text(host.get("wa")));
      assertThat(cells[READ]).as(line).isEqualTo(text(host.get("ra")));
      assertThat(cells[SPACE]).as(line).isEqualTo(text(host.get("sa")));
      assertThat(top.line()).contains(id + " WA " + text(host.get("wa")) + " live ");
      JsonLaw.check("top", top.document());
    }
  }

  private static String text(double number) {
    return Double.isNaN(number) ? "-" : String.format(Locale.ROOT, "%.2f", number);
  }

  private static double metric(String store, String keys) throws Exception {
    Object value =
        ManagementFactory.getPlatformMBeanServer()
            .getAttribute(
                new ObjectName("io.coppice:type=Metrics,store=" + store + "," + keys), "Value");
    return ((Number) value).doubleValue();
  }

  private static double ofFamily(String store, String name) throws Exception {
    return metric(store, "family=default,name=" + name);
  }

  /** By the names of a row; not a number for what nobody knows. */
  private static Map<String, Double> figures(WatchedStore watched) throws Exception {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    ObjectName bean =
        new ObjectName("io.coppice:type=Store,name=" + watched.name + ",family=default");
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("wa", ofFamily(watched.name, "WriteAmplification"));
    figures.put("ra", metric(watched.name, "name=TablesPerRead"));
    figures.put("sa", ofFamily(watched.name, "SpaceAmplification"));
    figures.put("live", ofFamily(watched.name, "LiveBytes"));
    figures.put("runs", ofFamily(watched.name, "Runs"));
    figures.put("pending", ((Number) beans.getAttribute(bean, "PendingPlans")).doubleValue());
    figures.put("backlog", ((Number) beans.getAttribute(bean, "BacklogBytes")).doubleValue());
    double seconds = ofFamily(watched.name, "BacklogSeconds");
    figures.put("backlogSeconds", seconds < 0 ? Double.NaN : seconds);
    double tables = 0;
    for (Object each : (Object[]) beans.getAttribute(bean, "TablesPerLevel")) {
      tables += ((Number) each).doubleValue();
    }
    figures.put("tables", tables);
    return figures;
  }

  @Test
  void aStoresFiguresAreThoseOfItsBeansWheneverTheConsoleWasStarted() throws Exception {
    try (WatchedStore watched = new WatchedStore(directory, false)) {
      MBeanServer platform = ManagementFactory.getPlatformMBeanServer();
      for (int round = 0; round < 3; round++) {
        for (int flush = 0; flush < 3; flush++) {
          watched.write(600, 10 * round + flush);
          watched.store.flush();
        }
        // Reads may ask for merges, so they come first.
        for (int i = 0; i < 500; i++) {
          watched.store.get(String.format("user%06d", 40 * i).getBytes());
        }
        watched.store.awaitIdle();
        Map<String, Double> host = restingFigures(watched);
        try (Console late = console(platform)) {
          for (Console one : List.of(watched.console, late)) {
            JsonNode row = row(one, watched.table(), found -> shows(found, host));
            assertShows(row, host);
            assertThat(row.has("seenSeconds")).isTrue();
            assertThat(row.has("rateSeconds")).isTrue();
          }
          // Nothing was flushed since it was started.
          assertThat(row(late, watched.table(), found -> true).path("seenWa").isNull()).isTrue();
        }
        assertTopShows(platform, watched.table(), host);
      }
    }
  }

  /**
   * Waits until the figures stay as they are for longer than the second for which the store keeps
   * the last sample of its runs.
   */
  private static Map<String, Double> restingFigures(WatchedStore watched) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    long since = System.nanoTime();
    Map<String, Double> seen = figures(watched);
    while (true) {
      Map<String, Double> now = figures(watched);
      if (!now.equals(seen) || !settled(now, watched)) {
        seen = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > LOOK_NANOS) {
        return seen;
      }
      assertThat(System.nanoTime()).as("%s", now).isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** The figures that are looked at once a second are those of the store now. */
  private static boolean settled(Map<String, Double> host, WatchedStore watched) {
    StoreStats stats = watched.store.stats();
    int runs =
        watched.store.family("default").stats().levels().stream()
            .mapToInt(StoreStats.LevelStats::runs)
            .sum();
    double write = (double) (stats.flushedBytes() + stats.mergedBytes()) / stats.flushedBytes();
    return host.get("runs") == runs
        && host.get("backlog") == 0
        && host.get("live") == stats.tableBytes()
        && Math.abs(host.get("wa") - write) < EXACT;
  }

  /** Planted figures: counters grow at each sample, and the figures of the host stay the same. */
  private static final class Planted implements StrategyAnswers {
    private final AtomicInteger samples = new AtomicInteger();
    private final Random random;
    private final double write;
    private final double tablesPerRead;
    private final StrategySnapshot.Backlog backlog;
    private final List<Run> runs = new ArrayList<>();
    private final boolean store;

    Planted(Random random, boolean store) {
      this.random = random;
      this.store = store;
      write = 1 + 9 * random.nextDouble();
      tablesPerRead = 5 * random.nextDouble();
      long live = 0;
      for (int i = 0; i < 4; i++) {
        long bytes = 1 + random.nextInt(1 << 30);
        live += bytes;
        runs.add(new Run("", i, 0, 1 + random.nextInt(9), bytes, 10, 0, "a", "z", 0, 0, 0));
      }
      long seconds = random.nextBoolean() ? -1 : random.nextInt(10_000);
      backlog =
          new StrategySnapshot.Backlog(
              random.nextInt(50), 1 + random.nextInt(1 << 30), seconds, 0, 0, live, 1L << 40);
    }

    @Override
    public CompositeData snapshot() {
      long sample = samples.incrementAndGet();
      List<StrategySnapshot.Counter> counters = new ArrayList<>();
      counters.add(new StrategySnapshot.Counter("Flushes", sample));
      counters.add(new StrategySnapshot.Counter(store ? "StoreReads" : "Reads", 100 * sample));
      if (store) {
        counters.add(new StrategySnapshot.Counter("StoreTablesRead", random.nextInt(100)));
      }
      return OpenRecords.open(
          new StrategySnapshot(
              "t",
              "tiered",
              "tiered",
              List.of(),
              runs,
              List.of(),
              counters,
              new StrategySnapshot.Amplification(
                  write, tablesPerRead, sample << 30, sample * random.nextInt(1 << 30)),
              backlog,
              List.of()));
    }

    @Override
    public CompositeData tableMap() {
      return OpenRecords.open(TableMap.of("t", 0, TableMap.TOKEN, List.of(), List.of()));
    }

    Map<String, Double> figures() {
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put("wa", write);
      figures.put("ra", tablesPerRead);
      long largest = runs.stream().mapToLong(Run::bytes).max().orElseThrow();
      figures.put("sa", (double) backlog.liveBytes() / largest);
      figures.put("live", (double) backlog.liveBytes());
      figures.put("runs", (double) runs.size());
      figures.put("tables", (double) runs.stream().mapToInt(Run::tables).sum());
      figures.put("pending", (double) backlog.plans());
      figures.put("backlog", (double) backlog.bytes());
      figures.put("backlogSeconds", backlog.seconds() < 0 ? Double.NaN : backlog.seconds());
      return figures;
    }
  }

  private static <T> void register(MBeanServer beans, String name, Class<T> type, T bean)
      throws Exception {
    beans.registerMBean(new StandardMBean(bean, type, false), new ObjectName(name));
  }

  private static void metric(MBeanServer beans, String name, long number, double fraction)
      throws Exception {
    register(
        beans,
        "org.apache.cassandra.metrics:type=Table,keyspace=ks,scope=stock,name=" + name,
        MetricAnswers.class,
        new MetricAnswers() {
          @Override
          public long getCount() {
            return number;
          }

          @Override
          public double getValue() {
            return number;
          }

          @Override
          public double getMean() {
            return fraction;
          }

          @Override
          public double get99thPercentile() {
            return fraction;
          }
        });
  }

  @Test
  void plantedFiguresOfStoresAndNodesAreShownAsTheyAre() throws Exception {
    long seed = Seeds.first();
    Random random = new Random(seed);
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    register(
        beans, "org.apache.cassandra.db:type=StorageService", StorageAnswers.class, () -> "5.0.9");
    Planted strategy = new Planted(random, false);
    Planted store = new Planted(random, true);
    register(
        beans, "io.coppice:type=Strategy,keyspace=ks,table=ours", StrategyAnswers.class, strategy);
    register(beans, "io.coppice:type=Store,name=s,family=default", StrategyAnswers.class, store);
    register(
        beans,
        "org.apache.cassandra.db:type=Tables,keyspace=ks,table=stock",
        TableAnswers.class,
        () -> "{\"class\":\"org.apache.cassandra.db.compaction.LeveledCompactionStrategy\"}");
    long flushed = 1 + random.nextInt(1 << 30);
    long merged = random.nextInt(1 << 30);
    long live = random.nextInt(1 << 30);
    int tables = random.nextInt(100);
    int pending = random.nextInt(100);
    double perRead = 3 * random.nextDouble();
    double p99 = 1e4 * random.nextDouble();
    metric(beans, "BytesFlushed", flushed, 0);
    metric(beans, "CompactionBytesWritten", merged, 0);
    metric(beans, "LiveDiskSpaceUsed", live, 0);
    metric(beans, "LiveSSTableCount", tables, 0);
    metric(beans, "PendingCompactions", pending, 0);
    metric(beans, "SSTablesPerReadHistogram", 0, perRead);
    metric(beans, "ReadLatency", 7, p99);
    Map<String, Double> stock = new LinkedHashMap<>();
    stock.put("wa", (double) (flushed + merged) / flushed);
    stock.put("ra", perRead);
    stock.put("sa", Double.NaN);
    stock.put("live", (double) live);
    stock.put("tables", (double) tables);
    stock.put("pending", (double) pending);
    stock.put("backlog", Double.NaN);
    stock.put("backlogSeconds", Double.NaN);
    stock.put("runs", Double.NaN);
    stock.put("readP99", p99);
    Map<String, Map<String, Double>> all =
        Map.of("ks.ours", strategy.figures(), "s/default", store.figures(), "ks.stock", stock);
    try (Console console = console(beans)) {
      for (Map.Entry<String, Map<String, Double>> one : all.entrySet()) {
        // From the second look on there are differences to be taken.
        JsonNode row =
            row(console, one.getKey(), found -> found.path("rateSeconds").asDouble() > 0);
        assertThat(row.path("seenSeconds").asDouble()).as("seed %s", seed).isPositive();
        assertShows(row, one.getValue());
      }
    }
    for (Map.Entry<String, Map<String, Double>> one : all.entrySet()) {
      assertTopShows(beans, one.getKey(), one.getValue());
    }
  }

  @Test
  void whatATableDoesNotSayIsNull() throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    register(
        beans, "org.apache.cassandra.db:type=StorageService", StorageAnswers.class, () -> "5.0.9");
    register(
        beans,
        "org.apache.cassandra.db:type=Tables,keyspace=ks,table=stock",
        TableAnswers.class,
        () -> "{\"class\":\"org.apache.cassandra.db.compaction.LeveledCompactionStrategy\"}");
    try (Top top = new Top(List.of(new Process("host", beans)))) {
      top.sample();
      JsonNode table = top.document().at("/processes/0/tables/0");
      assertThat(table.path("table").asText()).isEqualTo("ks.stock");
      table
          .properties()
          .forEach(
              field ->
                  assertThat(field.getValue().isNull() || field.getValue().isTextual())
                      .as(field.toString())
                      .isTrue());
    }
    try (Console console = console(beans)) {
      JsonNode row = row(console, "ks.stock", found -> true);
      for (String name :
          List.of("wa", "ra", "sa", "live", "runs", "tables", "pending", "backlog")) {
        assertThat(row.path(name).isNull()).as(name + " of " + row).isTrue();
      }
      JsonNode series =
          new ObjectMapper()
              .readTree(
                  HttpAnswer.get(console.address(), "/api/table?node=host&table=ks.stock").body())
              .path("series");
      JsonLaw.check("series", series);
    }
  }
}
