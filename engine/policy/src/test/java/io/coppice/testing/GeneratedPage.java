// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A page of which parts are made from the code, each between {@code <!-- generated: name -->} and
 * {@code <!-- end -->}. A test makes them and compares; with {@code -Drewrite=1} it writes them.
 */
public final class GeneratedPage {

  private static final String END = "<!-- end -->";

  private final Path page;
  private final String before;
  private String after;

  private GeneratedPage(Path page, String text) {
    this.page = page;
    this.before = text;
    this.after = text;
  }

  /** Reads it. */
  public static GeneratedPage of(Path page) throws IOException {
    return new GeneratedPage(page, Files.readString(page));
  }

  /** Puts lines where the part stands. */
  public GeneratedPage part(String name, List<String> lines) {
    String mark = "<!-- generated: " + name + " -->";
    int from = after.indexOf(mark);
    assertThat(from).as(page + " has a part " + name).isNotNegative();
    int to = after.indexOf(END, from);
    after =
        after.substring(0, from + mark.length())
            + "\n"
            + String.join("\n", lines)
            + "\n"
            + after.substring(to);
    return this;
  }

  /** Fails if the page is not what was made. */
  public void check() throws IOException {
    if (System.getProperty("rewrite") != null) {
      Files.writeString(page, after);
    } else {
      assertThat(before).as(page + "; -Drewrite=1 writes it anew").isEqualTo(after);
    }
  }

  /** A row of a table; bars in cells are escaped. */
  public static String row(String... cells) {
    StringBuilder row = new StringBuilder("|");
    for (String cell : cells) {
      row.append(' ').append(cell.replace("|", "\\|")).append(" |");
    }
    return row.toString();
  }
}
