// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The fenced blocks of a page. */
final class Blocks {

  /** Also one that begins an item of a list. */
  private static final Pattern FENCE = Pattern.compile("\\s*(?:\\d+\\. )?```(\\w*)");

  private static final Pattern ID = Pattern.compile("\\s*<!-- id: ([\\w-]+) -->");

  /**
   * One of them.
   *
   * @param id what a comment above it calls it; empty if none does
   * @param language what stands behind the fence; may be empty
   */
  record Block(String id, String language, String firstLine) {}

  private Blocks() {}

  static List<Block> of(String page) {
    List<Block> blocks = new ArrayList<>();
    String id = "";
    String language = null;
    boolean first = false;
    for (String line : page.lines().toList()) {
      Matcher fence = FENCE.matcher(line);
      Matcher comment = ID.matcher(line);
      if (fence.matches()) {
        first = language == null;
        language = first ? fence.group(1) : null;
      } else if (first) {
        blocks.add(new Block(id, language, line.strip()));
        first = false;
        id = "";
      } else if (language == null && comment.matches()) {
        id = comment.group(1);
      }
    }
    if (language != null) {
      throw new AssertionError("the last block does not end");
    }
    return blocks;
  }
}
