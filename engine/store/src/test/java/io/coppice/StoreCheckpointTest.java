// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import io.coppice.io.disk.RealDisk;
import io.coppice.load.NumberedWrites;
import io.coppice.recovery.Checkpoint;
import io.coppice.recovery.StoreVerifier;
import io.coppice.recovery.Verification;
import io.coppice.testing.Seeds;
import io.coppice.version.ManifestState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A checkpoint is a store that shows what the first one showed, whatever happens to either. */
class StoreCheckpointTest {

  private static final String MERGING =
      "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1";

  private final NumberedWrites writes = new NumberedWrites(150);

  @TempDir Path parent;

  private static StoreOptions options(String policy) {
    return StoreOptions.builder()
        .policy(policy)
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(64 << 10)
        .build();
  }

  private static NavigableMap<byte[], byte[]> shown(MemDisk disk) throws IOException {
    try (Store store = Store.open(disk.reopen(), options(MERGING))) {
      return NumberedWrites.contents(store);
    }
  }

  /**
   * A checkpoint at each edit of merges that clean as they go, a crash of either disk at each
   * operation of making it.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        MERGING,
        "delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,cleaning_threshold=1,vct=7,vsmt=2"
      })
  void atEachEditItShowsTheViewOfThatTime(String policy) throws IOException {
    Random random = Seeds.random(Seeds.seed(5), 0);
    MemDisk disk = new MemDisk();
    Store[] store = {null};
    List<NavigableMap<byte[], byte[]>> view = new ArrayList<>();
    Thread merging = Thread.currentThread();
    boolean[] busy = {true};
    ManifestState[] last = {null};
    int[] edits = {0};
    int[] opened = {0};
    Runnable tap =
        () -> {
          if (Thread.currentThread() == merging && !busy[0]) {
            busy[0] = true;
            try {
              ManifestState now = store[0].parts().manifest.state();
              if (now != last[0]) {
                last[0] = now;
                edits[0]++;
                opened[0] += checkpointAndCrash(store[0], disk, view.get(0), random);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            } finally {
              busy[0] = false;
            }
          }
        };
    try (Store first = Store.openPaused(new TapDisk(disk, tap), options(policy))) {
      store[0] = first;
      for (int number = 0; number < 2_400; number++) {
        writes.write(first, number, Durability.BUFFERED);
        if (number % 240 == 239) {
          first.flush();
          view.clear();
          view.add(writes.after(number + 1));
          busy[0] = false;
          while (first.parts().compactor.carryOutNext()) {
            first.get(NumberedWrites.key(number % 150));
          }
          busy[0] = true;
        }
      }
    }
    assertThat(edits[0]).as("edits").isGreaterThan(25);
    assertThat(opened[0]).as("checkpoints opened").isGreaterThan(edits[0]);
  }

  /** Returns how many stores were opened. */
  private static int checkpointAndCrash(
      Store store, MemDisk source, NavigableMap<byte[], byte[]> view, Random random)
      throws IOException {
    MemDisk target = new MemDisk();
    List<MemDisk> crashes = new ArrayList<>();
    Disk tapped =
        new TapDisk(
            target,
            () -> crashes.add(random.nextBoolean() ? target.crash() : target.crash(random)));
    MemDisk before = source.crash(random);
    store.parts().checkpoint(tapped, share -> {});
    int opened = 2;
    assertThat(NumberedWrites.same(shown(before), view)).as("the source, crashed").isTrue();
    assertThat(NumberedWrites.same(shown(target.crash()), view)).as("the checkpoint").isTrue();
    assertThat(StoreVerifier.verify(target.crash()).damaged()).isFalse();
    // Before it is done it has no name of its own; under whatever name it is a store or none.
    MemDisk part = crashes.get(random.nextInt(crashes.size()));
    try {
      assertThat(NumberedWrites.same(shown(part), view)).isTrue();
      opened++;
    } catch (CorruptionException e) {
      assertThat(e.file()).isEqualTo("CURRENT");
    } catch (AssertionError e) {
      assertThat(part.reopen().list()).noneMatch(name -> name.endsWith(".tbl"));
    }
    return opened;
  }

