// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

/**
 * Order of the written keys. All kinds except {@code SEQUENTIAL} spread over the whole key range.
 *
 * @param kind distribution of the keys
 * @param exponent exponent of {@code ZIPF}, above 0 and at most 2; 0 for the others
 */
public record WriteWorkload(Kind kind, double exponent) {

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

  private static final double MAX_EXPONENT = 2;

  /** Checks the exponent against the kind. */
  public WriteWorkload {
    boolean zipf = kind == Kind.ZIPF;
    if (zipf ? !(exponent > 0 && exponent <= MAX_EXPONENT) : exponent != 0) {
      throw new IllegalArgumentException(
          "the exponent (" + exponent + ") must be above 0 and at most 2 for zipf, else 0");
    }
  }

  /**
   * Parses {@code insert}, {@code sequential}, {@code uniform-update} or {@code zipf:0.99}.
   *
   * @throws IllegalArgumentException if the text is none of these; the message contains it
   */
  public static WriteWorkload parse(String text) {
    try {
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
              + " above 0 and at most 2",
          e);
    }
  }

  /** Returns the text that {@link #parse} reads. */
  @Override
  public String toString() {
    return switch (kind) {
      case INSERT -> "insert";
      case SEQUENTIAL -> "sequential";
      case UNIFORM_UPDATE -> "uniform-update";
      case ZIPF -> "zipf:" + exponent;
    };
  }
}
