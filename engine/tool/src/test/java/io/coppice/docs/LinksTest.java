// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every link of a page to a file here, or to a heading, leads there; every page is linked. */
class LinksTest {

  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *#*$");
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> top = Files.list(ROOT)) {
      top.filter(LinksTest::isPage).forEach(pages::add);
    }
    for (String folder : List.of("docs", "docker")) {
      try (Stream<Path> below = Files.walk(ROOT.resolve(folder))) {
        below.filter(LinksTest::isPage).forEach(pages::add);
      }
    }
    return pages;
  }

  private static boolean isPage(Path path) {
    return path.getFileName().toString().endsWith(".md");
  }

  @Test
  void everyLinkLeadsSomewhereAndEveryPageIsLinked() throws IOException {
    List<String> broken = new ArrayList<>();
    Set<Path> linked = new HashSet<>();
    Map<Path, Set<String>> headings = new HashMap<>();
    int links = 0;
    for (Path page : pages()) {
      String text = FENCED.matcher(Files.readString(page)).replaceAll("");
      Matcher link = LINK.matcher(CODE.matcher(text).replaceAll("code"));
      while (link.find()) {
        String target = link.group(1);
        if (target.matches("[a-z]+:.*")) {
          continue;
        }
        links++;
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        Path to = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        linked.add(to);
        String where = ROOT.relativize(page) + " -> " + target;
        if (!Files.exists(to)) {
          broken.add(where + ": no such file");
        } else if (hash >= 0
            && isPage(to)
            && !headings
                .computeIfAbsent(to, LinksTest::anchors)
                .contains(target.substring(hash + 1))) {
          broken.add(where + ": no such heading, but " + headings.get(to));
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(links).isGreaterThan(100);
    List<Path> lonely =
        pages().stream()
            .filter(page -> !linked.contains(page) && !linked.contains(page.getParent()))
            .map(ROOT::relativize)
            .filter(page -> page.getNameCount() > 1)
            .toList();
    assertThat(lonely).as("pages that no page leads to").isEmpty();
  }

  /** Headings as GitHub names them: small letters, hyphens for spaces, a number for repetitions. */
  private static Set<String> anchors(Path page) {
    try {
      Set<String> anchors = new HashSet<>();
      Matcher heading = HEADING.matcher(FENCED.matcher(Files.readString(page)).replaceAll(""));
      while (heading.find()) {
        String anchor =
            heading
                .group(1)
                .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
        String unique = anchor;
        for (int i = 1; !anchors.add(unique); i++) {
          unique = anchor + "-" + i;
        }
      }
      return anchors;
    } catch (IOException e) {
      throw new AssertionError(page.toString(), e);
    }
  }
}
