// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares class names across all modules, and the glossary with the classes that it names. */
class NamesTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Path MAIN = Path.of("src", "main", "java");
  private static final Pattern CLASS_NAME = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.\\w+)*`");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\|$");

  /** Returns the files of the main sources of all modules by the simple name of their class. */
  private static Map<String, List<Path>> classes(Path root) throws IOException {
    Map<String, List<Path>> found = new TreeMap<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
            String name = path.getFileName().toString();
            boolean skipped = name.equals("target") || name.equals(".git") || name.equals("docs");
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
            String name = path.getFileName().toString();
            if (name.endsWith(".java")
                && !name.equals("package-info.java")
                && path.toString().contains(MAIN.toString())) {
              String simple = name.substring(0, name.length() - ".java".length());
              found.computeIfAbsent(simple, same -> new ArrayList<>()).add(root.relativize(path));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  /** Returns the files whose class shares its simple name with another one. */
  private static List<Path> shared(Map<String, List<Path>> classes) {
    return classes.values().stream()
        .filter(files -> files.size() > 1)
        .flatMap(Collection::stream)
        .toList();
  }

  @Test
  void noTwoClassesShareASimpleName() throws IOException {
    Map<String, List<Path>> classes = classes(ROOT);
    assertThat(classes).hasSizeGreaterThan(600);
    assertThat(shared(classes)).isEmpty();
  }

  @Test
  void aSharedNameIsFound() throws IOException {
    Map<String, List<Path>> classes = classes(ROOT);
    Path planted = Path.of("jmh", "src", "main", "java", "io", "coppice", "bench", "Version.java");
    classes.computeIfAbsent("Version", same -> new ArrayList<>()).add(planted);
    assertThat(shared(classes)).contains(planted);
  }

  @Test
  void theGlossaryNamesClassesThatExist() throws IOException {
    String glossary = Files.readString(ROOT.resolve("docs").resolve("glossary.md"));
    Set<String> named =
        CLASS_NAME.matcher(glossary).results().map(m -> m.group(1)).collect(Collectors.toSet());
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(classes(ROOT).keySet()).containsAll(named);
  }

  @Test
  void theGlossaryHasOneLineForEachWordInOrder() throws IOException {
    String glossary = Files.readString(ROOT.resolve("docs").resolve("glossary.md"));
    List<String> words =
        ROW.matcher(glossary)
            .results()
            .map((MatchResult row) -> row.group(1))
            .filter(word -> !word.equals("word"))
            .toList();
    assertThat(words).hasSizeGreaterThan(50).doesNotHaveDuplicates().isSorted();
  }
}
