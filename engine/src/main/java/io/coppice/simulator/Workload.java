// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * The order in which keys are written. All but {@code SEQUENTIAL} spread over the whole key range.
 *
 * @param kind which keys come
 * @param exponent the exponent of {@code ZIPF}, above 0 and at most 2; 0 for the others
 */
public record Workload(Kind kind, double exponent) {

  /** Which keys come. */
  public enum Kind {
    /** Every key once, in random order. */
    INSERT,
    /** Every key once, in ascending order. */
    SEQUENTIAL,
    /** Keys drawn with equal probability, from an empty store on. */
    UNIFORM_UPDATE,
    /** Keys drawn by Zipf's law, popular ones spread over the key range. */
    ZIPF
  }

  private static final double MAX_EXPONENT = 2;

  /** Checks the exponent. */
  public Workload {
    boolean zipf = kind == Kind.ZIPF;
    if (zipf ? !(exponent > 0 && exponent <= MAX_EXPONENT) : exponent != 0) {
      throw new IllegalArgumentException(
          "the exponent (" + exponent + ") must be above 0 and at most 2 for zipf, else 0");
    }
  }

  /**
   * Reads {@code insert}, {@code sequential}, {@code uniform-update} or {@code zipf:0.99}.
   *
   * @throws IllegalArgumentException naming the text and what is expected
   */
  public static Workload parse(String text) {
    try {
      return switch (text) {
        case "insert" -> new Workload(Kind.INSERT, 0);
        case "sequential" -> new Workload(Kind.SEQUENTIAL, 0);
        case "uniform-update" -> new Workload(Kind.UNIFORM_UPDATE, 0);
        default -> {
          if (!text.startsWith("zipf:")) {
            throw new NumberFormatException();
          }
          yield new Workload(Kind.ZIPF, Double.parseDouble(text.substring("zipf:".length())));
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

  /** The text that {@link #parse} reads. */
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
