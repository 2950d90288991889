// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import io.coppice.base.ClosedException;
import io.coppice.io.MemDisk;
import io.coppice.table.TableMeta;
import io.coppice.testing.Seeds;
import io.coppice.version.EditOp;
import io.coppice.version.RandomEdits;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseTest {

  private static final long SEED = Seeds.first();

  private final List<Long> retired = new ArrayList<>();

  private Manifest open() throws IOException {
    Manifest manifest = Manifest.open(new MemDisk());
    manifest.retireTo(table -> retired.add(table.number()));
    return manifest;
  }

  @Test
  void aTableWithoutLeaseIsRetiredAtOnce() throws IOException {
    try (Manifest manifest = open()) {
      add(manifest, 0, 5);
      remove(manifest, 0);
      assertThat(retired).hasSize(1);
    }
  }

  @Test
  void aLeasedTableIsRetiredWithTheLastLease() throws IOException {
    try (Manifest manifest = open()) {
      add(manifest, 0, 5);
      Lease first = manifest.family().lease();
      Lease second = manifest.family().lease();
      remove(manifest, 0);
      first.close();
      assertThat(retired).isEmpty();
      second.close();
      assertThat(retired).hasSize(1);
    }
  }

  /** A reader that got a lease on nothing would take for absent what was not deleted. */
  @Test
  void aLineThatEndsHasNoLastVersionWithoutItsTables() throws IOException {
    try (Manifest manifest = open()) {
      add(manifest, 0, 5);
      Leases[] line = new Leases[1];
      List<Throwable> refusals = new ArrayList<>();
      line[0] =
          new Leases(
              manifest.family().current(),
              table -> refusals.add(catchThrowable(() -> line[0].lease())),
              () -> {});
      line[0].drop("the family");
      assertThat(refusals).singleElement().isInstanceOf(ClosedException.class);
    }
  }

  @Test
  void aLeaseOnAnOlderVersionDoesNotKeepATableThatItDoesNotName() throws IOException {
    try (Manifest manifest = open()) {
      try (Lease old = manifest.family().lease()) {
        add(manifest, 0, 5);
        remove(manifest, 0);
        assertThat(retired).hasSize(1);
        assertThat(old.version().tables()).isEmpty();
      }
    }
  }

  @Test
  void aTableOutlivesAllVersionsInBetween() throws IOException {
    try (Manifest manifest = open()) {
      long kept = add(manifest, 0, 5);
      Lease old = manifest.family().lease();
      long other = add(manifest, 10, 15);
      Lease middle = manifest.family().lease();
      remove(manifest, 0);
      remove(manifest, 0);
      old.close();
      assertThat(retired).isEmpty();
      middle.close();
      assertThat(retired).containsExactlyInAnyOrder(kept, other);
    }
  }

  @Test
  void aTrimmedOrMovedTableIsNotRetired() throws IOException {
    try (Manifest manifest = open()) {
      add(manifest, 0, 5);
      long slice = manifest.family().current().slices().get(0).id();
      long run = manifest.nextNumber();
      manifest.install(
          VersionEdit.builder()
              .trimSlice(slice, RandomEdits.key(2))
              .addRun(1, run, Set.of())
              .moveSlice(slice, 1, run)
              .build());
      assertThat(retired).isEmpty();
    }
  }

  @Test
  void aTableAddedAndRemovedByOneEditIsRetired() throws IOException {
    try (Manifest manifest = open()) {
      manifest.install(
          VersionEdit.builder()
              .addRun(0, 10, Set.of())
              .addTable(0, 10, 11, RandomEdits.meta(12, 1, 2, new Random(1)))
              .removeSlice(11)
              .build());
      assertThat(retired).containsExactly(12L);
      assertThat(manifest.nextNumber()).isGreaterThan(12);
    }
  }

  @Test
  void aTaskRunsWhenThoseHaveLeftWhoMayHaveFoundTheTableAndWaitsForNoOther() throws IOException {
    try (Manifest manifest = open()) {
      Lease older = manifest.family().lease();
      add(manifest, 0, 5);
      TableMeta table = manifest.family().current().slices().get(0).table();
      Lease present = manifest.family().lease();
      List<String> ran = new ArrayList<>();
      assertThat(manifest.afterReaders(table, () -> ran.add("first"))).isTrue();
      Lease younger = manifest.family().lease();
      assertThat(younger.version().tables()).contains(table);
      assertThat(ran).isEmpty();
      present.close();
      assertThat(ran).containsExactly("first");
      assertThat(manifest.afterReaders(table, () -> ran.add("second"))).isTrue();
      remove(manifest, 0);
      assertThat(manifest.afterReaders(table, () -> ran.add("never"))).isFalse();
      assertThat(ran).hasSize(1);
      assertThat(retired).isEmpty();
      younger.close();
      older.close();
      assertThat(ran).containsExactly("first", "second");
      assertThat(retired).containsExactly(table.number());
      assertThat(manifest.pinnedBytes()).isZero();
    }
  }

  @Test
  void nothingIsRetiredByClosing() throws IOException {
    Manifest manifest = open();
    add(manifest, 0, 5);
    Lease lease = manifest.family().lease();
    remove(manifest, 0);
    manifest.close();
    lease.close();

    assertThat(retired).isEmpty();
    assertThatThrownBy(manifest.family()::lease).isInstanceOf(ClosedException.class);
    assertThatThrownBy(manifest.family()::current).isInstanceOf(ClosedException.class);
  }

  @Test
  void noTableIsRetiredUnderAReader() throws Exception {
    Set<Long> gone = ConcurrentHashMap.newKeySet();
    AtomicLong added = new AtomicLong();
    AtomicBoolean stop = new AtomicBoolean();
    Manifest manifest = Manifest.open(new MemDisk());
    manifest.retireTo(
        table -> assertThat(gone.add(table.number())).as("retired twice: " + table).isTrue());
    ExecutorService readers = Executors.newFixedThreadPool(4);
    try {
      List<Future<Long>> futures = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        long seed = SEED + i;
        futures.add(readers.submit(() -> read(manifest, gone, stop, seed)));
      }
      Random random = new Random(SEED);
      RandomEdits edits = new RandomEdits(random, manifest::nextNumber, 20);
      for (int i = 0; i < 3000; i++) {
        VersionEdit edit = edits.next(manifest.family().current());
        added.addAndGet(edit.ops().stream().filter(op -> op instanceof EditOp.AddTable).count());
        manifest.install(edit);
      }
      stop.set(true);
      for (Future<Long> future : futures) {
        assertThat(future.get()).as("seed " + SEED).isPositive();
      }
      // All leases are back, so exactly the tables of the current version are left.
      assertThat(gone)
          .as("seed " + SEED)
          .hasSize((int) added.get() - manifest.family().current().tables().size());
    } finally {
      stop.set(true);
      readers.shutdownNow();
      manifest.close();
    }
  }

  /** A share is gone once it is counted down, so nothing after that may need heap. */
  @Test
  void givingBackALeaseAllocatesNothing() throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    AtomicLong retirements = new AtomicLong();
    try (Manifest manifest = Manifest.open(new MemDisk())) {
      manifest.retireTo(table -> retirements.incrementAndGet());
      long allocated = 0;
      for (int i = 0; i < 200; i++) {
        add(manifest, 0, 5);
        Lease lease = manifest.family().lease();
        remove(manifest, 0);
        long before = threads.getThreadAllocatedBytes(thread);
        lease.close();
        // The first calls link classes.
        allocated += i < 20 ? 0 : threads.getThreadAllocatedBytes(thread) - before;
      }
      assertThat(retirements).hasValue(200);
      assertThat(allocated).isZero();
    }
  }

  @Test
  void aTableIsRetiredOnceThoughHeapOrStackIsLackingAtTimes() throws IOException {
    long seed = Seeds.first();
    Random random = new Random(seed);
    Set<Long> gone = new HashSet<>();
    AtomicLong added = new AtomicLong();
    AtomicBoolean lacking = new AtomicBoolean(true);
    AtomicBoolean stalled = new AtomicBoolean();
    try (Manifest manifest = Manifest.open(new MemDisk())) {
      manifest.retireTo(
          table -> {
            if (lacking.get() && random.nextInt(3) == 0) {
              throw random.nextBoolean() ? new OutOfMemoryError() : new StackOverflowError();
            }
            assertThat(gone.add(table.number())).as("retired twice: " + table).isTrue();
          },
          () -> stalled.set(true));
      RandomEdits edits = new RandomEdits(random, manifest::nextNumber, 20);
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        VersionEdit edit = edits.next(manifest.family().current());
        added.addAndGet(edit.ops().stream().filter(op -> op instanceof EditOp.AddTable).count());
        manifest.install(edit);
        held.add(manifest.family().lease());
        while (held.size() > random.nextInt(6)) {
          held.remove(random.nextInt(held.size())).close();
        }
        if (stalled.getAndSet(false) && random.nextBoolean()) {
          manifest.settle();
        }
      }
      held.forEach(Lease::close);
      lacking.set(false);
      assertThat(manifest.settle()).as("seed " + seed).isTrue();
      assertThat(gone)
          .as("seed " + seed)
          .hasSize((int) added.get() - manifest.family().current().tables().size());
      assertThat(manifest.pinnedBytes()).as("seed " + seed).isZero();
    }
  }

  private static long read(Manifest manifest, Set<Long> gone, AtomicBoolean stop, long seed) {
    Random random = new Random(seed);
    List<Lease> held = new ArrayList<>();
    long reads = 0;
    do {
      held.add(manifest.family().lease());
      Lease lease = held.get(random.nextInt(held.size()));
      for (TableMeta table : lease.version().tables()) {
        assertThat(gone).as("seed " + seed).doesNotContain(table.number());
      }
      while (held.size() > random.nextInt(6)) {
        held.remove(random.nextInt(held.size())).close();
      }
      reads++;
    } while (!stop.get());
    held.forEach(Lease::close);
    return reads;
  }

  private static long add(Manifest manifest, int from, int to) throws IOException {
    long run = manifest.nextNumber();
    long table = manifest.nextNumber();
    manifest.install(
        VersionEdit.builder()
            .addRun(0, run, Set.of())
            .addTable(
                0, run, manifest.nextNumber(), RandomEdits.meta(table, from, to, new Random(1)))
            .build());
    return table;
  }

  private static void remove(Manifest manifest, int index) throws IOException {
    manifest.install(
        VersionEdit.builder()
            .removeSlice(manifest.family().current().slices().get(index).id())
            .build());
  }
}
