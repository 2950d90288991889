// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write.family;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryBatch;
import io.coppice.io.MemDisk;
import io.coppice.manifest.Manifest;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.FamilyMemtables;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ActiveMemtablesTest {

  /** It is in the log by then, and must not be taken for written. */
  @Test
  void anEntryForWhichThereIsNoMemoryIsAFailureWithoutAssertionsToo() throws IOException {
    try (Manifest manifest = Manifest.open(new MemDisk())) {
      FamilyWriteState family =
          new FamilyWriteState(
              manifest.family(), new FamilyMemtables(), new FamilyWriteLimits(1 << 20, 0));
      ActiveMemtables active = new ActiveMemtables(new ChunkPool(MemoryBudget.ofMebibytes(1), 0));
      active.add(family);
      EntryBatch batch = new EntryBatch().in(family.number());
      batch.put(new byte[8], 0, 8, new byte[2 << 20], 0, 2 << 20);
      EntryBatch small = new EntryBatch().in(family.number());
      small.put(new byte[8], 0, 8, new byte[1], 0, 1);
      active.addDemand(small);
      assertThat(active.ensure()).isTrue();
      assertThat(active.insert(small, 0)).isEqualTo(1);
      assertThatThrownBy(() -> active.insert(batch, 1)).isInstanceOf(IllegalStateException.class);
      assertThat(family.memtables().active().entries()).isEqualTo(1);
      family.memtables().close("the test");
    }
  }
}