  @Test
  void itIsMadeWhileWritesAndMergesGoOnAndShowsAPrefixOfTheWrites() throws Exception {
    MemDisk disk = new MemDisk();
    AtomicInteger written = new AtomicInteger();
    AtomicBoolean stop = new AtomicBoolean();
    List<MemDisk> made = new ArrayList<>();
    List<int[]> bounds = new ArrayList<>();
    try (Store store = Store.open(disk, options(MERGING))) {
      Thread writer =
          new Thread(
              () -> {
                for (int number = 0; !stop.get(); number++) {
                  writes.write(store, number, Durability.BUFFERED);
                  written.set(number + 1);
                }
              });
      writer.start();
      for (int i = 0; i < 15; i++) {
        int reached = written.get();
        while (written.get() < reached + 200) {
          Thread.onSpinWait();
        }
        MemDisk target = new MemDisk();
        int least = written.get();
        store.parts().checkpoint(target, share -> {});
        made.add(target);
        bounds.add(new int[] {least, written.get() + 1});
      }
      stop.set(true);
      writer.join();
    }
    for (int i = 0; i < made.size(); i++) {
      NavigableMap<byte[], byte[]> shown = shown(made.get(i));
      int least = bounds.get(i)[0];
      NavigableMap<byte[], byte[]> model = writes.after(least);
      int prefix = least;
      while (!NumberedWrites.same(shown, model)) {
        assertThat(prefix).as("prefixes from " + least).isLessThan(bounds.get(i)[1]);
        writes.apply(model, prefix++);
      }
    }
  }

  @Test
  void tablesAreSharedByLinksAndOutliveTheirStore() throws IOException {
    Path directory = parent.resolve("store");
    Path target = parent.resolve("checkpoint");
    try (Store store = Store.openPaused(RealDisk.open(directory), options(MERGING))) {
      for (int number = 0; number < 1_000; number++) {
        writes.write(store, number, Durability.BUFFERED);
      }
      Checkpoint made = store.checkpoint(target);
      assertThat(made.tables()).isPositive();
      assertThat(made.linkedBytes()).isPositive();
      try (Stream<Path> files = Files.list(target)) {
        for (Path file : files.toList()) {
          assertThat(file.getFileName().toString()).isNotEqualTo("LOCK");
          if (file.toString().endsWith(".tbl")) {
            assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(2);
          }
        }
      }
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
          .isEqualTo("rwx------");
      for (int number = 1_000; number < 2_000; number++) {
        writes.write(store, number, Durability.BUFFERED);
      }
      while (store.parts().compactor.carryOutNext()) {}
      Verification found = Store.verify(target);
      assertThat(found.damaged()).as("%s", found).isFalse();
      assertThat(found.leftovers()).isEmpty();
    }
    try (Store store = Store.open(target, options("leveled"))) {
      assertThat(NumberedWrites.same(NumberedWrites.contents(store), writes.after(1_000))).isTrue();
      store.put(new byte[] {1}, new byte[] {2});
      store.compact();
    }
    try (Store store = Store.open(directory, options(MERGING))) {
      assertThat(NumberedWrites.same(NumberedWrites.contents(store), writes.after(2_000))).isTrue();
    }
    assertThat(names(parent)).containsExactlyInAnyOrder("store", "checkpoint");
  }

