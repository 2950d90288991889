// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.cassandra.cql3.UntypedResultSet;

/**
 * A table of rows (pk, ck, v) and what must be in it. Every change goes to both. Rows that carry a
 * time to live are written with one second, so they are expected to be gone; await that.
 *
 * <p>A model of the same seed that is given the same calls expects the same rows; while {@link
 * #replay} runs calls the table is left alone, so a node may be checked after its restart.
 */
public final class TableModel {

  /** Rows of one partition. */
  public static final int ROWS = 3;

  // Values are parts of it; to draw each character took longer than to write it.
  private static final String TEXT = text(1 << 20);

  private static String text(int length) {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder(length);
    while (text.length() < length) {
      text.append((char) (' ' + random.nextInt(95)));
    }
    return text.toString();
  }

  private record Row(int pk, int ck) implements Comparable<Row> {
    @Override
    public int compareTo(Row other) {
      return pk != other.pk ? Integer.compare(pk, other.pk) : Integer.compare(ck, other.ck);
    }
  }

  private final Node node;
  private final String table;
  private final Random random;
  private final TreeMap<Row, String> rows = new TreeMap<>();
  private final Set<Row> brief = new HashSet<>();
  private boolean replaying;
  private int values;

  /** A model of an empty table. */
  public TableModel(Node node, String table, long seed) {
    this.node = node;
    this.table = table;
    this.random = new Random(seed);
  }

  /** Makes the calls again that another process has made. */
  public void replay(Runnable calls) {
    replaying = true;
    calls.run();
    replaying = false;
  }

  private void change(String statement, Object... values) {
    if (!replaying) {
      node.run(statement, values);
    }
  }

  public static String create(String table, String compaction) {
    return "CREATE TABLE ks."
        + table
        + " (pk int, ck int, v text, PRIMARY KEY (pk, ck)) WITH compression = {'enabled': 'false'}"
        + " AND gc_grace_seconds = 0 AND compaction = "
        + compaction;
  }

  /** A value that does not compress, of the given length. */
  public String value(int length) {
    String number = Integer.toString(values++);
    if (length <= number.length()) {
      return number.substring(number.length() - length);
    }
    int from = random.nextInt(TEXT.length() - length);
    return TEXT.substring(from, from + length - number.length()) + number;
  }

  public void put(int pk, int ck, String value) {
    change("INSERT INTO ks." + table + " (pk, ck, v) VALUES (?, ?, ?)", pk, ck, value);
    rows.put(new Row(pk, ck), value);
    brief.remove(new Row(pk, ck));
  }

  public void putBriefly(int pk, int ck, String value) {
    change("INSERT INTO ks." + table + " (pk, ck, v) VALUES (?, ?, ?) USING TTL 1", pk, ck, value);
    rows.remove(new Row(pk, ck));
    brief.add(new Row(pk, ck));
  }

  public void delete(int pk, int ck) {
    change("DELETE FROM ks." + table + " WHERE pk = ? AND ck = ?", pk, ck);
    rows.remove(new Row(pk, ck));
  }

  public void deletePartition(int pk) {
    change("DELETE FROM ks." + table + " WHERE pk = ?", pk);
    rows.subMap(new Row(pk, Integer.MIN_VALUE), true, new Row(pk, Integer.MAX_VALUE), true).clear();
  }

  public void deleteRange(int pk, int from, int to) {
    change("DELETE FROM ks." + table + " WHERE pk = ? AND ck >= ? AND ck <= ?", pk, from, to);
    rows.subMap(new Row(pk, from), true, new Row(pk, to), true).clear();
  }

  /** Random changes: upserts, 10 % deletes of three kinds, 5 % rows that expire at once. */
  public void churn(int operations, int partitions, int valueLength) {
    for (int i = 0; i < operations; i++) {
      int pk = random.nextInt(partitions);
      int ck = random.nextInt(ROWS);
      int dice = random.nextInt(100);
      if (dice < 85) {
        put(pk, ck, value(valueLength));
      } else if (dice < 90) {
        putBriefly(pk, ck, value(valueLength));
      } else if (dice < 95) {
        delete(pk, ck);
      } else if (dice < 98) {
        deleteRange(pk, 0, 1);
      } else {
        deletePartition(pk);
      }
    }
  }

  public void flush() {
    if (!replaying) {
      node.flush(node.table("ks", table));
    }
  }

  /** Waits until every brief row has expired. */
  public void awaitExpiry() {
    for (Row row : brief) {
      Node.await("row " + row + " to expire", () -> read(row) == null);
    }
  }

  private String read(Row row) {
    UntypedResultSet result =
        node.run("SELECT v FROM ks." + table + " WHERE pk = ? AND ck = ?", row.pk, row.ck);
    return result.isEmpty() ? null : result.one().getString("v");
  }

  /** Compares by a full scan and by reading partitions 0 to the bound, also those never written. */
  public void verify(String when, int partitions) {
    TreeMap<Row, String> scanned = new TreeMap<>();
    for (UntypedResultSet.Row row : node.run("SELECT pk, ck, v FROM ks." + table)) {
      scanned.put(new Row(row.getInt("pk"), row.getInt("ck")), row.getString("v"));
    }
    same(when + ", by scan", scanned);
    TreeMap<Row, String> pointed = new TreeMap<>();
    for (int pk = 0; pk < partitions; pk++) {
      UntypedResultSet partition = node.run("SELECT ck, v FROM ks." + table + " WHERE pk = ?", pk);
      for (UntypedResultSet.Row row : partition) {
        pointed.put(new Row(pk, row.getInt("ck")), row.getString("v"));
      }
    }
    same(when + ", by partition", pointed);
  }

  private void same(String when, TreeMap<Row, String> found) {
    for (Map.Entry<Row, String> row : rows.entrySet()) {
      if (!row.getValue().equals(found.get(row.getKey()))) {
        throw new AssertionError(
            when
                + ": "
                + row.getKey()
                + " is "
                + found.get(row.getKey())
                + ", should be "
                + row.getValue());
      }
    }
    for (Row row : found.keySet()) {
      if (!rows.containsKey(row)) {
        throw new AssertionError(when + ": " + row + " should not be there");
      }
    }
  }
}
