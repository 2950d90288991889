// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

/**
 * One write, alone or in a batch.
 *
 * @param key the number of the key, or of the first key of a range
 * @param to the number of the key that ends a range, exclusive; else {@link Op#NONE}
 * @param value of a put, or the operand of a merge; else null
 * @param millis after which a value ends, by the clock of the load; {@link Op#NONE} if it does not
 */
public record Change(Type type, int key, int to, Value value, int millis) {

  /** What it does. */
  public enum Type {
    /** Sets a key. */
    PUT,
    /** Removes a key. */
    DELETE,
    /** Removes the keys of a range; nothing if its end does not sort after its first key. */
    CLEAR,
    /** Appends to what a key has. */
    MERGE
  }

  /** Sets a key. */
  public static Change put(int key, Value value) {
    return new Change(Type.PUT, key, Op.NONE, value, Op.NONE);
  }

  /** Sets a key for a while. */
  public static Change put(int key, Value value, int millis) {
    return new Change(Type.PUT, key, Op.NONE, value, millis);
  }

  /** Removes a key. */
  public static Change delete(int key) {
    return new Change(Type.DELETE, key, Op.NONE, null, Op.NONE);
  }

  /** Removes the keys of a range. */
  public static Change clear(int key, int to) {
    return new Change(Type.CLEAR, key, to, null, Op.NONE);
  }

  /** Appends to what a key has. */
  public static Change merge(int key, Value operand) {
    return new Change(Type.MERGE, key, Op.NONE, operand, Op.NONE);
  }

  /** With a value of a byte. */
  Change withSmallValue() {
    boolean small = value == null || value.size() < 2;
    return small ? this : new Change(type, key, to, new Value(value.seed(), 1), millis);
  }

  Change withoutEnd() {
    return new Change(type, key, to, value, Op.NONE);
  }

  /** With other keys. */
  Change withKeys(int otherKey, int otherTo) {
    return new Change(type, otherKey, otherTo, value, millis);
  }

  static Change parse(String text) {
    String[] words = text.trim().split(" ");
    int key = Integer.parseInt(words[1]);
    return switch (words[0]) {
      case "put" ->
          put(key, Value.parse(words[2]), words.length > 4 ? Integer.parseInt(words[4]) : Op.NONE);
      case "delete" -> delete(key);
      case "clear" -> clear(key, Integer.parseInt(words[2]));
      case "merge" -> merge(key, Value.parse(words[2]));
      default -> throw new IllegalArgumentException("no change: " + text);
    };
  }

  @Override
  public String toString() {
    return switch (type) {
      case PUT -> "put " + key + " " + value + (millis == Op.NONE ? "" : " for " + millis);
      case DELETE -> "delete " + key;
      case CLEAR -> "clear " + key + " " + to;
      case MERGE -> "merge " + key + " " + value;
    };
  }
}
