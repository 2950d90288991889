// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import io.coppice.cassandra.node.CqlModel.Cell;
import io.coppice.cassandra.node.CqlModel.Span;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.utils.CassandraVersion;
import org.apache.cassandra.utils.FBUtilities;

/**
 * A table of all kinds of columns that random statements change, and the {@link CqlModel} of what
 * must be in it. Two of its partitions have hundreds of rows. All that is random follows from the
 * seed. {@link TableReads} compares them.
 *
 * <p>It is one of two kinds. Either deletions may be purged at once; then writes come in the order
 * of their timestamps, as else what a purged deletion would have hidden may be seen. Or they are
 * kept for ever; then writes come out of order.
 */
public final class RandomTable {

  // Older ones lose the deletion of a collection that stands beside another one in a row, whatever
  // the strategy is (CASSANDRA-20449), so that only maps are written there.
  private static final boolean SEVERAL_COLLECTIONS =
      new CassandraVersion(FBUtilities.getReleaseVersionString())
              .compareTo(new CassandraVersion("5.0.4"))
          >= 0;

  static final int PARTITIONS = 220;
  static final int INDEXED = 12;

  private static final int WIDE = 2;
  private static final int WIDE_ROWS = 300;
  private static final int ROWS = 6;
  private static final int KEYS = 5;
  private static final int MAX_TTL = 300;
  private static final int MAX_LENGTH = 12_000;
  private static final int TEXT_LENGTH = 1 << 20;
  private static final int FILLING_FLUSHES = 5;

  // A late write has the timestamp of one of so many before it.
  private static final int LATEST = 400;
  private static final long FIRST_TIMESTAMP = 1_700_000_000_000_000L;
  private static final int SPACING = 20_000;

  // What stands for them among the values of a statement.
  private static final Object TTL = new Object();
  private static final Object TIMESTAMP = new Object();

  private final Node node;
  private final String table;
  private final boolean late;
  private final Random random;
  private final String text;
  private final CqlModel model = new CqlModel();
  private long writes;
  private int elements;

  /**
   * Creates the table.
   *
   * @param late whether writes come out of order
   */
  public RandomTable(Node node, String table, boolean late, long seed, String compaction) {
    this.node = node;
    this.table = table;
    this.late = late;
    this.random = new Random(seed);
    this.text = text(random);
    node.cql("CREATE TYPE IF NOT EXISTS ks.parts (a int, b text)");
    node.cql(
        "CREATE TABLE ks."
            + table
            + " (pk int, ck int, s text static, v text, w int, m map<int, text>, st set<int>,"
            + " l list<int>, u parts, PRIMARY KEY (pk, ck)) WITH CLUSTERING ORDER BY (ck "
            + (late ? "DESC" : "ASC")
            + ") AND "
            + node.files().variety().tableOptions()
            + " AND gc_grace_seconds = "
            + (late ? 10 * 365 * 86400 : 0)
            + " AND compaction = "
            + compaction);
    if (indexed()) {
      node.cql("CREATE INDEX ON ks." + table + " (w) USING 'sai'");
    }
  }

  public ColumnFamilyStore store() {
    return node.table("ks", table);
  }

  public String name() {
    return table;
  }

  public void alter(String compaction) {
    node.cql("ALTER TABLE ks." + table + " WITH compaction = " + compaction);
  }

  /** Writes so far; a batch is several. */
  public long writes() {
    return writes;
  }

  boolean indexed() {
    return node.files().variety().has("sai");
  }

  Node node() {
    return node;
  }

  CqlModel model() {
    return model;
  }

  Random random() {
    return random;
  }

  int key() {
    return random.nextInt(8) == 0 ? random.nextInt(WIDE) : random.nextInt(PARTITIONS);
  }

  static int rows(int pk) {
    return pk < WIDE ? WIDE_ROWS : ROWS;
  }

  /** Takes everything away. */
  public void truncate() {
    node.cql("TRUNCATE ks." + table);
    model.truncate();
  }

  /** Lets the model forget what no write to come can need. */
  public void forget() {
    long now = FBUtilities.nowInSeconds();
    long oldest = late ? writes - LATEST : writes;
    model.forget(FIRST_TIMESTAMP + oldest * SPACING, new Span(now, now));
  }

  /**
   * A statement for both.
   *
   * @param values {@link #TTL} and {@link #TIMESTAMP} stand where those are bound
   * @param applied to the model, given when it expires, and the timestamp
   */
  private record Statement(String cql, List<Object> values, ObjLongConsumer<Span> applied) {}

  /** Writes so many rows into SSTables, enough for merges of several steps. */
  public void fill(int inserts) {
    for (int i = 1; i <= inserts; i++) {
      run(List.of(insert(key())), "");
      if (i % (inserts / FILLING_FLUSHES) == 0) {
        node.flush(store());
      }
    }
  }

