// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collection;
import java.util.Optional;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.TimeUUID;

/**
 * Calls of public methods that differ between the patch releases of Cassandra 5.0.
 *
 * <p>Each method is looked up by name once, so that one jar runs on every node of a cluster during
 * an upgrade. All other calls of the plugin are the same in every 5.0 release.
 */
public final class CassandraCompatibility {

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();

  // The constructor from 5.0.1 on, with the compressed total before the id.
  private static final MethodType WITH_COMPRESSED =
      methodType(
          void.class,
          TableMetadata.class,
          OperationType.class,
          long.class,
          long.class,
          long.class,
          TimeUUID.class,
          Collection.class,
          String.class);

  private static final Optional<MethodHandle> INFO_WITH_COMPRESSED = constructor(WITH_COMPRESSED);

  private static final Optional<MethodHandle> INFO =
      constructor(WITH_COMPRESSED.dropParameterTypes(4, 5));

  // The first 5.0 releases have no such method of an index.
  private static final Optional<MethodHandle> SUPPORTS_SHARDS = supportsShards();

  private CassandraCompatibility() {}

  /**
   * Returns the progress of an operation, in uncompressed bytes except {@code compressed}.
   *
   * @param compressed the total on disk, used by releases from 5.0.1 on to compute the bytes left
   *     to write; 5.0.0 ignores it
   * @param directory the directory of the outputs, or null if none is written yet
   */
  public static CompactionInfo info(
      TableMetadata metadata,
      OperationType type,
      long completed,
      long total,
      long compressed,
      TimeUUID id,
      Collection<SSTableReader> sstables,
      String directory) {
    try {
      return INFO_WITH_COMPRESSED.isPresent()
          ? (CompactionInfo)
              INFO_WITH_COMPRESSED
                  .get()
                  .invokeExact(
                      metadata, type, completed, total, compressed, id, sstables, directory)
          : (CompactionInfo)
              INFO.orElseThrow()
                  .invokeExact(metadata, type, completed, total, id, sstables, directory);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns whether the index declares that it supports several SSTables per flush; false in
   * releases that cannot ask it.
   */
  static boolean supportsShards(Index.Group index) {
    try {
      return SUPPORTS_SHARDS.isPresent() && (boolean) SUPPORTS_SHARDS.get().invokeExact(index);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static Optional<MethodHandle> constructor(MethodType type) {
    try {
      return Optional.of(LOOKUP.findConstructor(CompactionInfo.class, type));
    } catch (NoSuchMethodException e) {
      return Optional.empty();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Optional<MethodHandle> supportsShards() {
    try {
      return Optional.of(
          LOOKUP.findVirtual(Index.Group.class, "supportsL0Shards", methodType(boolean.class)));
    } catch (NoSuchMethodException e) {
      return Optional.empty();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
