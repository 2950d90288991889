// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.utils.FBUtilities;

/**
 * A table of all that a merge can get wrong, written in waves, and what must be in it after so many
 * of them: overwrites of rows and of single columns, static columns, deletions of partitions,
 * ranges, rows and columns, rows that expire, partitions of one row and of hundreds; and what the
 * node's {@link Variety} adds. What a wave does to a partition follows from seed, wave and
 * partition alone, so any process can tell what must be there; nothing is remembered.
 *
 * <p>Deletions may be purged at once (gc_grace_seconds is 0), and timestamps are those of the
 * waves, so a tombstone purged too early shows.
 */
public final class Waves {

  private static final long BASE_TIMESTAMP = 1_000_000_000L;
  private static final int WIDE_EVERY = 151;
  private static final int WIDE_ROWS = 300;
  private static final int ROWS = 3;

  /**
   * How a row stands: seen if it was inserted and not deleted since, or has a column. The long
   * column is made only for those that stay.
   */
  private static final class Row {
    boolean inserted;
    Supplier<String> v;
    String w;
    String a;
    String b;

    boolean seen() {
      return inserted || v != null || w != null || a != null || b != null;
    }

    void clear() {
      inserted = false;
      v = null;
      w = null;
      a = null;
      b = null;
    }
  }

  private final Node node;
  private final boolean typed;
  private final String table;
  private final long seed;
  private final int partitions;
  private final int valueLength;
  private final boolean expiring;
  private int compared;

  /**
   * Takes a table that {@link #create} describes.
   *
   * @param partitions how many keys there are
   * @param valueLength characters of most values
   * @param expiring whether some rows last a second only; those must have expired before the table
   *     is compared
   */
  public Waves(
      Node node, String table, long seed, int partitions, int valueLength, boolean expiring) {
    this.node = node;
    this.typed = node.files().variety().has("udt");
    this.table = table;
    this.seed = seed;
    this.partitions = partitions;
    this.valueLength = valueLength;
    this.expiring = expiring;
  }

  /** Creates the table, with the type and the index that belong to it. */
  public static void create(Node node, String table, String compaction) {
    Variety variety = node.files().variety();
    boolean typed = variety.has("udt");
    if (typed) {
      node.cql("CREATE TYPE IF NOT EXISTS ks.pair (a text, b text)");
    }
    node.cql(
        "CREATE TABLE ks."
            + table
            + " (pk int, ck int, s text static, v text, w text, "
            + (typed ? "u pair, " : "")
            + "PRIMARY KEY (pk, ck)) WITH "
            + variety.tableOptions()
            + " AND gc_grace_seconds = 0 AND compaction = "
            + compaction);
    if (variety.has("sai")) {
      node.cql("CREATE INDEX ON ks." + table + " (w) USING 'sai'");
    }
  }

  // --- what a wave does to a partition, for the table and for the model alike ---

  private sealed interface Change {}

  private record Insert(int ck, Supplier<String> v, String w, boolean brief) implements Change {}

  private record Update(int ck, String w) implements Change {}

  private record Static(String s) implements Change {}

  private record DeleteRow(int ck) implements Change {}

  private record DeleteColumn(int ck) implements Change {}

  private record DeleteRange(int from, int to) implements Change {}

  private record DeletePartition() implements Change {}