  /** Deletes so many rows, a few ranges and a few partitions, one after the other. */
  public void delete(int rows) {
    for (int i = 0; i < rows; i++) {
      int pk = key();
      int kind = random.nextInt(12);
      Statement deletion =
          kind == 0
              ? deletePartition(pk)
              : kind == 1 ? deleteRange(pk) : deleteRow(pk, random.nextInt(rows(pk)));
      run(List.of(deletion), "");
    }
  }

  /** One random statement or batch. */
  public void change() {
    if (random.nextInt(12) > 0) {
      run(List.of(statement()), "");
      return;
    }
    // Few shapes, as the node keeps every statement that it has prepared.
    List<Statement> batch = new ArrayList<>();
    batch.add(statement());
    int pk = key();
    for (int more = 1 + random.nextInt(3); more > 0; more--) {
      batch.add(insert(random.nextBoolean() ? pk : key()));
    }
    run(batch, random.nextBoolean() ? "UNLOGGED " : "");
  }

  private void run(List<Statement> statements, String kind) {
    StringBuilder cql = new StringBuilder();
    List<Object> values = new ArrayList<>();
    List<Runnable> applied = new ArrayList<>();
    long before = FBUtilities.nowInSeconds();
    for (Statement statement : statements) {
      long timestamp = timestamp();
      // 0 means none.
      int ttl = random.nextInt(4) == 0 ? 1 + random.nextInt(MAX_TTL) : 0;
      for (Object value : statement.values) {
        values.add(value == TTL ? (Object) ttl : value == TIMESTAMP ? (Object) timestamp : value);
      }
      cql.append(statement.cql).append("; ");
      applied.add(() -> statement.applied.accept(expires(before, ttl), timestamp));
    }
    String whole =
        statements.size() == 1
            ? statements.get(0).cql
            : "BEGIN " + kind + "BATCH " + cql + "APPLY BATCH";
    node.run(whole, values.toArray());
    applied.forEach(Runnable::run);
  }

  private static Span expires(long written, int ttl) {
    return ttl == 0
        ? new Span(CqlModel.NEVER, CqlModel.NEVER)
        : new Span(written + ttl, FBUtilities.nowInSeconds() + ttl);
  }

  /** One that no other write has, nor has the deletion that precedes a collection. */
  private long timestamp() {
    writes++;
    long at = late ? writes - random.nextInt(LATEST) : writes;
    return FIRST_TIMESTAMP + at * SPACING + writes % (SPACING / 2) * 2;
  }

  // --- statements ---

  private Statement statement() {
    int pk = key();
    int ck = random.nextInt(rows(pk));
    return switch (random.nextInt(26)) {
      case 0 -> mark(pk, ck);
      case 1 -> set(pk, ck, "v", value());
      case 2 -> set(pk, ck, "w", random.nextInt(INDEXED));
      case 3 -> set(pk, ck, random.nextBoolean() ? "v" : "w", null);
      case 4, 5 -> map(pk, ck);
      case 6, 7 -> SEVERAL_COLLECTIONS ? elements(pk, ck) : map(pk, ck);
      case 8 -> SEVERAL_COLLECTIONS ? list(pk, ck) : map(pk, ck);
      case 9, 10 -> SEVERAL_COLLECTIONS ? type(pk, ck) : map(pk, ck);
      case 11, 12 -> fixed(pk);
      case 13, 14 -> deleteRow(pk, ck);
      case 15 -> deleteRange(pk);
      case 16 -> random.nextInt(3) == 0 ? deletePartition(pk) : deleteRow(pk, ck);
      case 17 -> deleteColumn(pk, ck);
      default -> insert(pk);
    };
  }

  private Statement insert(int pk) {
    int ck = random.nextInt(rows(pk));
    ByteBuffer v = value();
    int w = random.nextInt(INDEXED);
    Map<Integer, String> m = someMap();
    if (!SEVERAL_COLLECTIONS) {
      return new Statement(
          "INSERT INTO ks."
              + table
              + " (pk, ck, v, w, m) VALUES (?, ?, ?, ?, ?) USING TTL ? AND TIMESTAMP ?",
          List.of(pk, ck, v, w, m, TTL, TIMESTAMP),
          (expires, timestamp) -> insertPlain(pk, ck, v, w, m, timestamp, expires));
    }
    Set<Integer> st = someSet();
    List<Integer> l = List.of(elements++, elements++);
    String b = "b" + random.nextInt(1000);
    return new Statement(
        "INSERT INTO ks."
            + table
            + " (pk, ck, v, w, m, st, l, u) VALUES (?, ?, ?, ?, ?, ?, ?, {a: ?, b: ?})"
            + " USING TTL ? AND TIMESTAMP ?",
        List.of(pk, ck, v, w, m, st, l, w, b, TTL, TIMESTAMP),
        (expires, timestamp) -> {
          insertPlain(pk, ck, v, w, m, timestamp, expires);
          replace(pk, ck, "st", cells(st), timestamp, expires);
          replace(pk, ck, "l", cells(l), timestamp, expires);
          replace(pk, ck, "u", Map.of("a", w, "b", b), timestamp, expires);
        });
  }

