// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.docs.Blocks.Block;
import io.coppice.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every block of the README, of the tutorials and of the guides is carried out by a test, or stands
 * in {@code blocks.txt} with the reason why not. Carried out are: {@code console} and {@code java}
 * of the pages that {@code TutorialTest} types, and blocks with an id that a test asks for.
 */
class BlocksTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Path LIST = Path.of("src/test/resources/io/coppice/docs/blocks.txt");

  private static final Pattern ID = Pattern.compile("<!-- id: ([\\w-]+) -->");

  /** What {@code TutorialTest} types; a test below holds the two together. */
  private static final Set<String> TYPED =
      Set.of(
          "docs/tutorials/back-up-and-restore.md",
          "docs/tutorials/first-store.md",
          "docs/tutorials/watch-a-forest-grow.md",
          "docs/how-to/backup-and-restore.md",
          "docs/how-to/repair.md");

  @Test
  void eachIsCarriedOutOrItIsSaidWhyNot() throws IOException {
    Map<String, String> reasons = reasons();
    Set<String> asked = asked();
    Set<String> silent = new TreeSet<>();
    Set<String> stale = new TreeSet<>(reasons.keySet());
    int carriedOut = 0;
    for (Path page : pages()) {
      String name = ROOT.relativize(page).toString().replace('\\', '/');
      for (Block block : Blocks.of(Files.readString(page))) {
        String key = name + " | " + block.firstLine();
        boolean typed = TYPED.contains(name) && block.language().matches("console|java");
        if (typed || asked.contains(block.id())) {
          carriedOut++;
        } else if (!stale.remove(key) && !reasons.containsKey(key)) {
          silent.add(key);
        }
      }
    }
    assertThat(silent).as("neither carried out nor in " + LIST).isEmpty();
    assertThat(stale).as("in " + LIST + ", but carried out or gone").isEmpty();
    assertThat(carriedOut).isGreaterThan(20);
  }

  @Test
  void whatIsTypedIsWhatTheTestOfTutorialsTypes() throws IOException {
    String test = Files.readString(Path.of("src/test/java/io/coppice/tool/TutorialTest.java"));
    for (String page : TYPED) {
      assertThat(test).contains('"' + page.replaceFirst("docs/", "") + '"');
    }
  }

  @Test
  void aBlockIsFoundWithItsIdAndLanguageAlsoInAList() {
    String page =
        "<!-- id: a -->\n```sql\nSELECT;\n```\ntext\n3. ```\n   go | on\n   more\n   ```\n";
    assertThat(Blocks.of(page))
        .containsExactly(new Block("a", "sql", "SELECT;"), new Block("", "", "go | on"));
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    for (String folder : List.of("docs/tutorials", "docs/how-to")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    return pages;
  }

  /** Reasons by page and first line. */
  private static Map<String, String> reasons() throws IOException {
    Map<String, String> reasons = new LinkedHashMap<>();
    for (String line : Files.readAllLines(LIST)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        int end = line.lastIndexOf(" | ");
        assertThat(line.indexOf(" | ")).as(line + ": page | first line | reason").isLessThan(end);
        reasons.put(line.substring(0, end), line.substring(end + 3));
      }
    }
    return reasons;
  }

  /** Ids of blocks for which a test asks. */
  private static Set<String> asked() throws IOException {
    Set<String> ids = new TreeSet<>();
    for (Path tests :
        List.of(
            Sources.test("store"),
            Sources.test("tool"),
            ROOT.resolve("cassandra-plugin/src/test"))) {
      try (Stream<Path> files = Files.walk(tests)) {
        for (Path file : files.filter(one -> one.toString().endsWith("Test.java")).toList()) {
          if (!file.endsWith("BlocksTest.java")) {
            Matcher id = ID.matcher(Files.readString(file));
            while (id.find()) {
              ids.add(id.group(1));
            }
          }
        }
      }
    }
    return ids;
  }
}
