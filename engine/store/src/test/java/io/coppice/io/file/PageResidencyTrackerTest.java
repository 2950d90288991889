// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.Disk;
import io.coppice.io.ReadMode;
import io.coppice.io.disk.RealDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When mappings are suspended, and for how long. */
class PageResidencyTrackerTest {

  private static final int PAGE = 4_096;
  private static final long FAST = 1_000;
  private static final long SLOW = 10_000_000;

  @TempDir private Path directory;

  private long now;
  private long faults;
  private final PageResidencyTracker watch = new PageResidencyTracker(() -> now, () -> faults);

  private void read(boolean fault) {
    now += fault ? SLOW : FAST;
    faults += fault ? 1 : 0;
    watch.slow(PAGE, fault ? SLOW : FAST, !watch.suspended());
  }

  @Test
  void aFewFaultsSuspendAndTheTimeOfASuspensionEndsIt() {
    for (int i = 0; i < PageResidencyTracker.SLOW_READS_PER_CHECK; i++) {
      assertThat(watch.suspended()).isFalse();
      read(true);
    }
    assertThat(watch.suspended()).isTrue();
    now += PageResidencyTracker.SHORTEST_SUSPENSION_NANOS - 2 * FAST;
    read(false);
    assertThat(watch.suspended()).isTrue();
    read(false);
    assertThat(watch.suspended()).isFalse();
  }

  @Test
  void slowReadsWithoutFaultsAreLostTimeSlicesAndSuspendNothing() {
    for (int i = 0; i < 1_000; i++) {
      watch.slow(PAGE, SLOW, true);
    }
    assertThat(watch.suspended()).isFalse();
  }

  @Test
  void whereTheSystemCountsNoFaultsSlowReadsAloneSuspend() {
    PageResidencyTracker blind = new PageResidencyTracker(() -> now, () -> MajorFaults.UNKNOWN);
    for (int i = 0; i < PageResidencyTracker.SLOW_READS_PER_CHECK; i++) {
      blind.slow(PAGE, SLOW, true);
    }
    assertThat(blind.suspended()).isTrue();
    faults = MajorFaults.UNKNOWN;
    for (int i = 0; i < PageResidencyTracker.SLOW_READS_PER_CHECK; i++) {
      watch.slow(PAGE, SLOW, true);
    }
    assertThat(watch.suspended()).as("no descriptor was left for the count").isFalse();
  }

  /** Faults of hours ago confirm no slow read of now. */
  @Test
  void faultsBeforeAWindowDoNotCount() {
    faults += 1_000;
    for (int i = 0; i < 2 * PageResidencyTracker.WINDOW_READS; i++) {
      read(false);
    }
    for (int i = 0; i < 100; i++) {
      watch.slow(PAGE, SLOW, true);
    }
    assertThat(watch.suspended()).isFalse();
  }

  @Test
  void slowReadsByCallSuspendNothing() {
    for (int i = 0; i < 1_000; i++) {
      faults++;
      watch.slow(PAGE, SLOW, false);
    }
    assertThat(watch.suspended()).isFalse();
  }

  /**
   * Faults of one read in a hundred or more suspend nearly always, and of one in a thousand hardly,
   * over minutes of ten thousand reads per second.
   */
  @Test
  void theShareOfFaultsDecides() {
    long seed = Seeds.first();
    Random random = Seeds.random(seed, 0);
    for (int oneIn : new int[] {1, 3, 10, 30, 100, 1_000, 10_000}) {
      int suspended = 0;
      int reads = 2_000_000;
      for (int i = 0; i < reads; i++) {
        suspended += watch.suspended() ? 1 : 0;
        now += TimeUnit.MICROSECONDS.toNanos(100);
        read(!watch.suspended() && random.nextInt(oneIn) == 0);
      }
      double share = (double) suspended / reads;
      if (oneIn <= 100) {
        assertThat(share).as("one in %d, seed %d", oneIn, seed).isGreaterThan(0.9);
      } else {
        assertThat(share).as("one in %d, seed %d", oneIn, seed).isLessThan(0.1);
      }
      now += 10 * PageResidencyTracker.LONGEST_SUSPENSION_NANOS;
      read(false);
    }
  }

  @Test
  void aSuspensionThatFollowsSoonLastsTwiceAsLongUpToTheLongest() {
    long expected = PageResidencyTracker.SHORTEST_SUSPENSION_NANOS;
    for (int i = 0; i < 12; i++) {
      while (!watch.suspended()) {
        read(true);
      }
      long from = now;
      while (watch.suspended()) {
        now += TimeUnit.MILLISECONDS.toNanos(10);
        read(false);
      }
      assertThat(now - from).isBetween(expected, expected + TimeUnit.MILLISECONDS.toNanos(20));
      expected = Math.min(2 * expected, PageResidencyTracker.LONGEST_SUSPENSION_NANOS);
    }
    now += 4 * PageResidencyTracker.LONGEST_SUSPENSION_NANOS;
    while (!watch.suspended()) {
      read(true);
    }
    now += PageResidencyTracker.SHORTEST_SUSPENSION_NANOS;
    read(false);
    assertThat(watch.suspended()).isFalse();
  }

