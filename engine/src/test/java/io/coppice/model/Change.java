// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

/**
 * One write, alone or in a batch.
 *
 * @param key the number of the key
 * @param value of a put; null of a delete
 */
public record Change(int key, Value value) {

  /** Sets a key. */
  public static Change put(int key, Value value) {
    return new Change(key, value);
  }

  /** Removes a key. */
  public static Change delete(int key) {
    return new Change(key, null);
  }

  /** With another key. */
  Change withKey(int other) {
    return new Change(other, value);
  }

  static Change parse(String text) {
    String[] words = text.trim().split(" ");
    return switch (words[0]) {
      case "put" -> put(Integer.parseInt(words[1]), Value.parse(words[2]));
      case "delete" -> delete(Integer.parseInt(words[1]));
      default -> throw new IllegalArgumentException("no change: " + text);
    };
  }

  @Override
  public String toString() {
    return value == null ? "delete " + key : "put " + key + " " + value;
  }
}
