// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

import com.sun.management.OperatingSystemMXBean;
import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Prints the processor time of the whole process per operation for four loads: fillrandom,
 * readrandom, readmissing, seekrandom. Keys have 16 bytes, values 100. The arguments are the number
 * of keys and the seed. {@code pairs.sh} runs it on two versions of the engine in turn.
 */
final class OperationCost {

  private static final int VALUE_BYTES = 100;
  private static final int STEPS = 10;
  private static final int REST_KEYS = 50_000;
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private interface Operation {
    void run(int index);
  }

  public static void main(String[] arguments) throws Exception {
    int keys = Integer.parseInt(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    // The first store has the code compiled, which takes as long as the writes themselves.
    inStore(store -> fill(store, keys, seed, keys));
    inStore(
        store -> {
          long from = cpu();
          fill(store, keys, seed, keys);
          print("fillrandom", keys, cpu() - from);
        });
    inStore(
        store -> {
          // Merges keep up with the writes here, so both versions read levels of the same shape.
          fill(store, keys, seed, REST_KEYS);
          read(store, keys, new Random(seed));
        });
  }

  private static void inStore(Consumer<Store> work) throws Exception {
    Path directory = Files.createTempDirectory("cost");
    StoreOptions options =
        StoreOptions.builder().memtableBytes(8 << 20).durability(Durability.BUFFERED).build();
    try (Store store = Store.open(directory, options)) {
      work.accept(store);
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  /** Writes random keys. Merges are waited for at the end and after every {@code rest} keys. */
  private static void fill(Store store, int keys, long seed, int rest) {
    Random random = new Random(seed);
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 1; i <= keys; i++) {
      random.nextBytes(value);
      store.put(key(random.nextInt(keys), 0), value);
      if (i % rest == 0 || i == keys) {
        store.flush();
        store.awaitIdle();
      }
    }
  }

  private static void read(Store store, int keys, Random random) {
    measure("readrandom", keys, i -> store.get(key(random.nextInt(keys), 0)));
    measure("readmissing", keys, i -> store.get(key(random.nextInt(keys), 1)));
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      measure(
          "seekrandom",
          keys / 4,
          i -> {
            cursor.seek(key(random.nextInt(keys), 0));
            for (int step = 0; step < STEPS && cursor.valid(); step++) {
              cursor.next();
            }
          });
    }
  }

  /** Measures operations after half as many that compile the code and fill the caches. */
  private static void measure(String load, int operations, Operation operation) {
    for (int i = 0; i < operations / 2; i++) {
      operation.run(i);
    }
    long from = cpu();
    for (int i = 0; i < operations; i++) {
      operation.run(i);
    }
    print(load, operations, cpu() - from);
  }

  private static long cpu() {
    return SYSTEM.getProcessCpuTime();
  }

  private static void print(String load, int operations, long nanos) {
    System.out.printf("%s %.1f%n", load, (double) nanos / operations);
  }

  private static byte[] key(int number, int suffix) {
    // Keys that follow each other lie far apart.
    return ByteBuffer.allocate(16)
        .putLong(Long.reverse(number * 0x9E3779B97F4A7C15L))
        .putInt(number)
        .putInt(suffix)
        .array();
  }
}
