// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process that uses a store with all its defaults, and says how much memory it had at most. */
final class SmallHost {

  private static final int KEYS = 200_000;
  private static final int BATCH = 100;

  private SmallHost() {}

  /** Argument: a directory. */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    try (Store store = Store.open(directory)) {
      for (int i = 0; i < 2 * KEYS; i += BATCH) {
        WriteBatch batch = new WriteBatch();
        for (int of = i; of < i + BATCH; of++) {
          batch.put(key(of * 7919L % KEYS), new byte[200]);
        }
        store.write(batch, Durability.BUFFERED);
      }
      store.flush();
      store.compact();
    }
    try (Store store = Store.openReadOnly(directory);
        Cursor cursor = store.cursor(KeyRange.all())) {
      int keys = 0;
      for (cursor.first(); cursor.valid(); cursor.next()) {
        keys++;
      }
      for (int i = 0; i < KEYS; i += 10) {
        if (store.get(key(i)) == null) {
          throw new AssertionError(i);
        }
      }
      System.out.println(keys + " keys");
    }
    List<String> status = Files.readAllLines(Path.of("/proc/self/status"));
    status.stream().filter(line -> line.startsWith("VmHWM:")).forEach(System.out::println);
  }

  private static byte[] key(long number) {
    return ("key" + number).getBytes(StandardCharsets.UTF_8);
  }
}
