// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.coppice.Family;
import io.coppice.FamilyStats;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.io.ChildJvm;
import io.coppice.metrics.StoreMetricId;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.testing.GeneratedPage;
import io.coppice.testing.Javadoc;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code docs/reference/metrics.md} names what a store measures, and a store measures all of it.
 */
class MetricsPageTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "reference", "metrics.md");
  static final String FAMILY = "users";

  @TempDir Path directory;

  static StoreOptions.Builder options(MetricRegistry registry, String name) {
    return StoreOptions.builder()
        .metrics(registry)
        .name(name)
        .family(FAMILY, "leveled,table_size=16KiB,l0_trigger=2")
        .memtableBytes(64 << 10)
        .durability(Durability.NONE);
  }

  static void fill(Store store) {
    Family users = store.family(FAMILY);
    for (int i = 0; i < 6000; i++) {
      users.put(("key" + i * 7919L % 3000).getBytes(), new byte[100]);
    }
    store.flush();
    store.awaitIdle();
    for (int i = 0; i < 100; i++) {
      assertThat(users.get(("key" + i).getBytes())).isNotNull();
    }
  }

  /** Without the times of schemes, which share one name. */
  private static Set<String> names(MetricRegistry registry, String prefix, boolean ofFamily) {
    String scope = prefix + (ofFamily ? FAMILY + "." : "");
    return registry.getNames().stream()
        .filter(name -> name.startsWith(scope))
        .map(name -> name.substring(scope.length()))
        .filter(name -> ofFamily || Character.isUpperCase(name.charAt(0)))
        .map(name -> name.replaceAll("\\..*", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void thePageIsWhatAStoreMeasures() throws IOException {
    MetricRegistry registry = new MetricRegistry();
    try (Store store = Store.open(directory, options(registry, "page").build())) {
      fill(store);
      Set<String> ofStore = names(registry, "coppice.page.", false);
      Set<String> ofFamily = names(registry, "coppice.page.", true);
      assertThat(ofFamily)
          .containsExactlyInAnyOrderElementsOf(
              Arrays.stream(CompactionMetricId.values())
                  .filter(metric -> !metric.shared())
                  .map(CompactionMetricId::label)
                  .toList());
      assertThat(ofStore)
          .containsAll(Arrays.stream(StoreMetricId.values()).map(StoreMetricId::label).toList())
          .containsAll(
              Arrays.stream(CompactionMetricId.values())
                  .filter(CompactionMetricId::shared)
                  .map(CompactionMetricId::label)
                  .toList());
      GeneratedPage.of(PAGE)
          .part("figures", figures(ofStore, ofFamily))
          .part("store", storeFigures())
          .check();
    }
    assertThat(registry.getNames()).isEmpty();
  }

  private static List<String> figures(Set<String> ofStore, Set<String> ofFamily)
      throws IOException {
    Map<String, String> meanings =
        Javadoc.of("io/coppice/policy/observe/CompactionMetricId").constants();
    Stream<String> rows =
        Arrays.stream(CompactionMetricId.values())
            .map(
                metric ->
                    GeneratedPage.row(
                        "`" + metric.label() + "`",
                        mark(ofStore.contains(metric.label())),
                        mark(ofFamily.contains(metric.label())),
                        kind(metric.grows()),
                        metric.unit(),
                        meanings.get(metric.name())));
    return Stream.concat(
            Stream.of(
                "| name | store | family | kind | unit | what it says |",
                "|---|---|---|---|---|---|"),
            rows)
        .toList();
  }

  private static List<String> storeFigures() throws IOException {
    Map<String, String> meanings = Javadoc.of("io/coppice/metrics/StoreMetricId").constants();
    Stream<String> rows =
        Arrays.stream(StoreMetricId.values())
            .map(
                metric ->
                    GeneratedPage.row(
                        "`" + metric.label() + "`",
                        kind(metric.grows()),
                        metric.unit(),
                        meanings.get(metric.name())));
    return Stream.concat(
            Stream.of("| name | kind | unit | what it says |", "|---|---|---|---|"), rows)
        .toList();
  }

  private static String mark(boolean present) {
    return present ? "yes" : "–";
  }

  private static String kind(boolean grows) {
    return grows ? "count" : "now";
  }

  @Test
  void figuresOfAFamilyAgreeWithItsStatsAndGoWithIt() {
    MetricRegistry registry = new MetricRegistry();
    try (Store store = Store.open(directory, options(registry, "agree").build())) {
      fill(store);
      FamilyStats stats = store.family(FAMILY).stats();
      assertThat(value(registry, "agree.users.FlushedBytes")).isEqualTo(stats.flushedBytes());
      assertThat(value(registry, "agree.users.MergedBytes")).isEqualTo(stats.mergedBytes());
      assertThat(value(registry, "agree.users.MergeSteps")).isEqualTo(stats.mergeSteps());
      assertThat(value(registry, "agree.users.LiveBytes")).isEqualTo(stats.tableBytes());
      assertThat(value(registry, "agree.users.WriteAmplification"))
          .isEqualTo(stats.writeAmplification());
      // All of it happened within the last hour.
      assertThat(value(registry, "agree.users.WriteAmplification1h"))
          .isEqualTo(stats.writeAmplification());
      assertThat((double) value(registry, "agree.users.SpaceAmplification24h"))
          .isGreaterThanOrEqualTo(1);
      assertThat(value(registry, "agree.Reads")).isEqualTo(store.stats().reads().lookups());
      assertThat(value(registry, "agree.TablesPerRead1h"))
          .isEqualTo(value(registry, "agree.TablesPerRead"));
      store.dropFamily(FAMILY);
      assertThat(names(registry, "coppice.agree.", true)).isEmpty();
    }
  }

  private static Object value(MetricRegistry registry, String name) {
    return registry.getGauges().get("coppice." + name).getValue();
  }

  @Test
  void figuresAreBeansOnlyIfAskedFor() throws Exception {
    MBeanServer agent = ManagementFactory.getPlatformMBeanServer();
    ObjectName all = new ObjectName("io.coppice:type=Metrics,store=beans,*");
    MetricRegistry registry = new MetricRegistry();
    StoreOptions.Builder options = options(registry, "beans");
    try (Store store = Store.open(directory, options.build())) {
      fill(store);
      assertThat(agent.queryNames(all, null)).isEmpty();
    }
    try (Store store = Store.open(directory, options.jmx(true).build())) {
      assertThat(agent.queryNames(all, null)).hasSameSizeAs(registry.getNames());
      ObjectName live =
          new ObjectName("io.coppice:type=Metrics,store=beans,family=users,name=LiveBytes");
      assertThat(agent.getAttribute(live, "Value"))
          .isEqualTo(store.family(FAMILY).stats().tableBytes());
      assertThat(live.getKeyPropertyListString())
          .as("its order in the agent, by which exporters match")
          .isEqualTo(agent.getObjectInstance(live).getObjectName().getKeyPropertyListString());
      store.createFamily("more");
      assertThat(agent.queryNames(new ObjectName(all + ",family=more"), null)).isNotEmpty();
      store.dropFamily("more");
      assertThat(agent.queryNames(new ObjectName(all + ",family=more"), null)).isEmpty();
    }
    assertThat(agent.queryNames(all, null)).isEmpty();
  }

  @Test
  void whatAStoreDoesAreEventsOfTheFlightRecorder() throws Exception {
    Process process = ChildJvm.start(RecordedStore.class, directory.toString());
    List<String> lines = process.inputReader().lines().toList();
    assertThat(process.waitFor()).isZero();
    List<String> rows =
        Stream.concat(
                Stream.of(
                    "| event | when | fields beside start, duration and thread |", "|---|---|---|"),
                lines.stream().filter(line -> line.startsWith("|")))
            .toList();
    assertThat(rows).hasSize(2 + RecordedStore.EVENTS.size());
    GeneratedPage.of(PAGE).part("events", rows).check();
    String counts =
        RecordedStore.EVENTS.stream()
            .map(event -> count(lines, event))
            .collect(Collectors.joining(" ", "expected ", ""));
    assertThat(lines).contains(counts, "step " + FAMILY + " true");
    assertThat(count(lines, "io.coppice.Flush")).isNotEqualTo("0");
    switchesAreTold(lines);
  }

  /** Each, with the policies and the reason, and at last the two that the application made. */
  private static void switchesAreTold(List<String> lines) {
    List<String> figures = after("told ", lines);
    List<String> made = after("made ", lines);
    assertThat(made).hasSizeGreaterThan(1);
    assertThat(figures).hasSize(made.size() + 2).startsWith(made.toArray(String[]::new));
    assertThat(figures.get(made.size() + 1))
        .startsWith("tiered,")
        .contains(" -> leveled,")
        .endsWith(": it was chosen for the family");
    assertThat(after("took no longer than it could ", lines))
        .hasSameSizeAs(figures)
        .containsOnly("true");
    assertThat(lines).contains("rewritten true");
    assertThat(after("settled ", lines)).hasSameSizeAs(figures).endsWith("false", "true");
  }

  private static List<String> after(String begin, List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(begin))
        .map(line -> line.substring(begin.length()))
        .toList();
  }

  private static String count(List<String> lines, String event) {
    return lines.stream()
        .filter(line -> line.startsWith(event + " "))
        .map(line -> line.substring(event.length() + 1))
        .findFirst()
        .orElseThrow();
  }
}
