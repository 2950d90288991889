// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The codec of the tables that are written at each level; what a move or a delay hangs elsewhere
 * stays as it is.
 *
 * @param levels level 0 first, never empty; the last one also counts for every level behind it
 */
public record Compression(List<BlockCodec> levels) {

  /** Nothing is compressed. */
  public static final Compression NONE = new Compression(List.of(BlockCodec.NONE));

  /** Copies the list. */
  public Compression {
    levels = List.copyOf(levels);
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("compression must name a codec");
    }
  }

  /**
   * Reads a text such as {@code none,none,lz4,zstd}.
   *
   * @param errors receives what is wrong, one a fault: unknown names, and codecs whose library is
   *     missing
   * @return null if there was a fault
   */
  public static Compression parse(String text, List<String> errors) {
    List<BlockCodec> levels = new ArrayList<>();
    for (String word : text.split(",", -1)) {
      BlockCodec codec = named(word.trim());
      if (codec == null) {
        errors.add(
            "compression ("
                + text
                + ") must be codecs by level, of "
                + Arrays.toString(BlockCodec.values()));
        return null;
      }
      levels.add(codec);
    }
    List<String> missing =
        levels.stream()
            .distinct()
            .filter(codec -> codec != BlockCodec.NONE)
            .map(BlockCodec::problem)
            .filter(problem -> problem != null)
            .map(problem -> "compression (" + text + "): " + problem)
            .toList();
    errors.addAll(missing);
    return missing.isEmpty() ? new Compression(levels) : null;
  }

  private static BlockCodec named(String word) {
    return Arrays.stream(BlockCodec.values())
        .filter(codec -> codec.toString().equals(word))
        .findFirst()
        .orElse(null);
  }

  /** The codec of a level. */
  BlockCodec at(int level) {
    return levels.get(Math.min(level, levels.size() - 1));
  }

  /** In the form that {@link #parse} reads. */
  @Override
  public String toString() {
    return levels.stream().map(BlockCodec::toString).collect(Collectors.joining(","));
  }
}
