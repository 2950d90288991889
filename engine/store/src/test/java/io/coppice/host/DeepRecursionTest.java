// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A recursion of the program that ends inside a call of the store ends that call alone: others go
 * on, and closing the store gives everything back.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeepRecursionTest {

  private static final int RECURSIONS = 8;
  private static final int WRITERS = 2;

  /** Calls of one recursion while it unwinds: each has one frame more of stack than the last. */
  private static final int UNWOUND_CALLS = 150;

  private enum Call {
    PUT {
      @Override
      void on(Store store, byte[] key) {
        store.put(key, key);
      }
    },
    COMPARE_AND_SET {
      @Override
      void on(Store store, byte[] key) {
        store.compareAndSet(key, null, key);
      }
    },
    SYNC {
      @Override
      void on(Store store, byte[] key) {
        store.sync();
      }
    },
    FLUSH {
      @Override
      void on(Store store, byte[] key) {
        store.flush();
      }
    },
    GET {
      @Override
      void on(Store store, byte[] key) {
        store.get(key);
      }
    },
    STATS {
      @Override
      void on(Store store, byte[] key) {
        store.stats();
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

    /** Calls from the deepest frame upward, where less stack is left than a call needs. */
    void unwind(Store store, int depth, int[] calls) {
      try {
        unwind(store, depth + 1, calls);
      } finally {
        if (calls[0]++ < UNWOUND_CALLS) {
          on(store, key(depth));
        }
      }
    }
  }

  /** A thread that puts the same key again and again. */
  private static final class Writer extends Thread {
    private final Store store;
    private final byte[] key;
    private final AtomicLong puts = new AtomicLong();
    private volatile boolean ended;
    private volatile Throwable failure;

    Writer(Store store, int number) {
      super("writer-" + number);
      setDaemon(true);
      this.store = store;
      this.key = key(-number);
    }

    @Override
    public void run() {
      try {
        for (long i = 1; !ended; i++) {
          store.put(key, key(i));
          puts.set(i);
        }
      } catch (Throwable e) {
        failure = e;
      }
    }

    void awaitPuts(long more) {
      long end = puts.get() + more;
      while (puts.get() < end) {
        assertThat(failure).isNull();
        Thread.onSpinWait();
      }
    }

    void end() throws InterruptedException {
      ended = true;
      join();
      assertThat(failure).isNull();
      assertThat(store.get(key)).isEqualTo(key(puts.get()));
    }
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void aStackThatEndsInsideACallHarmsNoOther(Call call) throws IOException, InterruptedException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(16);
    try (Store store = open(memory)) {
      warm(store, call);
      for (int i = 0; i < RECURSIONS; i++) {
        Throwable end = endOf(() -> call.deeper(store, 0), 180_000 + 1_000 * i);
        assertThat(end).isInstanceOf(StackOverflowError.class);
      }
      store.put(key(1), key(2));
      assertThat(store.get(key(1))).isEqualTo(key(2));
      // The compaction replaces the version that the calls leased.
      store.compact();
      assertThat(store.stats().families().get(0).pinnedBytes()).isZero();
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void callsOfARecursionThatUnwindsHarmNoWriter(Call call)
      throws IOException, InterruptedException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(16);
    try (Store store = open(memory)) {
      warm(store, call);
      List<Writer> writers = new ArrayList<>();
      for (int i = 1; i <= WRITERS; i++) {
        writers.add(new Writer(store, i));
      }
      writers.forEach(Thread::start);
      for (int i = 0; i < RECURSIONS; i++) {
        int[] calls = new int[1];
        Throwable end = endOf(() -> call.unwind(store, 0, calls), 180_000 + 1_000 * i);
        assertThat(end).isInstanceOf(StackOverflowError.class);
        assertThat(calls[0]).isGreaterThan(UNWOUND_CALLS);
        writers.forEach(writer -> writer.awaitPuts(2));
      }
      for (Writer writer : writers) {
        writer.end();
      }
      store.put(key(1), key(2));
      assertThat(store.get(key(1))).isEqualTo(key(2));
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void aStoreIsClosedByTheFirstFrameThatHasTheStack() throws IOException, InterruptedException {
    for (int i = 0; i < RECURSIONS; i++) {
      MemoryBudget memory = MemoryBudget.ofMebibytes(16);
      Store store = open(memory);
      store.put(key(1), key(1));
      int[] closings = new int[1];
      endOf(() -> close(store, closings), 400_000 + 1_000 * i);
      assertThat(closings[0]).isGreaterThan(1);
      store.close();
      assertThat(memory.usedBytes()).isZero();
    }
  }

  private static void close(Store store, int[] closings) {
    try {
      close(store, closings);
    } finally {
      closings[0]++;
      store.close();
    }
  }

  private static Store open(MemoryBudget memory) throws IOException {
    StoreOptions options =
        StoreOptions.builder().memory(memory).durability(Durability.BUFFERED).build();
    return TestStores.open(new MemDisk(), options);
  }

  private static void warm(Store store, Call call) {
    for (int i = 0; i < 1_000; i++) {
      call.on(store, key(i));
    }
    store.put(key(0), key(0));
    store.flush();
  }

  private static Throwable endOf(Runnable recursion, long stackBytes) throws InterruptedException {
    Throwable[] end = new Throwable[1];
    Runnable caught =
        () -> {
          try {
            recursion.run();
          } catch (Throwable e) {
            end[0] = e;
          }
        };
    Thread deep = new Thread(null, caught, "deep", stackBytes);
    deep.setDaemon(true);
    deep.start();
    deep.join();
    return end[0];
  }

  private static byte[] key(long number) {
    return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
  }
}