  private List<Change> changes(int wave, int pk) {
    long dice = mix(seed, wave, pk, 0);
    int rows = rows(pk);
    List<Change> changes = new ArrayList<>();
    switch (Math.floorMod(dice, 20)) {
      case 0 -> changes.add(new DeletePartition());
      case 1, 2 -> changes.add(new DeleteRange(rows / 3, rows * 2 / 3));
      case 3 -> changes.add(new DeleteRow(pick(dice, rows)));
      case 4 -> changes.add(new DeleteColumn(pick(dice, rows)));
      case 5 -> changes.add(new Static(null));
      case 6 -> changes.add(new Static("s" + wave + "/" + pk));
      case 7 -> changes.add(new Update(pick(dice, rows), "only w " + wave));
      case 8 ->
          changes.add(
              new Insert(pick(dice, rows), () -> value(wave, pk, 1), "brief " + wave, expiring));
      case 9, 10, 11 -> {}
      default -> {
        int step = rows > ROWS ? 1 + pick(dice, 7) : 1;
        for (int ck = pick(dice >>> 8, step); ck < rows; ck += step) {
          int row = ck;
          changes.add(new Insert(ck, () -> value(wave, pk, row), "w" + wave, false));
        }
      }
    }
    return changes;
  }

  private static int rows(int pk) {
    return pk % WIDE_EVERY == 7 ? WIDE_ROWS : ROWS;
  }

  private static int pick(long dice, int bound) {
    return Math.floorMod(dice >>> 16, bound);
  }

  private String value(int wave, int pk, int ck) {
    StringBuilder value = new StringBuilder(valueLength + 16);
    value.append(wave).append('/').append(pk).append('/').append(ck).append('/');
    long bits = mix(seed, wave, pk, ck + 1);
    while (value.length() < valueLength) {
      bits = bits * 6364136223846793005L + 1442695040888963407L;
      value.append((char) (' ' + 1 + ((bits >>> 33) % 90)));
    }
    return value.toString();
  }

  private static long mix(long seed, int wave, int pk, int salt) {
    long x = seed * 31 + wave;
    x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L + pk;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL + salt;
    x = (x ^ (x >>> 31)) * 0xbf58476d1ce4e5b9L;
    return x ^ (x >>> 29);
  }

  // --- the table ---

  /**
   * Writes a wave and returns once it is on disk.
   *
   * @param slices flushes of so many ranges of keys, one after the other; 1 for one wide SSTable
   */
  public void write(int wave, int slices) {
    write(wave, keysByToken(), Math.max(1, partitions / slices));
  }

  /**
   * Writes a wave and returns once it is on disk.
   *
   * @param layers flushes of every so-manieth key, one after the other: as many wide SSTables, none
   *     of them large
   */
  public void writeLayers(int wave, int layers) {
    List<Integer> keys = keysByToken();
    List<Integer> layered = new ArrayList<>();
    for (int layer = 0; layer < layers; layer++) {
      for (int i = layer; i < partitions; i += layers) {
        layered.add(keys.get(i));
      }
    }
    write(wave, layered, (partitions + layers - 1) / layers);
  }

  private void write(int wave, List<Integer> keys, int keysOfFlush) {
    ColumnFamilyStore store = node.table("ks", table);
    int written = 0;
    for (int pk : keys) {
      long timestamp = BASE_TIMESTAMP + wave * 10L;
      for (Change change : changes(wave, pk)) {
        apply(pk, change, timestamp);
      }
      written++;
      if (written % keysOfFlush == 0) {
        node.flush(store);
      }
    }
    node.flush(store);
  }

