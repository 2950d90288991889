// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a node and its tables have that the plain ones have not: a set of words, in text joined by
 * {@code +}, or {@code plain} for none.
 *
 * @param words {@code bti}: that SSTable format instead of big; {@code tokens}: 16 of them instead
 *     of one; {@code lz4}: compressed tables; {@code sai}: a storage-attached index; {@code udt}: a
 *     column of a user-defined type; {@code counters}: a table of counters besides
 */
public record Variety(Set<String> words) {

  private static final List<String> ALL = List.of("bti", "tokens", "lz4", "sai", "udt", "counters");

  public static final Variety PLAIN = new Variety(Set.of());
  public static final Variety FULL = new Variety(Set.copyOf(ALL));

  /** Checks the words. */
  public Variety {
    words = new TreeSet<>(words);
    if (!ALL.containsAll(words)) {
      throw new IllegalArgumentException(words + " must be of " + ALL);
    }
  }

  /** Reads the text form. */
  public static Variety of(String text) {
    return text.equals("plain") ? PLAIN : new Variety(Set.of(text.split("\\+")));
  }

  /** What {@code -Dcoppice.node=} says, else the given one. */
  public static Variety chosenOr(Variety usual) {
    String chosen = System.getProperty("coppice.node");
    return chosen == null ? usual : of(chosen);
  }

  /** Any of the 64. */
  public static Variety any(Random random) {
    return new Variety(
        ALL.stream().filter(word -> random.nextBoolean()).collect(Collectors.toSet()));
  }

  public boolean has(String word) {
    return words.contains(word);
  }

  /** What follows {@code WITH} in a statement that creates a table, but for the strategy. */
  public String tableOptions() {
    return has("lz4")
        ? "compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': '16'}"
        : "compression = {'enabled': 'false'}";
  }

  /** The text form. */
  @Override
  public String toString() {
    List<String> named = new ArrayList<>(words);
    return named.isEmpty() ? "plain" : String.join("+", named);
  }
}
