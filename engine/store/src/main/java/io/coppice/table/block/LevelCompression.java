// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Codecs of new tables by level. A move or a delay to another level leaves a table as it is.
 *
 * @param levels codecs from level 0 on, at least one; the last one applies to all deeper levels
 */
public record LevelCompression(List<BlockCodec> levels) {

  /** No compression on any level. */
  public static final LevelCompression NONE = new LevelCompression(List.of(BlockCodec.NONE));

  /**
   * Makes the list immutable.
   *
   * @throws IllegalArgumentException if it is empty
   */
  public LevelCompression {
    levels = List.copyOf(levels);
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("compression must name a codec");
    }
  }

  /**
   * Parses a text such as {@code none,none,lz4,zstd}.
   *
   * @param errors receives one message per fault: unknown names, and codecs whose library is
   *     missing
   * @return null if there was a fault
   */
  public static LevelCompression parse(String text, List<String> errors) {
    List<BlockCodec> levels = new ArrayList<>();
    for (String word : text.split(",", -1)) {
      BlockCodec codec = named(word.trim());
      if (codec == null) {
        errors.add(
            "compression (%s) must be codecs by level, of %s"
                .formatted(text, Arrays.toString(BlockCodec.values())));
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
    return missing.isEmpty() ? new LevelCompression(levels) : null;
  }

  private static BlockCodec named(String word) {
    return Arrays.stream(BlockCodec.values())
        .filter(codec -> codec.toString().equals(word))
        .findFirst()
        .orElse(null);
  }

  /** Returns the codec of a level, from 0 on. */
  public BlockCodec at(int level) {
    return levels.get(Math.min(level, levels.size() - 1));
  }

  /** Returns the text that {@link #parse} reads. */
  @Override
  public String toString() {
    return levels.stream().map(BlockCodec::toString).collect(Collectors.joining(","));
  }
}
