// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import java.util.Collection;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableMetadata;

/**
 * Scanner over SSTables that do not overlap, as one sorted sequence of partitions.
 *
 * <p>It keeps one SSTable open at a time, so a merge needs one buffer per run instead of one per
 * SSTable. The caller holds references to the SSTables until the scanner is closed. Not
 * thread-safe.
 */
public final class RunScanner implements ISSTableScanner {

  /**
   * Part of one SSTable to read.
   *
   * @param lengthBytes bytes of the part, uncompressed
   * @param compressedBytes bytes of the part on disk
   * @param opener opens a scanner over exactly this part, which the run scanner closes
   */
  public record Part(
      SSTableReader sstable,
      long lengthBytes,
      long compressedBytes,
      Supplier<ISSTableScanner> opener) {}

  private final TableMetadata metadata;
  private final List<Part> run;
  private final long lengthBytes;
  private final long compressedBytes;

  private int next;
  private ISSTableScanner current;
  private long passedScannedBytes;

  /**
   * Creates the scanner without opening an SSTable.
   *
   * @param run parts by ascending key, without overlap; copied and trusted
   */
  public RunScanner(TableMetadata metadata, List<Part> run) {
    this.metadata = metadata;
    this.run = List.copyOf(run);
    this.lengthBytes = run.stream().mapToLong(Part::lengthBytes).sum();
    this.compressedBytes = run.stream().mapToLong(Part::compressedBytes).sum();
  }

  /**
   * Returns the part of an SSTable in some token ranges. Its sizes are estimated from the number of
   * keys.
   *
   * @param ranges the ranges to read, or null for the whole SSTable
   */
  public static Part part(SSTableReader sstable, Collection<Range<Token>> ranges) {
    double share = share(sstable, ranges);
    return new Part(
        sstable,
        (long) (sstable.uncompressedLength() * share),
        (long) (sstable.onDiskLength() * share),
        () -> ranges == null ? sstable.getScanner() : sstable.getScanner(ranges));
  }

  private static double share(SSTableReader sstable, Collection<Range<Token>> ranges) {
    long keys = sstable.estimatedKeys();
    return ranges == null || keys <= 0
        ? 1
        : Math.min(1, (double) sstable.estimatedKeysForRanges(ranges) / keys);
  }

  @Override
  public TableMetadata metadata() {
    return metadata;
  }

  @Override
  public boolean hasNext() {
    while (current == null || !current.hasNext()) {
      leaveCurrent();
      if (next == run.size()) {
        return false;
      }
      current = run.get(next++).opener().get();
    }
    return true;
  }

  @Override
  public UnfilteredRowIterator next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return current.next();
  }

  private void leaveCurrent() {
    if (current != null) {
      passedScannedBytes += current.getBytesScanned();
      current.close();
      current = null;
    }
  }

  @Override
  public void close() {
    leaveCurrent();
    next = run.size();
  }

  @Override
  public long getLengthInBytes() {
    return lengthBytes;
  }

  @Override
  public long getCompressedLengthInBytes() {
    return compressedBytes;
  }

  /**
   * Returns the uncompressed bytes read by now. A position in the files would be meaningless if
   * only parts are read.
   */
  @Override
  public long getCurrentPosition() {
    return getBytesScanned();
  }

  @Override
  public long getBytesScanned() {
    return passedScannedBytes + (current == null ? 0 : current.getBytesScanned());
  }

  @Override
  public Set<SSTableReader> getBackingSSTables() {
    return run.stream().map(Part::sstable).collect(Collectors.toUnmodifiableSet());
  }
}