  private void apply(int pk, Change change, long timestamp) {
    String into = "ks." + table;
    if (change instanceof Insert insert) {
      String pair = "{a: '" + insert.w + "', b: 'b'}";
      node.run(
          "INSERT INTO "
              + into
              + (typed ? " (pk, ck, v, w, u)" : " (pk, ck, v, w)")
              + " VALUES (?, ?, ?, ?"
              + (typed ? ", " + pair : "")
              + ") USING TIMESTAMP ?"
              + (insert.brief ? " AND TTL 1" : ""),
          pk,
          insert.ck,
          insert.v.get(),
          insert.w,
          timestamp);
    } else if (change instanceof Update update) {
      node.run(
          "UPDATE "
              + into
              + " USING TIMESTAMP ? SET w = ?"
              + (typed ? ", u.b = '" + update.w + "'" : "")
              + " WHERE pk = ? AND ck = ?",
          timestamp,
          update.w,
          pk,
          update.ck);
    } else if (change instanceof Static fixed && fixed.s != null) {
      node.run(
          "UPDATE " + into + " USING TIMESTAMP ? SET s = ? WHERE pk = ?", timestamp, fixed.s, pk);
    } else if (change instanceof Static) {
      node.run("DELETE s FROM " + into + " USING TIMESTAMP ? WHERE pk = ?", timestamp, pk);
    } else if (change instanceof DeleteRow row) {
      node.run(
          "DELETE FROM " + into + " USING TIMESTAMP ? WHERE pk = ? AND ck = ?",
          timestamp,
          pk,
          row.ck);
    } else if (change instanceof DeleteColumn column) {
      node.run(
          "DELETE "
              + (typed ? "v, u" : "v")
              + " FROM "
              + into
              + " USING TIMESTAMP ? WHERE pk = ? AND ck = ?",
          timestamp,
          pk,
          column.ck);
    } else if (change instanceof DeleteRange range) {
      node.run(
          "DELETE FROM " + into + " USING TIMESTAMP ? WHERE pk = ? AND ck >= ? AND ck <= ?",
          timestamp,
          pk,
          range.from,
          range.to);
    } else {
      node.run("DELETE FROM " + into + " USING TIMESTAMP ? WHERE pk = ?", timestamp, pk);
    }
  }

  /** Waits until what was written to last a second has expired and may be purged. */
  public static void awaitExpiry() {
    long now = FBUtilities.nowInSeconds();
    Node.await("brief rows to expire", () -> FBUtilities.nowInSeconds() > now + 2);
  }

  // --- the model ---

  /**
   * Compares the whole table with what the waves have left.
   *
   * @return the first few differences, none if all is well; each tells whether something was lost,
   *     is stale or has come back
   */
  public List<String> differences(int waves) {
    List<String> differences = new ArrayList<>();
    Map<Integer, TreeMap<Integer, String>> all = new TreeMap<>();
    String columns = typed ? "pk, ck, s, v, w, u.a AS a, u.b AS b" : "pk, ck, s, v, w";
    for (UntypedResultSet.Row row : node.run("SELECT " + columns + " FROM ks." + table)) {
      int ck = row.has("ck") ? row.getInt("ck") : -1;
      Row found = new Row();
      String v = get(row, "v");
      found.v = v == null ? null : () -> v;
      found.w = get(row, "w");
      found.a = typed ? get(row, "a") : null;
      found.b = typed ? get(row, "b") : null;
      String text = text(get(row, "s"), found);
      all.computeIfAbsent(row.getInt("pk"), pk -> new TreeMap<>()).put(ck, text);
    }
    Map<String, Set<String>> byW = new TreeMap<>();
    compared = 0;
    for (int pk = 0; pk < partitions; pk++) {
      Partition partition = partition(waves, pk);
      TreeMap<Integer, String> expected = texts(partition);
      compared += expected.size();
      for (Map.Entry<Integer, Row> row : partition.rows.entrySet()) {
        byW.computeIfAbsent(row.getValue().w + "", w -> new TreeSet<>())
            .add(pk + "/" + row.getKey());
      }
      TreeMap<Integer, String> present = all.getOrDefault(pk, new TreeMap<>());
      Set<Integer> keys = new HashSet<>(expected.keySet());
      keys.addAll(present.keySet());
      for (int ck : keys) {
        String wanted = expected.get(ck);
        String got = present.get(ck);
        if (wanted == null) {
          differences.add("came back: " + pk + "/" + ck + " as " + shown(got));
        } else if (got == null) {
          differences.add("lost: " + pk + "/" + ck + ", should be " + shown(wanted));
        } else if (!got.equals(wanted)) {
          differences.add(
              "stale: " + pk + "/" + ck + " is " + shown(got) + ", should be " + shown(wanted));
        }
      }
    }
    if (node.files().variety().has("sai")) {
      addIndexDifferences(waves, byW, differences);
    }
    return differences;
  }

