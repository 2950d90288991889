// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.nio.file.FileStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;

/**
 * How much a merge may still write to the disks by Cassandra's own settings: what is free, without
 * what it keeps free, and without what compactions under way have still to write.
 */
final class DiskRoom {

  private DiskRoom() {}

  /**
   * Bytes for a step of a merge.
   *
   * @param inputs of the merge; it writes evenly to all directories that could hold them
   * @return {@link Long#MAX_VALUE} where an operator has switched the check off
   */
  static long bytes(ColumnFamilyStore cfs, Set<SSTableReader> inputs) {
    List<File> directories = cfs.getDirectoriesForFiles(inputs);
    if (!cfs.isCompactionDiskSpaceCheckEnabled() || directories.isEmpty()) {
      return Long.MAX_VALUE;
    }
    return evenly(directories, awaited());
  }

  /**
   * Bytes that a merge which writes evenly to all directories of a table may write to them if
   * nothing else is under way, without what Cassandra keeps free; the setting that switches the
   * check off makes no difference. Who is told this is told what is under way beside it.
   *
   * @param cfs null for a table that is gone
   * @return -1 if that cannot be told
   */
  static long freeBytes(ColumnFamilyStore cfs) {
    if (cfs == null) {
      return -1;
    }
    try {
      List<File> directories =
          Arrays.stream(cfs.getDirectories().getWriteableLocations())
              .map(directory -> directory.location)
              .toList();
      return directories.isEmpty() ? -1 : evenly(directories, Map.of());
    } catch (FSError e) {
      // No disk is left, or one does not answer: whoever asks for figures is to get the others.
      return -1;
    }
  }

  private static long evenly(List<File> directories, Map<FileStore, Long> awaited) {
    Map<FileStore, Integer> shares = new HashMap<>();
    directories.forEach(
        directory -> shares.merge(Directories.getFileStore(directory), 1, Integer::sum));
    long least = Long.MAX_VALUE;
    for (Map.Entry<FileStore, Integer> share : shares.entrySet()) {
      FileStore store = share.getKey();
      long free =
          Directories.getAvailableSpaceForCompactions(store) - awaited.getOrDefault(store, 0L);
      least = Math.min(least, Math.max(0, free) / share.getValue());
    }
    return least > Long.MAX_VALUE / directories.size()
        ? Long.MAX_VALUE
        : least * directories.size();
  }

  /** What compactions under way have still to write at most, as Cassandra reckons it. */
  private static Map<FileStore, Long> awaited() {
    Map<FileStore, Long> awaited = new HashMap<>();
    for (CompactionInfo.Holder holder : CompactionManager.instance.active.getCompactions()) {
      CompactionInfo info = holder.getCompactionInfo();
      long left = holder instanceof ChainProgress ours ? ours.leftOnDisk() : left(info);
      List<File> directories = left == 0 ? null : info.getTargetDirectories();
      if (directories != null) {
        directories.forEach(
            directory ->
                awaited.merge(
                    Directories.getFileStore(directory), left / directories.size(), Long::sum));
      }
    }
    return awaited;
  }

  private static long left(CompactionInfo info) {
    if (info.getUnit() != CompactionInfo.Unit.BYTES || !info.getTaskType().writesData) {
      return 0;
    }
    long disk = 0;
    long length = 0;
    for (SSTableReader sstable : info.getSSTables()) {
      disk += sstable.onDiskLength();
      length += sstable.uncompressedLength();
    }
    double ratio = length == 0 ? 1 : (double) disk / length;
    return (long) (ratio * Math.max(0, info.getTotal() - info.getCompleted()));
  }
}
