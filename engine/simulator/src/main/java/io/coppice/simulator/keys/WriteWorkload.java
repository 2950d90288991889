// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

/**
 * Order of the written keys. All kinds except {@code SEQUENTIAL} spread over the whole key range at
 * any time.
 *
 * @param kind distribution of the keys
 * @param exponent exponent of {@code ZIPF}, above 0 and at most 2; 0 for the others
 * @param deletes share of the operations that delete their key, from 0 to 0.99; 0 for loads that
 *     write each key once
 */
public record WriteWorkload(Kind kind, double exponent, double deletes) {

  /** Distribution of the written keys. */
  public enum Kind {
    /** Every key once, in random order. */
    INSERT,
    /** Every key once, in ascending order. */
    SEQUENTIAL,
    /** Keys drawn with equal probability, into a store that is empty at first. */
    UNIFORM_UPDATE,
    /** Keys drawn by Zipf's law, with popular ones spread over the key range. */
    ZIPF
  }

  /** Bytes of a deletion: about a short key with the header of an entry. */
  public static final int DELETION_BYTES = 24;

  private static final double MAX_EXPONENT = 2;
  private static final double MAX_DELETES = 0.99;
  private static final String DELETES = ",deletes:";

  /**
   * Creates a workload without deletions.
   *
   * @throws IllegalArgumentException if the exponent is out of the range that the kind allows
   */
  public WriteWorkload(Kind kind, double exponent) {
    this(kind, exponent, 0);
  }

  /**
   * Checks exponent and deletes against the kind.
   *
   * @throws IllegalArgumentException if a value is out of the range that the kind allows
   */
  public WriteWorkload {
    if (!(deletes >= 0 && deletes <= (once(kind) ? 0 : MAX_DELETES))) {
      throw new IllegalArgumentException(
          "deletes (" + deletes + ") must be from 0 to 0.99, and 0 if keys are written once");
    }
    boolean zipf = kind == Kind.ZIPF;
    if (zipf ? !(exponent > 0 && exponent <= MAX_EXPONENT) : exponent != 0) {
      throw new IllegalArgumentException(
          "the exponent (" + exponent + ") must be above 0 and at most 2 for zipf, else 0");
    }
  }

  /** Returns the size of a deletion divided by that of an entry with a value, at most 1. */
  public static double deletionWeight(double entryBytes) {
    return Math.min(1, DELETION_BYTES / entryBytes);
  }

  private static boolean once(Kind kind) {
    return kind == Kind.INSERT || kind == Kind.SEQUENTIAL;
  }

  /** Returns whether each key is written once. */
  public boolean once() {
    return once(kind);
  }

  /**
   * Parses {@code insert}, {@code sequential}, {@code uniform-update} or {@code zipf:0.99}. The
   * last two may end with {@code ,deletes:0.1}.
   *
   * @throws IllegalArgumentException if the text is none of these, or a number is out of range; the
   *     message contains the text
   */
  public static WriteWorkload parse(String text) {
    try {
      int end = text.indexOf(DELETES);
      if (end >= 0) {
        WriteWorkload writes = parse(text.substring(0, end));
        double deletes = Double.parseDouble(text.substring(end + DELETES.length()));
        return new WriteWorkload(writes.kind, writes.exponent, deletes);
      }
      return switch (text) {
        case "insert" -> new WriteWorkload(Kind.INSERT, 0);
        case "sequential" -> new WriteWorkload(Kind.SEQUENTIAL, 0);
        case "uniform-update" -> new WriteWorkload(Kind.UNIFORM_UPDATE, 0);
        default -> {
          if (!text.startsWith("zipf:")) {
            throw new NumberFormatException();
          }
          yield new WriteWorkload(Kind.ZIPF, Double.parseDouble(text.substring("zipf:".length())));
        }
      };
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "workload ("
              + text
              + ") must be insert, sequential, uniform-update or zipf:<exponent>, the exponent"
              + " above 0 and at most 2; ,deletes:<share> up to 0.99 may follow the last two",
          e);
    }
  }

  /** Returns the text that {@link #parse} reads. */
  @Override
  public String toString() {
    String writes =
        switch (kind) {
          case INSERT -> "insert";
          case SEQUENTIAL -> "sequential";
          case UNIFORM_UPDATE -> "uniform-update";
          case ZIPF -> "zipf:" + exponent;
        };
    return deletes == 0 ? writes : writes + DELETES + deletes;
  }
}
