// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A recursion of the program that ends inside a call of the store ends that call alone: others go
 * on, and closing the store gives everything back.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeepRecursionTest {

  private static final int RECURSIONS = 20;

  private enum Call {
    PUT {
      @Override
      void on(Store store, byte[] key) {
        store.put(key, key);
      }
    },
    GET {
      @Override
      void on(Store store, byte[] key) {
        store.get(key);
      }
    },
    CURSOR {
      @Override
      void on(Store store, byte[] key) {
        try (Cursor cursor = store.cursor(KeyRange.all())) {
          cursor.first();
        }
      }
    };

    abstract void on(Store store, byte[] key);

    void deeper(Store store, int depth) {
      on(store, key(depth));
      deeper(store, depth + 1);
    }
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void aStackThatEndsInsideACallHarmsNoOther(Call call) throws IOException, InterruptedException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(16);
    StoreOptions options =
        StoreOptions.builder().memory(memory).durability(Durability.BUFFERED).build();
    try (Store store = Store.open(new MemDisk(), options)) {
      for (int i = 0; i < 3_000; i++) {
        call.on(store, key(i));
      }
      for (int i = 0; i < RECURSIONS; i++) {
        Throwable[] end = new Throwable[1];
        Runnable recursion =
            () -> {
              try {
                call.deeper(store, 0);
              } catch (Throwable e) {
                end[0] = e;
              }
            };
        Thread deep = new Thread(null, recursion, "deep", 180_000 + 1_000 * i);
        deep.start();
        deep.join();
        assertThat(end[0]).isInstanceOf(StackOverflowError.class);
      }
      store.put(key(1), key(2));
      assertThat(store.get(key(1))).isEqualTo(key(2));
    }
    assertThat(memory.usedBytes()).isZero();
  }

  private static byte[] key(int number) {
    return Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
  }
}
