// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.SearchScheme;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * A process that writes, merges, compresses and reads, then says what read and which libraries were
 * loaded from elsewhere than the JDK and the system.
 */
final class StoreWithoutNatives {

  private static final int KEYS = 2_000;
  private static final int ROUNDS = 6;
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final Path MAPS = Path.of("/proc/self/maps");

  private StoreWithoutNatives() {}

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    try (Store store = Store.open(directory, options("mmap", "lz4"))) {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < KEYS; i++) {
          store.put(key(i * 1009 % KEYS), value(i * 1009 % KEYS, round));
        }
      }
      store.compact();
      check(store, 2);
      for (int round = 3; round < ROUNDS; round++) {
        for (int i = 0; i < KEYS; i++) {
          store.put(key(i), value(i, round));
        }
        store.flush();
      }
    }
    try (Store store = Store.open(directory, options("read", "none"))) {
      check(store, ROUNDS - 1);
      // Blocks of several runs were wanted at once, so rings are tried now.
      long started = System.nanoTime();
      while (store.stats().reader().contains("untried")
          && System.nanoTime() - started < PATIENCE_NANOS) {
        Thread.yield();
      }
      check(store, ROUNDS - 1);
      System.out.println("all is there");
      System.out.println("reader " + store.stats().reader());
    }
    try {
      options("read", "zstd");
    } catch (InvalidOptionsException e) {
      System.out.println(e.getMessage());
    }
    if (Files.exists(MAPS)) {
      List<String> own = List.of("/lib", "/usr/lib", "/usr/local/lib");
      Files.readAllLines(MAPS).stream()
          .filter(line -> line.contains(".so") && line.contains("/"))
          .map(line -> line.substring(line.indexOf('/')))
          .filter(library -> own.stream().noneMatch(library::startsWith) && !isOfJdk(library))
          .distinct()
          .forEach(library -> System.out.println("loaded " + library));
    }
  }

  /** By its name: on an overlay the kernel names a file by its path inside a layer. */
  private static boolean isOfJdk(String library) {
    Path lib = Path.of(System.getProperty("java.home"), "lib");
    Path name = Path.of(library).getFileName();
    return Files.exists(lib.resolve(name)) || Files.exists(lib.resolve("server").resolve(name));
  }

  private static StoreOptions options(String io, String compression) {
    return StoreOptions.builder()
        .policy("leveled,l0_trigger=16,table_size=64KiB")
        .filterBits(0)
        .memtableBytes(64 << 10)
        .blockCacheBytes(0)
        .durability(Durability.BUFFERED)
        .search(SearchScheme.FIXED_COUNT)
        .io(io)
        .compression(compression)
        .build();
  }

  private static void check(Store store, int round) {
    for (int i = 0; i < KEYS; i += 3) {
      if (!new String(store.get(key(i)), StandardCharsets.US_ASCII)
          .equals(new String(value(i, round), StandardCharsets.US_ASCII))) {
        throw new AssertionError("key " + i);
      }
    }
  }

  private static byte[] key(int number) {
    return String.format("key%06d", number).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] value(int number, int round) {
    // Small enough to be quick, and so that a table's blocks are not all in one page.
    Random random = new Random(number * 31L + round);
    return ("value "
            + number
            + " "
            + Long.toHexString(random.nextLong()).repeat(3)
            + random.nextLong())
        .getBytes(StandardCharsets.US_ASCII);
  }
}
