// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Collection;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/** An owner of merges that plans nothing. */
class NoOwner implements OngoingMerges.Owner {

  @Override
  public void changed() {}

  @Override
  public void progressed() {}

  @Override
  public void waits() {}

  @Override
  public int failures(Collection<SSTableReader> inputs) {
    return 0;
  }

  @Override
  public void failed(Collection<SSTableReader> inputs, int level, int earlier, Throwable why) {}
}
