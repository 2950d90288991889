// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A log or manifest that fails in any call of its file. The store is then either as good as before
 * or read-only: it says so once, and takes nothing that a later opening would not find.
 */
class LogFailureTest {

  private static final byte[] A = "a".getBytes(UTF_8);
  private static final byte[] B = "b".getBytes(UTF_8);
  private static final byte[] C = "c".getBytes(UTF_8);
  private static final String READ_ONLY = "the store is read-only: ";

  /** What is called while the file fails. */
  private enum Call {
    PUT {
      @Override
      void on(Store store) {
        WriteBatch batch = new WriteBatch();
        batch.put(B, B);
        store.write(batch, Durability.BUFFERED);
      }
    },
    PUT_SYNCED {
      @Override
      void on(Store store) {
        store.put(B, B);
      }
    },
    SYNC {
      @Override
      void on(Store store) {
        store.sync();
      }
    },
    DROP {
      @Override
      void on(Store store) {
        store.dropFamily("f");
      }
    },
    FLUSH {
      @Override
      void on(Store store) {
        store.flush();
      }
    };

    abstract void on(Store store);
  }

  private final List<String> messages = new ArrayList<>();
  private final Logger logger = Logger.getLogger("io.coppice.Store");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          if (entry.getMessage().startsWith(READ_ONLY)) {
            messages.add(entry.getMessage());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  static Stream<Arguments> cases() {
    return Stream.of(Call.values())
        .flatMap(
            call ->
                Stream.of(Fault.HEAP, Fault.STACK, Fault.BUG, Fault.EIO, Fault.ENOSPC)
                    .map(fault -> Arguments.of(call, fault)));
  }

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
    logger.setLevel(Level.SEVERE);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void listenNoMore() {
    logger.removeHandler(handler);
    logger.setLevel(null);
    logger.setUseParentHandlers(true);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aFailedLogMakesTheStoreReadOnlyOrChangesNothing(Call call, Fault fault) throws IOException {
    for (FileKind kind : List.of(FileKind.WAL, FileKind.MANIFEST)) {
      Predicate<String> names = name -> kind.numberOf(name).isPresent();
      for (boolean forEver : new boolean[] {false, true}) {
        int n = 1;
        while (trial(call, fault, names, n, forEver)) {
          n++;
        }
      }
    }
  }

  /** True if the n-th operation was reached. */
  private boolean trial(Call call, Fault fault, Predicate<String> names, int n, boolean forEver)
      throws IOException {
    String what = call + " " + fault + " at operation " + n + (forEver ? " and on" : "");
    messages.clear();
    MemDisk memory = new MemDisk();
    ErrorDisk disk = new ErrorDisk(memory);
    StoreOptions options =
        StoreOptions.builder()
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(256 << 10)
            .build();
    Store store = TestStores.open(disk, options, new SeededWorkers(n));
    store.createFamily("f");
    store.put(A, A);
    WriteBatch unsynced = new WriteBatch().put(store.family("f"), A, A);
    store.write(unsynced, Durability.BUFFERED);
    disk.fail(fault, names, n, forEver);
    boolean done = attempt(() -> call.on(store));
    boolean fired = disk.fired();
    disk.heal();

    boolean dropped = call == Call.DROP && done;
    boolean put = attempt(() -> store.put(C, C));
    boolean putInFamily = !dropped && attempt(() -> store.family("f").put(C, C));
    if (!dropped) {
      assertThat(putInFamily).as(what).isEqualTo(put);
    }
    if (!put) {
      assertThat(refused(() -> store.createFamily("g"))).as(what).isTrue();
    }
    assertThat(messages).as(what).hasSize(put ? 0 : 1);

    for (MemDisk found : List.of(memory.kill(), memory.crash())) {
      try (Store other = TestStores.open(found, options)) {
        assertThat(other.get(A)).as(what).isEqualTo(A);
        assertThat(other.get(C) != null || !put).as(what).isTrue();
        if (done && call == Call.PUT_SYNCED) {
          assertThat(other.get(B)).as(what).isEqualTo(B);
        }
        if (putInFamily || put && !dropped) {
          assertThat(other.family("f").get(A)).as(what).isEqualTo(A);
        }
        if (putInFamily) {
          assertThat(other.family("f").get(C)).as(what).isEqualTo(C);
        }
        if (put && !done) {
          assertThat(other.get(B)).as(what + ": of a store that went on").isNull();
        }
      }
    }
    attempt(store::close);
    return fired;
  }

  private static boolean attempt(Runnable call) {
    try {
      call.run();
      return true;
    } catch (RuntimeException | Error e) {
      return false;
    }
  }

  private static boolean refused(Runnable call) {
    try {
      call.run();
      return false;
    } catch (ReadOnlyException e) {
      return true;
    } catch (DiskFullException e) {
      return false;
    }
  }
}
