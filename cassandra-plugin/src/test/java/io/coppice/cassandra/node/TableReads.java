// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import io.coppice.cassandra.node.CqlModel.Expected;
import io.coppice.cassandra.node.CqlModel.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.utils.FBUtilities;

/**
 * Reads of a {@link RandomTable} by every door, each compared with its model: rows, slices forward
 * and backward, several rows by name, partitions, ranges of tokens, pages of all sizes, and the
 * index.
 */
public final class TableReads {

  private static final String COLUMNS = "pk, ck, s, v, w, m, st, l, u.a AS ua, u.b AS ub";

  private final RandomTable table;
  private final CqlModel model;
  private final Random random;
  private final List<Integer> keys = new ArrayList<>();
  private final Map<Integer, Long> tokens = new HashMap<>();
  private long rows;

  public TableReads(RandomTable table) {
    this.table = table;
    this.model = table.model();
    this.random = table.random();
    for (int pk = 0; pk < RandomTable.PARTITIONS; pk++) {
      Object token =
          table.store().getPartitioner().getToken(Int32Type.instance.decompose(pk)).getTokenValue();
      keys.add(pk);
      tokens.put(pk, (Long) token);
    }
    keys.sort(Comparator.comparing(tokens::get));
  }

  /** Rows that were read and compared. */
  public long rows() {
    return rows;
  }

  /** Rows as they came, and when. */
  private record Answer(List<Found> rows, Span read) {}

  /**
   * A row as it came.
   *
   * @param ck null where a partition has static columns only
   */
  private record Found(
      int pk,
      Integer ck,
      Map<String, Map<Object, Object>> fixed,
      Map<String, Map<Object, Object>> columns) {}

  /** One read of a random kind. */
  public void any() {
    int pk = table.key();
    int bound = RandomTable.rows(pk);
    int from = random.nextInt(bound);
    int to = from + random.nextInt(bound);
    switch (random.nextInt(12)) {
      case 0 -> slice(pk, ">= ? AND ck < ?", from, true, to, false, "ASC");
      case 1 -> slice(pk, "> ? AND ck <= ?", from, false, to, true, "DESC");
      case 2 -> partition(pk, "DESC");
      case 3 -> named(pk, from, random.nextInt(bound));
      case 4 -> tokens(random.nextLong(), random.nextLong());
      case 5 -> partition(pk, "ASC");
      default -> slice(pk, ">= ? AND ck <= ?", from, true, from, true, "ASC");
    }
  }

  /** Everything, by partitions; draws nothing. */
  public void partitions() {
    for (int pk : keys) {
      partition(pk, "ASC");
    }
  }

  /** Everything, by partitions, by two scans, and by the index. */
  public void all() {
    partitions();
    scan("", Long.MIN_VALUE, Long.MAX_VALUE);
    long cut = random.nextLong();
    tokens(Long.MIN_VALUE, cut);
    tokens(cut, Long.MAX_VALUE);
    if (table.indexed()) {
      for (int w = 0; w < RandomTable.INDEXED; w++) {
        indexed(w);
      }
    }
  }

  private void slice(
      int pk, String bounds, int from, boolean withFrom, int to, boolean withTo, String order) {
    Answer answer =
        read(
            "WHERE pk = ? AND ck " + bounds + " ORDER BY ck " + order,
            pk,
            from,
            Math.max(from, to));
    NavigableMap<Integer, Expected> expected =
        model.rows(pk, answer.read).subMap(from, withFrom, Math.max(from, to), withTo);
    rows(order + " slice " + bounds, pk, answer, ordered(expected, order));
  }

  private void named(int pk, int one, int other) {
    Answer answer = read("WHERE pk = ? AND ck IN (?, ?) ORDER BY ck ASC", pk, one, other);
    TreeMap<Integer, Expected> expected = model.rows(pk, answer.read);
    expected.keySet().removeIf(ck -> ck != one && ck != other);
    rows("two rows", pk, answer, expected);
  }

  private void partition(int pk, String order) {
    Answer answer = read("WHERE pk = ? ORDER BY ck " + order, pk);
    partition(order + " partition", pk, answer, order);
  }

  /** Of two tokens in any order. */
  private void tokens(long one, long other) {
    scan("WHERE token(pk) > ? AND token(pk) <= ?", Math.min(one, other), Math.max(one, other));
  }

  private void scan(String where, long low, long high) {
    Answer answer = where.isEmpty() ? read("") : read(where, low, high);
    Iterator<Found> found = answer.rows.iterator();
    Found next = found.hasNext() ? found.next() : null;
    for (int pk : keys) {
      if (tokens.get(pk) <= low || high < tokens.get(pk)) {
        continue;
      }
      List<Found> rows = new ArrayList<>();
      while (next != null && next.pk == pk) {
        rows.add(next);
        next = found.hasNext() ? found.next() : null;
      }
      partition("scan", pk, new Answer(rows, answer.read), "as the table");
    }
    if (next != null) {
      throw wrong("scan", next.pk, "partition out of place");
    }
  }

  private void partition(String how, int pk, Answer answer, String order) {
    Expected fixed = model.fixed(pk, answer.read);
    TreeMap<Integer, Expected> expected = model.rows(pk, answer.read);
    boolean bare = answer.rows.size() == 1 && answer.rows.get(0).ck == null;
    if (bare && !fixed.maybe()) {
      throw wrong(how, pk, "static columns came back");
    }
    if (answer.rows.isEmpty() && fixed.present()) {
      throw wrong(how, pk, "static columns are lost");
    }
    if (bare) {
      fixed(how, pk, answer);
    }
    rows(how, pk, bare ? new Answer(List.of(), answer.read) : answer, ordered(expected, order));
  }

