// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.RunScanner;
import io.coppice.policy.step.StepPicker;
import java.util.Collections;
import java.util.Optional;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.dht.AbstractBounds;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * An SSTable that a merge has still to read, from its start or after its cursor. Positions are
 * looked up in the SSTable's index and are therefore exact even if partitions differ in size. The
 * caller holds the claim on the SSTable.
 */
public final class MergeInput implements StepPicker.StepInput<DecoratedKey> {

  private final SSTableReader sstable;
  private final DecoratedKey cursor;
  private final double diskBytesPerByte;
  private final long done;

  /** Creates an input before the merge; the SSTable may be unclaimed. */
  public MergeInput(SSTableReader sstable) {
    this(sstable, Optional.empty());
  }

  /**
   * Creates an input from a claimed SSTable.
   *
   * @param cursor the last key that earlier steps have merged, or empty
   */
  public MergeInput(SSTableReader sstable, Optional<DecoratedKey> cursor) {
    this.sstable = sstable;
    this.cursor = cursor.orElse(null);
    // The ratio includes the index, the filter and the other components.
    this.diskBytesPerByte =
        (double) sstable.bytesOnDisk() / Math.max(1, sstable.uncompressedLength());
    this.done = this.cursor == null ? 0 : position(this.cursor);
  }

  public SSTableReader sstable() {
    return sstable;
  }

  @Override
  public DecoratedKey first() {
    return sstable.getFirst();
  }

  @Override
  public DecoratedKey last() {
    return sstable.getLast();
  }

  @Override
  public long bytes() {
    return onDisk(sstable.uncompressedLength());
  }

  @Override
  public long bytesUpTo(DecoratedKey key) {
    return onDisk(position(key));
  }

  @Override
  public long doneBytes() {
    return onDisk(done);
  }

  /** Returns the uncompressed bytes of the data file that are left to read. */
  public long restLength() {
    return sstable.uncompressedLength() - done;
  }

  private long onDisk(long position) {
    return (long) (position * diskBytesPerByte);
  }

  /** Returns the uncompressed bytes of the partitions up to a key, inclusive. */
  private long position(DecoratedKey key) {
    if (key.compareTo(sstable.getFirst()) < 0) {
      return 0;
    }
    if (key.compareTo(sstable.getLast()) >= 0) {
      return sstable.uncompressedLength();
    }
    long next = sstable.getPosition(key, SSTableReader.Operator.GT);
    return next < 0 ? sstable.uncompressedLength() : next;
  }

  /**
   * Returns the part left to read up to a cut, inclusive, or to the end of the SSTable. The cut
   * must be at or after the first key left; that is not checked.
   */
  public RunScanner.Part part(DecoratedKey cut) {
    DecoratedKey end = cut.compareTo(sstable.getLast()) < 0 ? cut : sstable.getLast();
    long length = position(end) - done;
    double compressed = sstable.onDiskLength() / (double) Math.max(1, sstable.uncompressedLength());
    return new RunScanner.Part(sstable, length, (long) (length * compressed), () -> scanner(end));
  }

  private ISSTableScanner scanner(DecoratedKey end) {
    PartitionPosition start = cursor == null ? sstable.getFirst() : cursor;
    AbstractBounds<PartitionPosition> bounds =
        AbstractBounds.bounds(start, cursor == null, end, true);
    return sstable.getScanner(Collections.singletonList(bounds).iterator());
  }
}
