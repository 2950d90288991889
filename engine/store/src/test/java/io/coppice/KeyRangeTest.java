// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Each call that builds a range cuts it: it holds the keys that every call allows, and no other.
 */
class KeyRangeTest {

  private static final int RANGES = 3_000;
  private static final int MAX_ENDS = 4;

  /** One call and the keys that it allows. */
  private interface Allowed {
    boolean holds(byte[] key);
  }

  @Test
  void theEndOfAPrefixStays() {
    KeyRange range = KeyRange.prefix(new byte[] {'a'}).to(new byte[] {'c'});
    assertThat(range.from()).isEqualTo(new byte[] {'a'});
    assertThat(range.to()).isEqualTo(new byte[] {'b'});
  }

  @Test
  void everyChainOfCallsHoldsTheKeysThatAllOfThemAllow() {
    List<byte[]> keys = allKeys();
    Seeds.forEach(
        8,
        random -> {
          for (int i = 0; i < RANGES; i++) {
            check(random, keys);
          }
        });
  }

  private static void check(Random random, List<byte[]> keys) {
    List<Allowed> allowed = new ArrayList<>();
    byte[] first = random.nextInt(3) == 0 ? null : keys.get(random.nextInt(keys.size()));
    KeyRange range = begin(random, first, allowed);
    for (int ends = random.nextInt(MAX_ENDS); ends > 0; ends--) {
      byte[] end = keys.get(random.nextInt(keys.size()));
      if (first != null && Arrays.compareUnsigned(end, first) < 0) {
        KeyRange before = range;
        assertThatIllegalArgumentException().isThrownBy(() -> before.to(end));
        continue;
      }
      range = range.to(end);
      allowed.add(key -> Arrays.compareUnsigned(key, end) < 0);
    }
    for (byte[] key : keys) {
      assertThat(holds(range, key))
          .as("%s in %s", Arrays.toString(key), range)
          .isEqualTo(allowed.stream().allMatch(one -> one.holds(key)));
    }
  }

  private static KeyRange begin(Random random, byte[] first, List<Allowed> allowed) {
    if (first == null) {
      return KeyRange.all();
    }
    if (random.nextBoolean()) {
      allowed.add(key -> Arrays.compareUnsigned(key, first) >= 0);
      return KeyRange.from(first);
    }
    allowed.add(key -> beginsWith(key, first));
    return KeyRange.prefix(first);
  }

  private static boolean beginsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  private static boolean holds(KeyRange range, byte[] key) {
    return (range.from() == null || Arrays.compareUnsigned(key, range.from()) >= 0)
        && (range.to() == null || Arrays.compareUnsigned(key, range.to()) < 0);
  }

  /** All keys of up to three bytes out of the smallest, two in the middle and the largest. */
  private static List<byte[]> allKeys() {
    byte[] bytes = {0, 'a', 'b', (byte) 0xFF};
    List<byte[]> keys = new ArrayList<>(List.of(new byte[0]));
    for (int from = 0, length = 0; length < 3; length++) {
      int to = keys.size();
      for (; from < to; from++) {
        for (byte one : bytes) {
          byte[] longer = Arrays.copyOf(keys.get(from), length + 1);
          longer[length] = one;
          keys.add(longer);
        }
      }
    }
    return keys;
  }
}