  @Test
  void whatIsInTheWayIsNamedAndLeftAsItIs() throws IOException {
    Path directory = parent.resolve("store");
    Path full = Files.createDirectory(parent.resolve("full"));
    Files.writeString(full.resolve("note"), "mine");
    Path empty = Files.createDirectory(parent.resolve("empty"));
    Path link = Files.createSymbolicLink(parent.resolve("link"), empty);
    Path file = Files.writeString(parent.resolve("file"), "mine");
    try (Store store = Store.open(directory, options(MERGING))) {
      store.put(new byte[] {1}, new byte[] {2});
      assertThatThrownBy(() -> store.checkpoint(full))
          .isInstanceOf(UncheckedIOException.class)
          .hasCauseInstanceOf(FileAlreadyExistsException.class)
          .hasMessageContaining("full: it is a directory that is not empty");
      assertThatThrownBy(() -> store.checkpoint(link)).hasMessageContaining("a symbolic link");
      assertThatThrownBy(() -> store.checkpoint(file)).hasMessageContaining("it is a file");
      assertThatThrownBy(() -> store.checkpoint(directory)).hasMessageContaining("not empty");
      assertThatThrownBy(() -> store.checkpoint(directory.resolve("inside")))
          .hasMessageContaining("lies inside the store");
      assertThatThrownBy(() -> store.checkpoint(parent.resolve("no").resolve("such")))
          .isInstanceOf(UncheckedIOException.class);
      store.checkpoint(empty);
    }
    assertThat(Files.readString(full.resolve("note"))).isEqualTo("mine");
    assertThat(names(full)).containsExactly("note");
    assertThat(Files.readString(file)).isEqualTo("mine");
    assertThat(names(parent)).containsExactlyInAnyOrder("store", "full", "empty", "link", "file");
    try (Store store = Store.open(empty)) {
      assertThat(store.get(new byte[] {1})).containsExactly(2);
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void whereLinksCannotGoBytesAreCopied() throws IOException {
    Path other = Path.of("/dev/shm");
    Assumptions.assumeTrue(
        Files.isDirectory(other)
            && Files.isWritable(other)
            && !Files.getFileStore(other).equals(Files.getFileStore(parent)),
        "there is no second file system at /dev/shm");
    Path home = Files.createTempDirectory(other, "coppice");
    try {
      try (Store store = Store.open(parent.resolve("store"), options(MERGING))) {
        for (int number = 0; number < 500; number++) {
          writes.write(store, number, Durability.BUFFERED);
        }
        Checkpoint made = store.checkpoint(home.resolve("checkpoint"));
        assertThat(made.linkedBytes()).isZero();
        assertThat(made.copiedBytes()).isPositive();
      }
      try (Store store = Store.openReadOnly(home.resolve("checkpoint"), options(MERGING))) {
        assertThat(NumberedWrites.same(NumberedWrites.contents(store), writes.after(500))).isTrue();
      }
    } finally {
      try (Stream<Path> files = Files.walk(home)) {
        for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @Test
  void ofAStoreForReadingItHasTheLogs() throws IOException {
    MemDisk disk = new MemDisk();
    MemDisk killed;
    try (Store store = Store.open(disk, options(MERGING))) {
      for (int number = 0; number < 700; number++) {
        writes.write(store, number, Durability.BUFFERED);
      }
      killed = disk.kill();
    }
    MemDisk target = new MemDisk();
    try (Store store = Store.openReadOnly(killed, options(MERGING))) {
      Checkpoint made = store.parts().checkpoint(target, share -> {});
      assertThat(made.copiedBytes()).isPositive();
    }
    assertThat(NumberedWrites.same(shown(target.crash()), writes.after(700))).isTrue();
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void whoIsToldOfItsProgressCannotCloseTheStore() {
    try (Store store = Store.open(parent.resolve("store"), options(MERGING))) {
      store.put(new byte[] {1}, new byte[] {2});
      Path made = parent.resolve("checkpoint");
      Runnable closing = store::close;
      assertThatThrownBy(() -> store.checkpoint(made, share -> closing.run()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("inside one of its calls");
      assertThat(store.get(new byte[] {1})).containsExactly(2);
      assertThat(store.checkpoint(made).tables()).isEqualTo(1);
    }
  }

  @Test
  void aFullTargetFailsTheCheckpointAlone() throws IOException {
    MemDisk disk = new MemDisk();
    try (Store store = Store.open(disk, options(MERGING))) {
      for (int number = 0; number < 700; number++) {
        writes.write(store, number, Durability.BUFFERED);
      }
      for (int capacity = 0; capacity < 3_000; capacity += 100) {
        MemDisk target = new MemDisk().capacity(capacity);
        assertThatThrownBy(() -> store.parts().checkpoint(target, share -> {}))
            .isInstanceOf(DiskFullException.class);
      }
      store.put(new byte[] {1}, new byte[] {2});
      MemDisk target = new MemDisk();
      store.parts().checkpoint(target, share -> {});
      assertThat(shown(target.crash())).hasSize(writes.after(700).size() + 1);
    }
  }
}
