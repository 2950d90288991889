// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.cassandra.cql3.UntypedResultSet;

/**
 * A table of counters that waves increase, and what they must have come to. How much a wave adds
 * follows from seed and wave alone. Keys are long, so that a wave is worth merging in steps.
 */
public final class Counts {

  private static final int ROWS = 2;
  private static final String PADDING = "x".repeat(600);

  private final Node node;
  private final String table;
  private final long seed;
  private final int partitions;

  /** Takes a table that {@link #create} makes. */
  public Counts(Node node, String table, long seed, int partitions) {
    this.node = node;
    this.table = table;
    this.seed = seed;
    this.partitions = partitions;
  }

  public void create(String compaction) {
    node.cql(
        "CREATE TABLE ks."
            + table
            + " (pk int, ck text, n counter, PRIMARY KEY (pk, ck)) WITH "
            + node.files().variety().tableOptions()
            + " AND compaction = "
            + compaction);
  }

  /** Writes a wave, which must not have been written, and returns once it is on disk. */
  public void write(int wave) {
    long[][] added = added(wave);
    for (int pk = 0; pk < partitions; pk++) {
      for (int row = 0; row < ROWS; row++) {
        if (added[pk][row] != 0) {
          node.run(
              "UPDATE ks." + table + " SET n = n + ? WHERE pk = ? AND ck = ?",
              added[pk][row],
              pk,
              PADDING + row);
        }
      }
    }
    node.flush(node.table("ks", table));
  }

  /** A third of the counters gets nothing. */
  private long[][] added(int wave) {
    Random random = new Random(seed * 31 + wave);
    long[][] added = new long[partitions][ROWS];
    for (int pk = 0; pk < partitions; pk++) {
      for (int row = 0; row < ROWS; row++) {
        added[pk][row] = random.nextInt(3) == 0 ? 0 : random.nextInt(2000) - 1000;
      }
    }
    return added;
  }

  /** Where the table differs from what the waves have left. */
  public List<String> differences(int waves) {
    long[][] expected = new long[partitions][ROWS];
    boolean[][] written = new boolean[partitions][ROWS];
    for (int wave = 0; wave < waves; wave++) {
      long[][] added = added(wave);
      for (int pk = 0; pk < partitions; pk++) {
        for (int row = 0; row < ROWS; row++) {
          expected[pk][row] += added[pk][row];
          written[pk][row] |= added[pk][row] != 0;
        }
      }
    }
    List<String> differences = new ArrayList<>();
    for (UntypedResultSet.Row found : node.run("SELECT pk, ck, n FROM ks." + table)) {
      int pk = found.getInt("pk");
      int row = Integer.parseInt(found.getString("ck").substring(PADDING.length()));
      if (!written[pk][row] || found.getLong("n") != expected[pk][row]) {
        differences.add(
            "counter " + pk + "/" + row + " is " + found.getLong("n") + " of " + expected[pk][row]);
      }
      written[pk][row] = false;
    }
    for (int pk = 0; pk < partitions; pk++) {
      for (int row = 0; row < ROWS; row++) {
        if (written[pk][row]) {
          differences.add("counter " + pk + "/" + row + " is lost");
        }
      }
    }
    return differences;
  }
}
