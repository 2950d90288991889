// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

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
 * The disk space that a merge may still use by Cassandra's settings: the free space, less
 * Cassandra's reserve and the bytes that running compactions have still to write.
 */
public final class DiskRoom {

  private DiskRoom() {}

  /**
   * Returns the bytes that a step of a merge may write; at least 0.
   *
   * @param inputs inputs of the merge. It is assumed to write evenly to all directories that could
   *     hold them
   * @return {@link Long#MAX_VALUE} if an operator has switched off the disk space check, or no
   *     directory can hold the inputs
   */
  public static long bytes(ColumnFamilyStore cfs, Set<SSTableReader> inputs) {
    List<File> directories = cfs.getDirectoriesForFiles(inputs);
    if (!cfs.isCompactionDiskSpaceCheckEnabled() || directories.isEmpty()) {
      return Long.MAX_VALUE;
    }
    return evenly(directories, awaited());
  }

  /**
   * Returns the bytes that a merge could write if no compaction were running. It assumes even
   * writes to all directories of the table and subtracts what Cassandra keeps free. The setting
   * that switches off the disk space check has no effect. Callers show running compactions
   * separately.
   *
   * @param cfs null for a dropped table
   * @return -1 if the value is unknown
   */
  public static long freeBytes(ColumnFamilyStore cfs) {
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
      // No directory is left, or one does not answer. The caller still gets the other metrics.
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

  /**
   * Returns an upper bound of the bytes that running compactions have still to write, by file
   * store, as Cassandra estimates it.
   */
  private static Map<FileStore, Long> awaited() {
    Map<FileStore, Long> awaited = new HashMap<>();
    for (CompactionInfo.Holder holder : CompactionManager.instance.active.getCompactions()) {
      CompactionInfo info = holder.getCompactionInfo();
      long left = holder instanceof MergeProgress ours ? ours.leftOnDisk() : left(info);
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
