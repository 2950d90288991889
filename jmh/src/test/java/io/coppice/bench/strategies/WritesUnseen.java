// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.strategies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy;

/** Writes data that neither the tracker nor the counter hears of. */
public class WritesUnseen extends SizeTieredCompactionStrategy {

  private static final int BYTES = 1 << 20;

  /** Found by Cassandra by reflection. */
  public WritesUnseen(ColumnFamilyStore table, Map<String, String> options) {
    super(table, options);
  }

  @Override
  public AbstractCompactionTask getNextBackgroundTask(long gcBefore) {
    Path directory = cfs.getDirectories().getDirectoryForNewSSTables().toPath();
    try {
      Files.write(directory.resolve("nb-999999-big-Data.db"), new byte[BYTES]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return super.getNextBackgroundTask(gcBefore);
  }
}
