// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.io.MemDisk;
import io.coppice.model.KindsModel;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lookups of a key whose operands fill many blocks read each block about once. */
class ManyOperandsTest {

  private static final byte[] KEY = {'k'};
  private static final int OPERANDS = 8_000;

  private static byte[] number(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  @ParameterizedTest
  @CsvSource({"false,false", "true,false", "false,true"})
  void eachBlockIsReadAboutOnce(boolean based, boolean ranges) throws Exception {
    StoreOptions options =
        StoreOptions.builder()
            .durability(Durability.BUFFERED)
            .blockCacheBytes(0)
            .policy("tiered,trigger=64")
            .mergeOperator(KindsModel.SUM)
            .build();
    try (Store store = TestStores.open(new MemDisk(), options)) {
      if (based) {
        store.put(KEY, number(1_000));
      }
      if (ranges) {
        store.deleteRange(new byte[] {'a'}, new byte[] {'b'});
      }
      store.put(new byte[] {'j'}, number(5));
      Snapshot half = null;
      for (int i = 0; i < OPERANDS; i++) {
        store.merge(KEY, number(1));
        if (i == OPERANDS / 2 - 1) {
          half = store.snapshot();
        }
      }
      long base = based ? 1_000 : 0;
      check(store, half, base);
      store.flush();
      long bytes = store.stats().tableBytes();
      long blocks = bytes / 4096 + 3;
      long before = store.stats().reads().blocks();
      check(store, half, base);
      // Six lookups; those of the snapshot pass the newer half too.
      assertThat(store.stats().reads().blocks() - before).isBetween(blocks / 2, 8 * blocks);
      half.close();
    }
  }

  private static void check(Store store, Snapshot half, long base) {
    assertThat(store.get(KEY)).isEqualTo(number(base + OPERANDS));
    assertThat(half.get(KEY)).isEqualTo(number(base + OPERANDS / 2));
    List<byte[]> keys = List.of(KEY, new byte[] {'j'}, new byte[] {'l'});
    assertThat(store.getAll(keys)).containsExactly(number(base + OPERANDS), number(5), null);
    assertThat(half.getAll(keys)).containsExactly(number(base + OPERANDS / 2), number(5), null);
    ByteBuffer target = ByteBuffer.allocate(Long.BYTES);
    assertThat(store.getInto(KEY, target)).isEqualTo(Long.BYTES);
    assertThat(target.getLong(0)).isEqualTo(base + OPERANDS);
    assertThat(half.getInto(KEY, target)).isEqualTo(Long.BYTES);
    assertThat(target.getLong(0)).isEqualTo(base + OPERANDS / 2);
  }
}
