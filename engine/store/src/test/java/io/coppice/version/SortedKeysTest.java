// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SortedKeysTest {

  @Test
  void theCeilingIsTheFirstThatIsNotBelow() {
    Seeds.forEach(
        300,
        random -> {
          byte[] begin = randomKey(random, random.nextInt(12));
          byte[][] keys =
              Stream.generate(() -> join(begin, randomKey(random, random.nextInt(11))))
                  .limit(random.nextInt(30))
                  .sorted(Arrays::compareUnsigned)
                  .toArray(byte[][]::new);
          SortedKeys sorted = new SortedKeys(keys);
          for (int i = 0; i < 60; i++) {
            byte[] key = randomKey(random, random.nextInt(14));
            if (random.nextInt(3) > 0) {
              key = join(Arrays.copyOf(begin, random.nextInt(begin.length + 1)), key);
            }
            if (keys.length > 0 && random.nextInt(4) == 0) {
              key = keys[random.nextInt(keys.length)];
            }
            int expected = 0;
            while (expected < keys.length && Arrays.compareUnsigned(keys[expected], key) < 0) {
              expected++;
            }
            byte[] framed = join(new byte[] {7}, key, new byte[] {9});
            assertThat(sorted.ceiling(framed, 1, key.length)).isEqualTo(expected);
          }
        });
  }

  /** Of few different bytes, so that keys begin alike. */
  private static byte[] randomKey(Random random, int length) {
    byte[] key = new byte[length];
    for (int i = 0; i < length; i++) {
      key[i] = (byte) new int[] {0, 1, 127, 128, 255}[random.nextInt(5)];
    }
    return key;
  }

  private static byte[] join(byte[]... parts) {
    return com.google.common.primitives.Bytes.concat(parts);
  }
}
