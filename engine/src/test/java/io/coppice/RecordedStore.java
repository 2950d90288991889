// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * A process that records what a store does, and prints a row of the page for each event there is
 * and then how many came. In a process of its own, as a JVM keeps each event class it has recorded.
 */
final class RecordedStore {

  static final List<String> EVENTS =
      List.of("io.coppice.Flush", "io.coppice.MergeStep", "io.coppice.Stall");

  private static final Set<String> ALL_HAVE =
      Set.of("startTime", "duration", "eventThread", "stackTrace");

  private RecordedStore() {}

  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0], "events.jfr");
    StoreStats stats;
    try (Recording recording = new Recording()) {
      EVENTS.forEach(recording::enable);
      recording.start();
      StoreOptions.Builder options = MetricsPageTest.options(new MetricRegistry(), "events");
      try (Store store = Store.open(Path.of(arguments[0], "data"), options.build())) {
        MetricsPageTest.fill(store);
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
        "expected " + stats.flushes() + " " + stats.mergeSteps() + " " + stats.stalls());
    for (RecordedEvent step : named(events, "io.coppice.MergeStep")) {
      System.out.println(
          "step " + step.getString("family") + " " + (step.getLong("writtenBytes") > 0));
    }
  }

  private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
    return events.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
  }
}
