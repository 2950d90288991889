// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.SharedNode;
import io.coppice.policy.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SSTables of the target level that overlap the inputs of a merge, in a real node. */
@SharedNode
final class InterruptedMergeOverlapNodeTest {

  private static final int PARTITIONS = 10;
  private static final int TARGET = 1;

  private static Node node;
  private static ColumnFamilyStore table;

  /** Partition keys in token order. */
  private static List<Integer> keys;

  private final List<SSTableOutline<DecoratedKey>> outlines = new ArrayList<>();
  private final Map<Long, SSTableReader> readers = new TreeMap<>();

  @BeforeAll
  static void createTable() {
    node = Node.shared();
    node.cql("CREATE TABLE ks.seam (pk int PRIMARY KEY, v int)");
    table = node.table("ks", "seam");
    table.disableAutoCompaction();
    keys =
        IntStream.range(0, PARTITIONS)
            .boxed()
            .sorted(Comparator.comparing(pk -> table.decorateKey(Int32Type.instance.decompose(pk))))
            .toList();
  }

  @BeforeEach
  void truncate() {
    node.cql("TRUNCATE ks.seam");
  }

  @Test
  void outputsOfAnInterruptedMergeJoinItsInputs() {
    SSTableReader first = sstable(TARGET, 0, 3, 21);
    SSTableReader second = sstable(TARGET, 4, 5, 22);
    List<SSTableReader> inputs = List.of(sstable(0, 2, 9, 20), sstable(0, 3, 8, 10));
    assertThat(overlap(inputs)).containsExactlyInAnyOrder(first, second);
  }

  @Test
  void anOutputMayHaveLostItsNewestDataToDeletions() {
    SSTableReader output = sstable(TARGET, 0, 4, 15);
    List<SSTableReader> inputs = List.of(sstable(0, 2, 9, 20), sstable(0, 3, 8, 10));
    assertThat(overlap(inputs)).containsExactly(output);
  }

  @Test
  void sstablesOlderThanAllInputsThatTheyOverlapStay() {
    sstable(TARGET, 0, 3, 9);
    List<SSTableReader> inputs = List.of(sstable(0, 2, 9, 20), sstable(0, 3, 8, 10));
    assertThat(overlap(inputs)).isEmpty();
  }

  @Test
  void anInputThatIsNotOverlappedDoesNotCount() {
    sstable(TARGET, 0, 3, 9);
    List<SSTableReader> inputs = List.of(sstable(0, 2, 9, 20), sstable(0, 4, 8, 1));
    assertThat(overlap(inputs)).isEmpty();
  }

  @Test
  void sstablesWithoutTheFirstKeyOfAnInputStay() {
    flush(TARGET, 21, 0, 4);
    List<SSTableReader> inputs = List.of(sstable(0, 2, 9, 20), sstable(0, 3, 8, 10));
    assertThat(overlap(inputs)).isEmpty();
  }

  @Test
  void theFirstKeyOfOneInputIsEnough() {
    SSTableReader output = flush(TARGET, 21, 0, 3, 4);
    List<SSTableReader> inputs = List.of(sstable(0, 2, 9, 22), sstable(0, 3, 8, 10));
    assertThat(overlap(inputs)).containsExactly(output);
  }

  @Test
  void anSstableThatIsReleasedAfterTheSnapshotStays() {
    SSTableReader output = flush(TARGET, 21, 0, 3, 4);
    List<SSTableReader> inputs = List.of(sstable(0, 2, 9, 22), sstable(0, 3, 8, 10));
    node.cql("TRUNCATE ks.seam");
    LifecycleTransaction.waitForDeletions();
    assertThat(output.tryRef()).as("its filter is freed").isNull();
    assertThat(overlap(inputs)).isEmpty();
  }

  /**
   * Flushes the partitions at two indices of {@link #keys} and those between them, all with one
   * timestamp.
   */
  private SSTableReader sstable(int level, int from, int to, long timestamp) {
    return flush(level, timestamp, IntStream.rangeClosed(from, to).toArray());
  }

  /** Flushes the partitions at some indices of {@link #keys}, all with one timestamp. */
  private SSTableReader flush(int level, long timestamp, int... indices) {
    for (int i : indices) {
      node.cql(
          "INSERT INTO ks.seam (pk, v) VALUES (%d, 0) USING TIMESTAMP %d"
              .formatted(keys.get(i), timestamp));
    }
    node.flush(table);
    SSTableReader flushed =
        table.getLiveSSTables().stream()
            .filter(sstable -> !readers.containsValue(sstable))
            .findAny()
            .orElseThrow();
    long id = readers.size() + 1L;
    readers.put(id, flushed);
    outlines.add(
        new SSTableOutline<>(id, flushed.getFirst(), flushed.getLast(), level, 1, 1, 0, false, 0));
    return flushed;
  }

  private List<SSTableReader> overlap(List<SSTableReader> inputs) {
    Shape unused = null;
    return InterruptedMergeOverlap.of(
        new SSTableInventory.Snapshot(unused, unused, outlines, readers, readers, Map.of()),
        inputs,
        TARGET);
  }
}