  private Map<Integer, Expected> ordered(NavigableMap<Integer, Expected> rows, String order) {
    boolean descending =
        order.equals("DESC")
            || !order.equals("ASC") && table.store().metadata().comparator.subtype(0).isReversed();
    return descending ? rows.descendingMap() : rows;
  }

  private void fixed(String how, int pk, Answer answer) {
    Expected fixed = model.fixed(pk, answer.read);
    for (Found row : answer.rows) {
      String fault = fixed.fault(row.fixed);
      if (fault != null) {
        throw wrong(how, pk, fault);
      }
    }
  }

  /** Compares rows that must come in the order of the map. */
  private void rows(String how, int pk, Answer answer, Map<Integer, Expected> expected) {
    fixed(how, pk, answer);
    rows += answer.rows.size();
    Iterator<Found> found = answer.rows.iterator();
    Found next = found.hasNext() ? found.next() : null;
    for (Map.Entry<Integer, Expected> row : expected.entrySet()) {
      if (next == null || !row.getKey().equals(next.ck)) {
        if (row.getValue().present()) {
          throw wrong(how, pk, "row " + row.getKey() + " is lost or out of place");
        }
        continue;
      }
      String fault = row.getValue().fault(next.columns);
      if (fault != null) {
        throw wrong(how, pk, "row " + row.getKey() + ": " + fault);
      }
      next = found.hasNext() ? found.next() : null;
    }
    if (next != null) {
      throw wrong(how, pk, "row " + next.ck + " came back or is out of place");
    }
  }

  private void indexed(int w) {
    table.node().awaitIndexes(table.store());
    Answer answer = read("WHERE w = ?", w);
    Set<List<Integer>> found = new TreeSet<>(Comparator.comparing(List::toString));
    answer.rows.forEach(row -> found.add(List.of(row.pk, row.ck)));
    for (int pk : keys) {
      model
          .rows(pk, answer.read)
          .forEach(
              (ck, row) -> {
                boolean there = found.remove(List.of(pk, ck));
                if (!there && has(row.sure(), w)) {
                  throw wrong("index", pk, "row " + ck + " is lost");
                }
                if (there && !has(row.possible(), w)) {
                  throw wrong("index", pk, "row " + ck + " came back");
                }
              });
    }
    if (!found.isEmpty()) {
      throw wrong("index", -1, "these came back: " + found);
    }
    rows += answer.rows.size();
  }

  private static boolean has(Map<String, Map<Object, Object>> columns, int w) {
    return Integer.valueOf(w).equals(columns.getOrDefault("w", Map.of()).get(""));
  }

  private AssertionError wrong(String how, int pk, String what) {
    return new AssertionError(
        "ks." + table.name() + " by " + how + ", partition " + pk + ": " + what);
  }

  // --- the table ---

  private Answer read(String where, Object... values) {
    String query = "SELECT " + COLUMNS + " FROM ks." + table.name() + " " + where;
    long from = FBUtilities.nowInSeconds();
    // Small pages where they are cut inside partitions, large ones where that would take long.
    boolean paged = random.nextBoolean() && !where.contains(" IN ") && !where.contains("w = ");
    UntypedResultSet result =
        paged
            ? QueryProcessor.executeInternalWithPaging(query, 5 + random.nextInt(400), values)
            : table.node().run(query, values);
    List<Found> rows = new ArrayList<>();
    for (UntypedResultSet.Row row : result) {
      rows.add(found(row));
    }
    return new Answer(rows, new Span(from, FBUtilities.nowInSeconds()));
  }

  private static Found found(UntypedResultSet.Row row) {
    Map<String, Map<Object, Object>> fixed = new TreeMap<>();
    if (row.has("s")) {
      fixed.put("s", Map.of("", row.getString("s")));
    }
    Map<String, Map<Object, Object>> columns = new TreeMap<>();
    if (row.has("v")) {
      columns.put("v", Map.of("", row.getBlob("v")));
    }
    if (row.has("w")) {
      columns.put("w", Map.of("", row.getInt("w")));
    }
    if (row.has("m")) {
      columns.put("m", new HashMap<>(row.getMap("m", Int32Type.instance, UTF8Type.instance)));
    }
    if (row.has("st")) {
      columns.put("st", keyed(row.getSet("st", Int32Type.instance)));
    }
    if (row.has("l")) {
      List<Integer> list = row.getList("l", Int32Type.instance);
      if (!list.stream().sorted().toList().equals(list)) {
        throw new AssertionError("a list is out of order: " + list);
      }
      columns.put("l", keyed(list));
    }
    Map<Object, Object> parts = new TreeMap<>();
    if (row.has("ua")) {
      parts.put("a", row.getInt("ua"));
    }
    if (row.has("ub")) {
      parts.put("b", row.getString("ub"));
    }
    if (!parts.isEmpty()) {
      columns.put("u", parts);
    }
    return new Found(row.getInt("pk"), row.has("ck") ? row.getInt("ck") : null, fixed, columns);
  }

  private static Map<Object, Object> keyed(Iterable<Integer> keys) {
    Map<Object, Object> keyed = new TreeMap<>();
    keys.forEach(key -> keyed.put(key, ""));
    return keyed;
  }
}