  /** How many rows there had to be when the table was last compared. */
  public int compared() {
    return compared;
  }

  /** Asks the index for what the last wave, one in the middle and the first have written. */
  private void addIndexDifferences(
      int waves, Map<String, Set<String>> byW, List<String> differences) {
    node.awaitIndexes(node.table("ks", table));
    for (int wave : new TreeSet<>(List.of(0, waves / 2, waves))) {
      for (String w : List.of("w" + wave, "only w " + wave, "brief " + wave)) {
        Set<String> found = new TreeSet<>();
        String query = "SELECT pk, ck FROM ks." + table + " WHERE w = ?";
        for (UntypedResultSet.Row row : node.run(query, w)) {
          found.add(row.getInt("pk") + "/" + row.getInt("ck"));
        }
        Set<String> wanted = byW.getOrDefault(w, Set.of());
        if (!found.equals(wanted)) {
          differences.add(
              "index: " + w + " is in " + shown(found + "") + ", should be " + shown(wanted + ""));
        }
      }
    }
  }

  /** What of a partition can be seen. */
  private record Partition(String s, Map<Integer, Row> rows) {}

  private Partition partition(int waves, int pk) {
    Map<Integer, Row> rows = new TreeMap<>();
    String fixed = null;
    for (int wave = 0; wave < waves; wave++) {
      for (Change change : changes(wave, pk)) {
        if (change instanceof Insert insert) {
          Row row = rows.computeIfAbsent(insert.ck, ck -> new Row());
          row.inserted = !insert.brief;
          row.v = insert.brief ? null : insert.v;
          row.w = insert.brief ? null : insert.w;
          if (typed) {
            row.a = insert.brief ? null : insert.w;
            row.b = insert.brief ? null : "b";
          }
        } else if (change instanceof Update update) {
          Row row = rows.computeIfAbsent(update.ck, ck -> new Row());
          row.w = update.w;
          row.b = typed ? update.w : null;
        } else if (change instanceof Static statics) {
          fixed = statics.s;
        } else if (change instanceof DeleteRow row) {
          rows.remove(row.ck);
        } else if (change instanceof DeleteColumn column) {
          Row row = rows.computeIfAbsent(column.ck, ck -> new Row());
          row.v = null;
          row.a = null;
          row.b = null;
        } else if (change instanceof DeleteRange range) {
          rows.forEach(
              (ck, row) -> {
                if (range.from <= ck && ck <= range.to) {
                  row.clear();
                }
              });
        } else {
          rows.clear();
          fixed = null;
        }
      }
    }
    rows.values().removeIf(row -> !row.seen());
    return new Partition(fixed, rows);
  }

  /** Rows of a partition as text; key -1 for one that has static columns only. */
  private static TreeMap<Integer, String> texts(Partition partition) {
    TreeMap<Integer, String> texts = new TreeMap<>();
    partition.rows.forEach((ck, row) -> texts.put(ck, text(partition.s, row)));
    if (texts.isEmpty() && partition.s != null) {
      texts.put(-1, text(partition.s, new Row()));
    }
    return texts;
  }

  private static String get(UntypedResultSet.Row row, String column) {
    return row.has(column) ? row.getString(column) : null;
  }

  private static String text(String s, Row row) {
    String v = row.v == null ? "null" : row.v.get();
    return String.join("|", s + "", v, row.w + "", row.a + "", row.b + "");
  }

  private static String shown(String text) {
    return text.length() > 60 ? text.substring(0, 60) + "..." : text;
  }

  private List<Integer> keysByToken() {
    List<Integer> keys = new ArrayList<>();
    for (int pk = 0; pk < partitions; pk++) {
      keys.add(pk);
    }
    var partitioner = node.table("ks", table).getPartitioner();
    keys.sort(
        Comparator.comparing(
            (Integer pk) -> partitioner.getToken(Int32Type.instance.decompose(pk))));
    return keys;
  }
}
