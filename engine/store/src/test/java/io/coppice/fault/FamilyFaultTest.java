// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.StoreException;
import io.coppice.io.ErrorDisk;
import io.coppice.io.MemDisk;
import io.coppice.load.FamilyLoad;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Fails the n-th operation of the disk, for each n, while families come, are written to together
 * and go. What had an effect is whole, here and after a power loss; what failed for want of room or
 * descriptors had none, and works once the disk is well again.
 */
class FamilyFaultTest {

  private static final int OPERATIONS = 40;
  private static final long SEED = Seeds.seed(11);

  private final FamilyLoad load = load();

  /** One in which families come and go often. */
  private static FamilyLoad load() {
    for (int part = 0; ; part++) {
      FamilyLoad load = new FamilyLoad(Seeds.random(SEED, part), OPERATIONS, 20, 40);
      if (load.familiesThatGo() >= 2) {
        return load;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorDisk.Fault.class,
      names = {"EIO", "ENOSPC", "LATE_ENOSPC", "EMFILE", "SHORT"})
  void whateverFailsWhatIsThereIsWhole(ErrorDisk.Fault fault) throws IOException {
    int n = 1;
    while (failsAt(fault, n, false) | failsAt(fault, n, true)) {
      n++;
    }
    assertThat(n).as("operations that failed").isGreaterThan(20);
  }

  /** False if there are not so many operations. */
  private boolean failsAt(ErrorDisk.Fault fault, int n, boolean forEver) throws IOException {
    String context = fault + ", operation " + n + (forEver ? ", for ever" : "");
    MemDisk disk = new MemDisk();
    ErrorDisk failing = new ErrorDisk(disk);
    int done = 0;
    int tried = 0;
    try (Store store = TestStores.open(failing, options())) {
      failing.fail(fault, n, forEver);
      try {
        while (tried < load.count()) {
          tried++;
          load.carryOut(store, done, Durability.SYNC);
          done = tried;
          if (done % 10 == 0) {
            store.flush();
          }
        }
      } catch (StoreException | UncheckedIOException e) {
        FamilyLoad.State shown = FamilyLoad.contents(store);
        boolean without = e instanceof DiskFullException || fault == ErrorDisk.Fault.EMFILE;
        assertWhole(shown, done, without ? done : tried, context);
        failing.heal();
        if (without && shown.same(load.after(done))) {
          goOn(store, done, context);
          done = load.count();
          tried = load.count();
        }
      }
      failing.heal();
    } catch (StoreException | UncheckedIOException e) {
      assertThat(failing.fired()).as(context + ": " + e).isTrue();
    }
    boolean fired = failing.fired();
    try (Store store = TestStores.open(disk.crash(), options())) {
      assertWhole(FamilyLoad.contents(store), done, tried, context + ", reopened");
    }
    return fired;
  }

  /** A lack of room or descriptors is no damage. */
  private void goOn(Store store, int from, String context) {
    for (int i = from; i < load.count(); i++) {
      load.carryOut(store, i, Durability.SYNC);
    }
    assertWhole(FamilyLoad.contents(store), load.count(), load.count(), context + ", healed");
  }

  private void assertWhole(FamilyLoad.State shown, int least, int most, String context) {
    for (int prefix = least; prefix <= most; prefix++) {
      if (shown.same(load.after(prefix))) {
        return;
      }
    }
    throw new AssertionError(
        context
            + ": "
            + shown
            + " is not the state after "
            + least
            + " to "
            + most
            + " operations; "
            + Seeds.replay(getClass(), SEED));
  }

  private static StoreOptions options() {
    return StoreOptions.builder()
        .policy("split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1")
        .memory(MemoryBudget.ofMebibytes(24))
        .memtableBytes(16 << 10)
        .build();
  }
}