  @Test
  void aSuspendedMappingIsReadByCallsAndSaysSo() throws IOException {
    byte[] bytes = new byte[20 * PAGE];
    Seeds.random(Seeds.seed(3), 0).nextBytes(bytes);
    try (RealDisk disk =
        RealDisk.open(directory.resolve("s"), ReadMode.MMAP, MappingBudget.of(10))) {
      try (Disk.OutputFile file = disk.create("f")) {
        file.write(bytes, 0, bytes.length);
      }
      DescriptorBudget descriptors = new DescriptorBudget(1);
      MappedFile file =
          MappedFile.map(directory.resolve("s/f"), MappingBudget.of(1), descriptors, true, watch);
      try (file) {
        assertThat(file.mapped()).isTrue();
        for (int i = 0; i < PageResidencyTracker.SLOW_READS_PER_CHECK; i++) {
          read(true);
        }
        assertThat(file.mapped()).isFalse();
        assertThat(file.likelyInMemory(0, bytes.length)).isTrue();
        byte[] target = new byte[3 * PAGE];
        file.read(5, target, 0, target.length);
        assertThat(target).isEqualTo(Arrays.copyOfRange(bytes, 5, 5 + target.length));
        now += PageResidencyTracker.SHORTEST_SUSPENSION_NANOS;
        read(false);
        assertThat(file.mapped()).isTrue();
      }
    }
  }

  /** A mapping with other bytes than its file tells which of both a read came from. */
  @Test
  void aSuspensionHoldsWhereDescriptorsAreShort() throws IOException {
    byte[] bytes = new byte[4 * PAGE];
    Seeds.random(Seeds.seed(3), 0).nextBytes(bytes);
    Path path = Files.write(directory.resolve("f"), bytes);
    ByteBuffer other = ByteBuffer.allocate(bytes.length);
    MappingBudget mappings = MappingBudget.of(1);
    DescriptorBudget descriptors = new DescriptorBudget(1);
    assertThat(mappings.tryTake()).isTrue();
    assertThat(descriptors.tryTake()).isTrue();
    try (MappedFile file =
        new MappedFile(
            path,
            PositionalFile.keyOf(path),
            new Mapping(other, () -> {}),
            mappings,
            descriptors,
            new PageResidency(bytes.length, true, watch))) {
      assertThat(page(file)).isEqualTo(new byte[PAGE]);
      for (int i = 0; i < PageResidencyTracker.SLOW_READS_PER_CHECK; i++) {
        read(true);
      }
      assertThat(page(file)).as("no descriptor to keep").isEqualTo(Arrays.copyOf(bytes, PAGE));
      descriptors.giveBack();
      assertThat(page(file)).as("a descriptor to keep").isEqualTo(Arrays.copyOf(bytes, PAGE));
      assertThat(descriptors.used()).isEqualTo(1);
    }
    assertThat(descriptors.used()).isZero();
    assertThat(mappings.used()).isZero();
  }

  @Test
  void aFileWithoutANameIsReadThroughItsMapping() throws IOException {
    byte[] bytes = new byte[4 * PAGE];
    Seeds.random(Seeds.seed(4), 0).nextBytes(bytes);
    Path path = Files.write(directory.resolve("f"), bytes);
    for (int free = 0; free <= 1; free++) {
      DescriptorBudget descriptors = new DescriptorBudget(free);
      Path kept = Files.createLink(directory.resolve("g"), path);
      try (MappedFile file = MappedFile.map(kept, MappingBudget.of(1), descriptors, false, watch)) {
        Files.delete(kept);
        assertThat(page(file)).isEqualTo(Arrays.copyOf(bytes, PAGE));
        assertThat(descriptors.used()).isZero();
      }
    }
  }

  private static byte[] page(MappedFile file) throws IOException {
    byte[] target = new byte[PAGE];
    file.read(0, target, 0, PAGE);
    return target;
  }

  @Test
  void threadsCountIntoCountersOfTheirOwn() throws InterruptedException {
    ReadTally tally = new ReadTally();
    List<Thread> threads = new ArrayList<>();
    Set<Long> counters = new HashSet<>();
    int reads = 200_000;
    while (threads.size() < 4) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < reads; i++) {
                  tally.increment();
                }
              });
      if (counters.add(thread.getId() % 64)) {
        threads.add(thread);
      }
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(tally.sum()).isEqualTo(4L * reads);
  }

  @Test
  void theCountIsTheTwelfthFieldWhateverTheCommandIsCalled() {
    assertThat(MajorFaults.parse("1 (a) b (c)) S 1 2 3 4 5 6 7 8 99 10 11")).isEqualTo(99);
    assertThat(MajorFaults.parse("1 (a) S 1 2")).isEqualTo(MajorFaults.UNKNOWN);
    assertThat(MajorFaults.parse("")).isEqualTo(MajorFaults.UNKNOWN);
  }
}
