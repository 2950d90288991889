// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.pages;

import com.codahale.metrics.MetricRegistry;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.MemDisk;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.tuner.RungSwitch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * A process that records what a store does, and prints a row of the page for each event there is
 * and then how many came, and after that how the policy of another was switched. In a process of
 * its own, as a JVM keeps each event class it has recorded.
 */
final class RecordedStore {

  static final List<String> EVENTS =
      List.of(
          "io.coppice.Flush",
          "io.coppice.MergeStep",
          "io.coppice.PolicySwitch",
          "io.coppice.Stall");

  private static final Set<String> ALL_HAVE =
      Set.of("startTime", "duration", "eventThread", "stackTrace");

  private static final long SECOND = 1_000_000_000L;

  private RecordedStore() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    filled(directory);
    switched(directory);
  }

  private static void filled(Path directory) throws IOException {
    Path file = directory.resolve("events.jfr");
    StoreStats stats;
    try (Recording recording = new Recording()) {
      EVENTS.forEach(recording::enable);
      recording.start();
      StoreOptions.Builder options = MetricsPageTest.options(new MetricRegistry(), "events");
      try (Store store = Store.open(directory.resolve("data"), options.build())) {
        MetricsPageTest.fill(store);
        store.family(MetricsPageTest.FAMILY).policy("leveled,table_size=16KiB,l0_trigger=3");
        store.awaitIdle();
        stats = store.stats();
      }
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    FlightRecorder.getFlightRecorder().getEventTypes().stream()
        .filter(type -> EVENTS.contains(type.getName()))
        .sorted((a, b) -> a.getName().compareTo(b.getName()))
        .map(
            type ->
                "| `%s` | %s | %s |"
                    .formatted(
                        type.getName(),
                        type.getDescription(),
                        type.getFields().stream()
                            .map(ValueDescriptor::getName)
                            .filter(field -> !ALL_HAVE.contains(field))
                            .map(field -> "`" + field + "`")
                            .collect(Collectors.joining(", "))))
        .forEach(System.out::println);
    for (String event : EVENTS) {
      System.out.println(event + " " + named(events, event).size());
    }
    System.out.println(
        "expected " + stats.flushes() + " " + stats.mergeSteps() + " 1 " + stats.stalls());
    for (RecordedEvent step : named(events, "io.coppice.MergeStep")) {
      System.out.println(
          "step " + step.getString("family") + " " + (step.getLong("writtenBytes") > 0));
    }
  }

  /** A tuner switches the policy of a store, and at last the application does, twice at once. */
  private static void switched(Path directory) throws IOException {
    Path file = directory.resolve("switches.jfr");
    List<RungSwitch> made;
    try (Recording recording = new Recording()) {
      recording.enable("io.coppice.PolicySwitch");
      recording.start();
      made = lifeOfATunedStore();
      recording.dump(file);
    }
    for (RungSwitch one : made) {
      System.out.println(
          "made " + one.before() + " -> " + one.after() + ": " + one.reason().sentence());
    }
    List<RecordedEvent> events = named(RecordingFile.readAllEvents(file), EVENTS.get(2));
    events.sort(Comparator.comparing(RecordedEvent::getStartTime));
    long rewritten = 0;
    for (int i = 0; i < events.size(); i++) {
      RecordedEvent event = events.get(i);
      rewritten += event.getLong("rewrittenBytes");
      System.out.println(
          "told "
              + event.getString("before")
              + " -> "
              + event.getString("after")
              + ": "
              + event.getString("reason"));
      long most = i + 1 < made.size() ? made.get(i + 1).nanos() - made.get(i).nanos() : SECOND;
      System.out.println("settled " + event.getBoolean("settled"));
      System.out.println("took no longer than it could " + (event.getLong("millis") <= most / 1e6));
    }
    System.out.println("rewritten " + (rewritten > 0));
  }

  private static List<RungSwitch> lifeOfATunedStore() throws IOException {
    SeededWorkers workers = new SeededWorkers(7);
    Random random = new Random(7);
    StoreOptions options =
        StoreOptions.builder()
            .policy("adaptive,rung=1,window=2,dwell=2,table_size=64KiB")
            .memory(MemoryBudget.ofMebibytes(32))
            .memtableBytes(256 << 10)
            .durability(Durability.BUFFERED)
            .build();
    try (Store store = TestStores.open(new MemDisk(), options, workers)) {
      for (int second = 0; second < 12; second++) {
        for (int i = 0; i < 2500; i++) {
          store.put(("key" + random.nextInt(20_000)).getBytes(), new byte[300]);
        }
        boolean more = true;
        while (more) {
          more = workers.step();
        }
        workers.pass(SECOND - workers.nanoTime() % SECOND);
      }
      store.pauseCompaction();
      store.policy("tiered,trigger=4,table_size=64KiB");
      store.policy("leveled,table_size=64KiB");
      store.resumeCompaction();
      store.awaitIdle();
      return store.switches().stream().map(DecisionJournal.FamilySwitch::made).toList();
    }
  }

  private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(name))
        .collect(Collectors.toList());
  }
}
