// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.papers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown page with written text and generated tables. The text between {@code <!-- papers: NAME
 * -->} and {@code <!-- end -->} is the table of that name.
 */
final class PapersPage {

  private static final Pattern PLACE =
      Pattern.compile("(<!-- papers: ([a-z0-9-]+) -->\\n)(.*?)(<!-- end -->)", Pattern.DOTALL);

  private final String text;

  PapersPage(String text) {
    this.text = text;
  }

  /** Returns the names of all table markers, in the order of the page. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    Matcher place = PLACE.matcher(text);
    while (place.find()) {
      names.add(place.group(2));
    }
    return names;
  }

  /** Returns the present text between the first markers of this name, if the page has them. */
  Optional<String> standing(String name) {
    Matcher place = PLACE.matcher(text);
    while (place.find()) {
      if (place.group(2).equals(name)) {
        return Optional.of(place.group(3));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the page with these tables, by name, at their markers. Other markers keep their text.
   */
  String filled(Map<String, String> tables) {
    return PLACE
        .matcher(text)
        .replaceAll(
            place ->
                Matcher.quoteReplacement(
                    place.group(1)
                        + tables.getOrDefault(place.group(2), place.group(3))
                        + place.group(4)));
  }
}
