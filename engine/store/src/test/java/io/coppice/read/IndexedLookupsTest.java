// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.SearchScheme;
import io.coppice.base.bytes.Coding;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** So many lookups of one version that these go by an index of its slices. */
class IndexedLookupsTest {

  private static final int KEYS = 3_000;
  private static final int LOOKUPS = 20_000;
  private static final int ROUNDS = 5;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void theyFindWhatWasWrittenLast(SearchScheme scheme) {
    Random random = new Random(1);
    Map<Integer, byte[]> expected = new HashMap<>();
    StoreOptions options = StoreOptions.builder().policy("split-forest").search(scheme).build();
    try (Store store = Store.open(directory, options)) {
      for (int round = 0; round < ROUNDS; round++) {
        write(store, expected, random);
        store.flush();
        store.awaitIdle();
        // Of these no table tells, which are in front of the index.
        write(store, expected, random);
        for (int i = 0; i < LOOKUPS; i++) {
          int key = random.nextInt(2 * KEYS);
          assertThat(store.get(bytes(key))).isEqualTo(expected.get(key));
        }
      }
    }
  }

  private static void write(Store store, Map<Integer, byte[]> expected, Random random) {
    for (int i = 0; i < KEYS / 10; i++) {
      int key = 2 * random.nextInt(KEYS);
      if (random.nextInt(4) == 0) {
        store.delete(bytes(key));
        expected.remove(key);
      } else {
        byte[] value = bytes(random.nextInt());
        store.put(bytes(key), value);
        expected.put(key, value);
      }
    }
  }

  private static byte[] bytes(int number) {
    byte[] bytes = new byte[Integer.BYTES];
    Coding.putFixed32(bytes, 0, Integer.reverseBytes(number));
    return bytes;
  }
}
