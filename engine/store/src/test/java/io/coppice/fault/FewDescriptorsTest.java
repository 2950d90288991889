// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.ChildJvm;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.PassingDisk;
import io.coppice.io.PowerDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.load.NumberedWrites;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The number of descriptors that work holds does not grow with families or tables. */
class FewDescriptorsTest {

  /**
   * A log, a manifest, and per slot an output, two unsynced tables and as many flushed families.
   */
  private static final int MAX_OUTPUTS = 24;

  @TempDir Path directory;

  @Test
  void aFlushHoldsFewOutputsHoweverManyFamiliesThereAre() throws IOException {
    long seed = Seeds.seed(21);
    Random random = Seeds.random(seed, 1);
    PowerDisk power = new PowerDisk(new MemDisk());
    CountingDisk disk = new CountingDisk(power);
    StoreOptions.Builder options =
        StoreOptions.builder()
            .policy("leveled,l0_trigger=2,table_size=4KiB")
            .memory(MemoryBudget.ofMebibytes(256))
            .compactionSlots(2)
            .durability(Durability.BUFFERED);
    int families = 100 + random.nextInt(100);
    for (int i = 0; i < families; i++) {
      options.family("f" + i, "leveled,l0_trigger=2,table_size=4KiB");
    }
    try (DeterministicStore opened = DeterministicStore.open(power, disk, options.build(), seed)) {
      Store store = opened.store();
      for (int round = 0; round < 2; round++) {
        for (Family family : store.families()) {
          for (int i = random.nextInt(20); i >= 0; i--) {
            family.put(NumberedWrites.key(random.nextInt(1_000)), new byte[1_000]);
          }
        }
        store.flush();
      }
      store.awaitIdle();
    }
    assertThat(disk.most).as(Seeds.replay(getClass(), seed)).isLessThanOrEqualTo(MAX_OUTPUTS);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aStoreWithMoreTablesThanDescriptorsFlushesMergesAndOpens()
      throws IOException, InterruptedException {
    Process child =
        ChildJvm.start(
            List.of("bash", "-c", "ulimit -n 256; exec \"$0\" \"$@\""),
            FewDescriptorsTest.class,
            directory.resolve("store").toString(),
            directory.resolve("copy").toString());
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).as(said).isZero();
    assertThat(said).contains("all is well");
  }

  /** Works in a process with few descriptors: the store's directory, and that of a checkpoint. */
  public static void main(String[] arguments) {
    StoreOptions.Builder options =
        StoreOptions.builder().durability(Durability.BUFFERED).io("read");
    for (int i = 0; i < 300; i++) {
      options.family("f" + i, "leveled,l0_trigger=2");
    }
    try (Store store = Store.open(Path.of(arguments[0]), options.build())) {
      for (int round = 0; round < 3; round++) {
        for (Family family : store.families()) {
          family.put(NumberedWrites.key(round), new byte[100]);
        }
        store.flush();
      }
      store.awaitIdle();
      store.compact();
      store.checkpoint(Path.of(arguments[1]));
    }
    for (String place : arguments) {
      if (!Store.verify(Path.of(place)).damages().isEmpty()) {
        throw new IllegalStateException(place + " is damaged");
      }
      try (Store store = Store.open(Path.of(place), options.build())) {
        for (Family family : store.families()) {
          for (int round = 0; round < 3; round++) {
            if (family.get(NumberedWrites.key(round)) == null) {
              throw new IllegalStateException(family.name() + " lost key " + round);
            }
          }
        }
      }
    }
    System.out.println("all is well");
  }

  /** Counts the files that are open for writing. */
  private static final class CountingDisk extends PassingDisk {
    private int open;
    private int most;

    CountingDisk(Disk disk) {
      super(disk);
    }

    private synchronized void count(int change) {
      open += change;
      most = Math.max(most, open);
    }

    @Override
    public OutputFile create(String name) throws IOException {
      OutputFile created = super.create(name);
      count(1);
      return new PassingOutput(created) {
        private boolean closed;

        @Override
        public void close() throws IOException {
          if (!closed) {
            closed = true;
            count(-1);
          }
          super.close();
        }
      };
    }
  }
}
