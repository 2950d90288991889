// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The libraries of a module as Maven resolved them for this build, without those of tests. */
public final class Libraries {

  private static final Pattern LINE =
      Pattern.compile(
          " +([\\w.-]+:[\\w.-]+):jar:(?:([\\w-]+):)?([^: ]+):(?:compile|runtime)( \\(optional\\))?.*");

  private Libraries() {}

  /**
   * One of them.
   *
   * @param name group and artifact
   * @param classifier empty if there is none
   * @param optional true if it is not brought along by the engine
   */
  public record Library(String name, String classifier, String version, boolean optional) {

    /** How its file is called. */
    public String file() {
      String artifact = name.substring(name.indexOf(':') + 1);
      return artifact + "-" + version + (classifier.isEmpty() ? "" : "-" + classifier) + ".jar";
    }
  }

  /**
   * Returns the libraries by name.
   *
   * @param module the directory of the module below {@code engine/}
   */
  public static List<Library> read(String module) throws IOException {
    Path list = Path.of("..", module, "target", "libraries.txt");
    List<Library> libraries = new ArrayList<>();
    for (String line : Files.readAllLines(list)) {
      Matcher library = LINE.matcher(line);
      if (library.matches()) {
        String classifier = library.group(2) == null ? "" : library.group(2);
        boolean optional = library.group(4) != null;
        libraries.add(new Library(library.group(1), classifier, library.group(3), optional));
      }
    }
    assertThat(libraries).as("libraries in " + list).hasSizeGreaterThan(10);
    return libraries;
  }

  /** Their files, which are all on the class path of the tests. */
  public static List<String> paths(List<Library> libraries) {
    List<String> entries =
        Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
    return libraries.stream()
        .map(
            library ->
                entries.stream()
                    .filter(entry -> entry.endsWith(File.separator + library.file()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(library + " in " + entries)))
        .toList();
  }
}