  private void insertPlain(
      int pk, int ck, ByteBuffer v, int w, Map<Integer, String> m, long timestamp, Span expires) {
    model.mark(pk, ck, timestamp, expires);
    model.put(pk, ck, "v", "", new Cell(timestamp, v, expires));
    model.put(pk, ck, "w", "", new Cell(timestamp, w, expires));
    replace(pk, ck, "m", m, timestamp, expires);
  }

  private Statement mark(int pk, int ck) {
    return new Statement(
        "INSERT INTO ks." + table + " (pk, ck) VALUES (?, ?) USING TTL ? AND TIMESTAMP ?",
        List.of(pk, ck, TTL, TIMESTAMP),
        (expires, timestamp) -> model.mark(pk, ck, timestamp, expires));
  }

  private Statement set(int pk, int ck, String column, Object value) {
    return update(
        pk,
        ck,
        column + " = ?",
        Arrays.asList(value),
        (expires, timestamp) -> model.put(pk, ck, column, "", new Cell(timestamp, value, expires)));
  }

  private Statement map(int pk, int ck) {
    Map<Integer, String> m = someMap();
    int key = random.nextInt(KEYS);
    String one = "one" + random.nextInt(1000);
    return switch (random.nextInt(4)) {
      case 0 ->
          update(
              pk,
              ck,
              "m = ?",
              List.of(m),
              (expires, timestamp) -> replace(pk, ck, "m", m, timestamp, expires));
      case 1 ->
          update(
              pk,
              ck,
              "m[?] = ?",
              List.of(key, one),
              (expires, timestamp) ->
                  model.put(pk, ck, "m", key, new Cell(timestamp, one, expires)));
      case 2 ->
          delete(
              pk, ck, "m[" + key + "]", timestamp -> remove(pk, ck, "m", List.of(key), timestamp));
      default ->
          update(
              pk,
              ck,
              "m = m + ?",
              List.of(m),
              (expires, timestamp) -> add(pk, ck, "m", m, timestamp, expires));
    };
  }

  private Statement elements(int pk, int ck) {
    Set<Integer> st = someSet();
    return switch (random.nextInt(3)) {
      case 0 ->
          update(
              pk,
              ck,
              "st = ?",
              List.of(st),
              (expires, timestamp) -> replace(pk, ck, "st", cells(st), timestamp, expires));
      case 1 ->
          update(
              pk,
              ck,
              "st = st - ?",
              List.of(st),
              (expires, timestamp) -> remove(pk, ck, "st", st, timestamp));
      default ->
          update(
              pk,
              ck,
              "st = st + ?",
              List.of(st),
              (expires, timestamp) -> add(pk, ck, "st", cells(st), timestamp, expires));
    };
  }

  /** Elements only grow, so that the order of a list is known. */
  private Statement list(int pk, int ck) {
    List<Integer> l = List.of(elements++, elements++);
    return random.nextInt(3) == 0
        ? update(
            pk,
            ck,
            "l = ?",
            List.of(l),
            (expires, timestamp) -> replace(pk, ck, "l", cells(l), timestamp, expires))
        : update(
            pk,
            ck,
            "l = l + ?",
            List.of(l),
            (expires, timestamp) -> add(pk, ck, "l", cells(l), timestamp, expires));
  }

  private Statement type(int pk, int ck) {
    int a = random.nextInt(1000);
    String b = "b" + a;
    return switch (random.nextInt(3)) {
      case 0 ->
          update(
              pk,
              ck,
              "u = {a: ?, b: ?}",
              List.of(a, b),
              (expires, timestamp) ->
                  replace(pk, ck, "u", Map.of("a", a, "b", b), timestamp, expires));
      case 1 ->
          update(
              pk,
              ck,
              "u.a = ?",
              List.of(a),
              (expires, timestamp) -> add(pk, ck, "u", Map.of("a", a), timestamp, expires));
      default ->
          update(
              pk,
              ck,
              "u.b = ?",
              List.of(b),
              (expires, timestamp) -> add(pk, ck, "u", Map.of("b", b), timestamp, expires));
    };
  }

