// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.SearchScheme;
import io.coppice.load.SpreadRuns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Virtual threads that call a store leave their carriers to others while they wait for blocks that
 * threads or rings read: the flight recorder sees none that is pinned.
 */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTest {

  private static final int CALLERS = 64;
  private static final int LOOKUPS = 40;
  private static final String PINNED = "jdk.VirtualThreadPinned";

  /** Before JEP 491, which came with 24; a cursor that waits holds one, as its page says. */
  private static final boolean MONITORS_PIN = Runtime.version().feature() < 24;

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"pool,false,mmap", "pool,true,read", "ring,false,mmap", "ring,true,read"})
  void noneIsPinnedWhileItWaitsForBlocks(String reader, boolean direct, String io)
      throws Exception {
    SpreadRuns.fill(directory.resolve("data"), SpreadRuns.options().build());
    StoreOptions options =
        SpreadRuns.options().reader(reader).directReads(direct).io(io).blockCacheBytes(0).build();
    List<RecordedEvent> events;
    try (Store store = open(options)) {
      store.search(SearchScheme.FIXED_COUNT);
      // Loads the classes.
      readAll(store, new Random(CALLERS));
      events = recorded(() -> callFromManyThreads(store));
      assertThat(store.stats().reads().batches()).isPositive();
    }
    assertThat(
            events.stream()
                .filter(event -> named(event, PINNED) && passes(event, "io\\.coppice\\.\\w+\\..*"))
                .filter(event -> !loadsClasses(event))
                .filter(event -> !(MONITORS_PIN && passes(event, "io\\.coppice\\.Cursor")))
                .map(VirtualThreadsTest::frames))
        .isEmpty();
  }

  /** Whoever comes to a class while another thread loads it is pinned, once. */
  private static boolean loadsClasses(RecordedEvent event) {
    return passes(event, "jdk\\.internal\\.loader\\..*")
        || event.toString().contains("Waited for initialization of ");
  }

  private Store open(StoreOptions options) {
    try {
      return Store.open(directory.resolve("data"), options);
    } catch (InvalidOptionsException e) {
      assertThat(e).hasMessageContaining("reader (ring) does not work here: ");
      return Assumptions.abort(e.getMessage());
    }
  }

  @Test
  void aPinnedOneWouldBeSeen() throws Exception {
    List<RecordedEvent> events =
        recorded(
            () -> {
              Callers callers = new Callers();
              callers.call(() -> assertThat(new WaitsWhenLoaded()).isNotNull());
              callers.await();
            });
    assertThat(events)
        .anyMatch(event -> named(event, PINNED) && passes(event, ".*\\$WaitsWhenLoaded"));
  }

  /** Its initializer waits below a native frame, which pins in every version. */
  private static final class WaitsWhenLoaded {
    static {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private static void callFromManyThreads(Store store) throws Exception {
    Callers callers = new Callers();
    for (int caller = 0; caller < CALLERS; caller++) {
      Random random = new Random(caller);
      callers.call(() -> readAll(store, random));
    }
    callers.await();
  }

  private static void readAll(Store store, Random random) {
    for (int i = 0; i < LOOKUPS; i++) {
      int key = random.nextInt(SpreadRuns.KEYS);
      assertThat(store.get(SpreadRuns.key(key))).isEqualTo(SpreadRuns.value(key));
    }
    int from = random.nextInt(SpreadRuns.KEYS);
    assertThat(
            store.getAll(List.of(SpreadRuns.key(from), SpreadRuns.key(SpreadRuns.KEYS - 1 - from))))
        .doesNotContainNull();
    try (Cursor cursor = store.cursor(KeyRange.from(SpreadRuns.key(from)))) {
      cursor.first();
      for (int i = 0; i < LOOKUPS && cursor.valid(); i++) {
        cursor.next();
      }
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  /** Runs each call in a virtual thread of its own. */
  private static final class Callers {

    private final ExecutorService threads;
    private final List<Future<?>> calls = new ArrayList<>();

    Callers() throws ReflectiveOperationException {
      // By name, since the code is compiled for 17.
      threads =
          (ExecutorService)
              Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    void call(Work work) {
      calls.add(
          threads.submit(
              () -> {
                work.run();
                return null;
              }));
    }

    void await() throws Exception {
      try {
        for (Future<?> call : calls) {
          call.get();
        }
      } finally {
        threads.shutdown();
      }
    }
  }

  private List<RecordedEvent> recorded(Work work) throws Exception {
    Path file = directory.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(PINNED).withoutThreshold().withStackTrace();
      recording.start();
      work.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file);
  }

  private static boolean named(RecordedEvent event, String name) {
    return event.getEventType().getName().equals(name);
  }

  /** All of them; the event itself shows five. */
  private static String frames(RecordedEvent event) {
    return event.getStackTrace().getFrames().stream()
        .map(
            frame ->
                frame.getMethod().getType().getName()
                    + "."
                    + frame.getMethod().getName()
                    + ":"
                    + frame.getLineNumber())
        .collect(Collectors.joining("\n  "));
  }

  /** True if a class of which the name matches is in the stack. */
  private static boolean passes(RecordedEvent event, String type) {
    return event.getStackTrace() != null
        && event.getStackTrace().getFrames().stream()
            .anyMatch(frame -> frame.getMethod().getType().getName().matches(type));
  }
}
