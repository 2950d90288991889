// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.io.block.BlockReaderContract;
import io.coppice.io.block.RingProbe;
import io.coppice.io.block.RingReader;
import io.coppice.io.disk.RealDisk;
import io.coppice.testing.Needs;
import org.junit.jupiter.api.Nested;

/** The contract on each reader of blocks. */
class BlockReaderContractTest {

  @Nested
  class OfSerial extends BlockReaderContract {
    @Override
    public BlockReader open(RealDisk on, MemoryBudget ledger) {
      return on.blockReader(new BlockReaderOptions("serial", false, ledger));
    }
  }

  @Nested
  class OfPool extends BlockReaderContract {
    @Override
    public BlockReader open(RealDisk on, MemoryBudget ledger) {
      return on.blockReader(new BlockReaderOptions("pool", false, ledger));
    }
  }

  @Nested
  class OfPoolPastThePageCache extends BlockReaderContract {
    @Override
    public BlockReader open(RealDisk on, MemoryBudget ledger) {
      return on.blockReader(new BlockReaderOptions("pool", true, ledger));
    }
  }

  @Nested
  class OfRing extends BlockReaderContract {
    @Override
    public BlockReader open(RealDisk on, MemoryBudget ledger) {
      assumeRing();
      return on.blockReader(new BlockReaderOptions("ring", false, ledger));
    }

    @Override
    public void checkUse(BlockReader used) {
      checkRing(used, "buffered");
    }
  }

  @Nested
  class OfRingPastThePageCache extends BlockReaderContract {
    @Override
    public BlockReader open(RealDisk on, MemoryBudget ledger) {
      assumeRing();
      return on.blockReader(new BlockReaderOptions("ring", true, ledger));
    }

    @Override
    public void checkUse(BlockReader used) {
      checkRing(used, "direct");
    }
  }

  @Nested
  class OfThePoolThatBecomesARing extends BlockReaderContract {
    @Override
    public BlockReader open(RealDisk on, MemoryBudget ledger) {
      return on.blockReader(new BlockReaderOptions("auto", false, ledger));
    }
  }

  private static void checkRing(BlockReader used, String read) {
    RingReader ring = (RingReader) used;
    assertThat(ring.demoted()).isNull();
    assertThat(ring.ringReads()).isPositive();
    assertThat(ring.describe()).startsWith("ring most=").endsWith("read=" + read);
  }

  private static void assumeRing() {
    RingProbe probe = RingProbe.ofProcess();
    Needs.that(probe.reason == null, "no ring: " + probe.reason);
  }
}