  private Statement fixed(int pk) {
    String s = random.nextInt(4) == 0 ? null : "s" + writes;
    return new Statement(
        "UPDATE ks." + table + " USING TTL ? AND TIMESTAMP ? SET s = ? WHERE pk = ?",
        Arrays.asList(TTL, TIMESTAMP, s, pk),
        (expires, timestamp) -> model.put(pk, null, "s", "", new Cell(timestamp, s, expires)));
  }

  private Statement deleteRow(int pk, int ck) {
    return delete(pk, ck, "", timestamp -> model.deleteRow(pk, ck, timestamp));
  }

  private Statement deleteColumn(int pk, int ck) {
    String column =
        List.of("v", "w", "m", "st", "l", "u").get(random.nextInt(SEVERAL_COLLECTIONS ? 6 : 3));
    return column.length() == 1 && "vw".contains(column)
        ? delete(pk, ck, column, timestamp -> remove(pk, ck, column, List.of(""), timestamp))
        : delete(pk, ck, column, timestamp -> model.deleteColumn(pk, ck, column, timestamp));
  }

  private Statement deleteRange(int pk) {
    int from = random.nextInt(rows(pk));
    int to = Math.min(rows(pk) - 1, from + random.nextInt(rows(pk)) / 2);
    boolean open = random.nextBoolean();
    return new Statement(
        "DELETE FROM ks."
            + table
            + " USING TIMESTAMP ? WHERE pk = ? AND "
            + (open ? "ck > ?" : "ck >= ? AND ck <= ?"),
        open ? List.of(TIMESTAMP, pk, from) : List.of(TIMESTAMP, pk, from, to),
        (expires, timestamp) ->
            model.deleteRange(
                pk, open ? from + 1 : from, open ? Integer.MAX_VALUE : to, timestamp));
  }

  private Statement deletePartition(int pk) {
    return new Statement(
        "DELETE FROM ks." + table + " USING TIMESTAMP ? WHERE pk = ?",
        List.of(TIMESTAMP, pk),
        (expires, timestamp) -> model.deletePartition(pk, timestamp));
  }

  private Statement update(
      int pk, int ck, String assignment, List<?> values, ObjLongConsumer<Span> applied) {
    List<Object> bound = new ArrayList<>(List.of(TTL, TIMESTAMP));
    bound.addAll(values);
    bound.addAll(List.of(pk, ck));
    return new Statement(
        "UPDATE ks."
            + table
            + " USING TTL ? AND TIMESTAMP ? SET "
            + assignment
            + " WHERE pk = ? AND ck = ?",
        bound,
        applied);
  }

  private Statement delete(int pk, int ck, String what, LongConsumer applied) {
    return new Statement(
        "DELETE " + what + " FROM ks." + table + " USING TIMESTAMP ? WHERE pk = ? AND ck = ?",
        List.of(TIMESTAMP, pk, ck),
        (expires, timestamp) -> applied.accept(timestamp));
  }

  // --- what collections do to the model ---

  private void replace(
      int pk, int ck, String column, Map<?, ?> cells, long timestamp, Span expires) {
    model.deleteColumn(pk, ck, column, timestamp - 1);
    add(pk, ck, column, cells, timestamp, expires);
  }

  private void add(int pk, int ck, String column, Map<?, ?> cells, long timestamp, Span expires) {
    cells.forEach(
        (key, value) -> model.put(pk, ck, column, key, new Cell(timestamp, value, expires)));
  }

  private void remove(int pk, int ck, String column, Collection<?> keys, long timestamp) {
    Span never = new Span(CqlModel.NEVER, CqlModel.NEVER);
    keys.forEach(key -> model.put(pk, ck, column, key, new Cell(timestamp, null, never)));
  }

  private static Map<Integer, String> cells(Collection<Integer> keys) {
    Map<Integer, String> cells = new TreeMap<>();
    keys.forEach(key -> cells.put(key, ""));
    return cells;
  }

  /**
   * A text that no other write has, and that does not compress. It stays encoded in the model and
   * in {@link TableReads}, as decoding long texts took a third of the test's time.
   */
  private ByteBuffer value() {
    int length = random.nextInt(MAX_LENGTH);
    int from = random.nextInt(TEXT_LENGTH - length);
    String value = writes + " " + text.substring(from, from + length);
    return ByteBuffer.wrap(value.getBytes(StandardCharsets.US_ASCII));
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder(TEXT_LENGTH);
    while (text.length() < TEXT_LENGTH) {
      text.append((char) (' ' + random.nextInt(95)));
    }
    return text.toString();
  }

  private Map<Integer, String> someMap() {
    Map<Integer, String> some = new TreeMap<>();
    for (int i = random.nextInt(KEYS); i >= 0; i--) {
      some.put(random.nextInt(KEYS), "m" + random.nextInt(1000));
    }
    return some;
  }

  private Set<Integer> someSet() {
    return someMap().keySet();
  }
}
