// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.MemoryBudget;
import org.junit.jupiter.api.Nested;

/** The contract on each reader of blocks. */
class BlockReaderContractTest {

  @Nested
  class OfSerial extends BlockReaderContract {
    @Override
    BlockReader open(RealDisk on, MemoryBudget ledger) {
      return on.blockReader(new BlockReaderOptions("serial", false, ledger));
    }
  }

  @Nested
  class OfPool extends BlockReaderContract {
    @Override
    BlockReader open(RealDisk on, MemoryBudget ledger) {
      return on.blockReader(new BlockReaderOptions("pool", false, ledger));
    }
  }

  @Nested
  class OfPoolPastThePageCache extends BlockReaderContract {
    @Override
    BlockReader open(RealDisk on, MemoryBudget ledger) {
      return on.blockReader(new BlockReaderOptions("pool", true, ledger));
    }
  }
}
