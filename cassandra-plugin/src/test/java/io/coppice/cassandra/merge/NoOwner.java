// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import java.util.Collection;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/** An owner of merges that plans nothing. */
public class NoOwner implements OngoingMerges.Owner {

  @Override
  public void changed() {}

  @Override
  public void mayContinue() {}

  @Override
  public void waits() {}

  @Override
  public int failures(Collection<SSTableReader> inputs) {
    return 0;
  }

  @Override
  public void failed(Collection<SSTableReader> inputs, int level, int earlier, Throwable why) {}
}
