// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.Durability;
import io.coppice.base.SearchScheme;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.ShuffledDisk;
import io.coppice.table.OpenTables;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What threads keep from their reads and writes holds no store that is closed, and no family. */
class StoreCollectedTest {

  private static final int COLLECTIONS = 100;
  private static final long WAIT_MILLIS = 100;

  /** Lives on, as threads of an application do. */
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
  private final List<Reference<Object>> watched = new ArrayList<>();

  @AfterEach
  void end() {
    thread.shutdown();
  }

  private void watch(Object object) {
    watched.add(new WeakReference<>(object, collected));
  }

  private void awaitCollected() throws InterruptedException {
    awaitCollected(COLLECTIONS);
  }

  /** Collects until all that is watched has gone, or so often that it never will. */
  private void awaitCollected(int collections) throws InterruptedException {
    int left = watched.size();
    for (int i = 0; i < collections && left > 0; i++) {
      System.gc();
      while (left > 0 && collected.remove(WAIT_MILLIS) != null) {
        left--;
      }
    }
    List<Object> held = new ArrayList<>();
    watched.stream().map(Reference::get).filter(one -> one != null).forEach(held::add);
    assertThat(held).isEmpty();
  }

  private static Store open(SearchScheme scheme) throws IOException {
    return Store.open(new MemDisk(), options(scheme).build());
  }

  private static StoreOptions.Builder options(SearchScheme scheme) {
    return StoreOptions.builder().policy("adaptive").search(scheme).durability(Durability.BUFFERED);
  }

  private void watch(Family family) {
    watch((Object) family);
    watch(family.parts());
    watch(family.parts().reader());
    watch(family.parts().tuner());
  }

  /** Everything that a thread may keep something of. */
  private static void use(Family family, Store store) {
    List<byte[]> keys = new ArrayList<>();
    for (int run = 0; run < 3; run++) {
      for (int i = 0; i < 300; i++) {
        byte[] key = ("key" + i).getBytes(UTF_8);
        family.put(key, new byte[100]);
        keys.add(key);
      }
      store.flush();
    }
    keys.forEach(key -> assertThat(family.get(key)).hasSize(100));
    assertThat(family.getAll(keys)).hasSize(900).doesNotContainNull();
    family.deleteRange("key1".getBytes(UTF_8), "key2".getBytes(UTF_8));
    assertThat(family.get("key10".getBytes(UTF_8))).isNull();
    assertThat(family.getAll(keys)).contains((byte[]) null);
    try (Cursor cursor = family.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        assertThat(cursor.key()).isNotEmpty();
      }
    }
  }

  private void inThread(ThrowingRunnable work) throws InterruptedException, ExecutionException {
    thread
        .submit(
            () -> {
              work.run();
              return null;
            })
        .get();
  }

  private interface ThrowingRunnable {
    void run() throws Exception;
  }

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void aClosedStoreIsCollectedThoughItsReadersLive(SearchScheme scheme) throws Exception {
    inThread(
        () -> {
          try (Store store = open(scheme)) {
            use(store.family("default"), store);
            watch(store);
            watch(store.parts());
            watch(store.family("default"));
          }
        });
    awaitCollected();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, OpenTables.WARM_BYTES})
  void aClosedStoreIsCollectedThatFoundTablesWhenItWasOpened(long warmBytes) throws Exception {
    MemDisk disk = new MemDisk();
    StoreOptions options = options(SearchScheme.FIXED_COUNT).warmBytes(warmBytes).build();
    inThread(
        () -> {
          try (Store store = Store.open(disk, options)) {
            use(store.family("default"), store);
          }
          // Its blocks are not at hand, and so read ahead, but for a single one.
          Disk distant = new ShuffledDisk(disk.reopen(), 1, 100);
          try (Store store = Store.open(distant, options)) {
            assertThat(store.get("key200".getBytes(UTF_8))).hasSize(100);
            assertThat(store.getAll(List.of("key250".getBytes(UTF_8)))).doesNotContainNull();
            watch(store);
            watch(store.parts());
            watch(store.family("default"));
          }
        });
    awaitCollected();
  }

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void aDroppedFamilyIsCollectedWhileItsStoreIsOpen(SearchScheme scheme) throws Exception {
    try (Store store = open(scheme)) {
      inThread(
          () -> {
            Family family = store.createFamily("users", "adaptive,rung=0");
            use(family, store);
            watch(family);
            store.dropFamily("users");
          });
      // A thread forgets what it wrote last with its next write.
      inThread(() -> store.put(new byte[] {1}, new byte[] {1}));
      awaitCollected();
    }
  }

  @Test
  void aStoreThatAThreadKeepsIsNoticed() throws Exception {
    ThreadLocal<Store> kept = new ThreadLocal<>();
    inThread(
        () -> {
          try (Store store = open(SearchScheme.SERIAL)) {
            kept.set(store);
            watch(store);
          }
        });
    assertThatThrownBy(() -> awaitCollected(2)).isInstanceOf(AssertionError.class);
    inThread(kept::remove);
    awaitCollected();
  }

  @Test
  void whatThreadsCountedForDroppedFamiliesIsAddedUp() throws Exception {
    try (Store store = open(SearchScheme.SERIAL)) {
      long before = store.stats().reads().lookups();
      for (int i = 0; i < 200; i++) {
        Family family = store.createFamily("f" + i);
        assertThat(family.get(new byte[] {1})).isNull();
        store.dropFamily("f" + i);
        if (i % 50 == 0) {
          System.gc();
        }
      }
      assertThat(store.stats().reads().lookups()).isEqualTo(before + 200);
    }
  }
}
