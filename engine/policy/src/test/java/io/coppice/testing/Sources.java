// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Source files of the modules below {@code engine/}. A test runs in the directory of its module, so
 * the others are its neighbors.
 */
public final class Sources {

  /** Names of the modules, lowest first. */
  public static final List<String> MODULES = List.of("policy", "store", "simulator", "tool");

  private static final Path ENGINE = Path.of("..");
  private static final Path ROOT = Path.of("..", "..");

  private Sources() {}

  /**
   * Returns the directory of main sources of a module.
   *
   * @param module one of {@link #MODULES}
   */
  public static Path main(String module) {
    return ENGINE.resolve(Path.of(module, "src", "main", "java"));
  }

  /**
   * Returns the directory of test sources of a module.
   *
   * @param module one of {@link #MODULES}
   */
  public static Path test(String module) {
    return ENGINE.resolve(Path.of(module, "src", "test", "java"));
  }

  /**
   * Returns the directory of a package's main sources.
   *
   * @param name the package with slashes, such as {@code io/coppice/policy}
   */
  public static Path folder(String name) {
    return find(name + "/package-info.java").getParent();
  }

  /**
   * Returns the main source file of a top-level class.
   *
   * @param type the class with slashes, such as {@code io/coppice/Store}
   */
  public static Path of(String type) {
    return find(type + ".java");
  }

  private static Path find(String name) {
    return MODULES.stream()
        .map(module -> main(module).resolve(name))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no module has " + name));
  }

  /** Returns all main source files whose name ends so. */
  public static List<Path> ending(String end) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(main(module))) {
        files.filter(file -> file.toString().endsWith(end)).sorted().forEach(found::add);
      }
    }
    return found;
  }

  /** Returns simple names of all test classes of these modules and of the Cassandra plugin. */
  public static List<String> testClasses() throws IOException {
    return testFiles().stream()
        .map(file -> file.getFileName().toString().replace(".java", ""))
        .toList();
  }

  /** Returns all files of test sources of these modules and of the Cassandra plugin. */
  public static List<Path> testFiles() throws IOException {
    List<Path> roots = new ArrayList<>(MODULES.stream().map(Sources::test).toList());
    roots.add(ROOT.resolve(Path.of("cassandra-plugin", "src", "test", "java")));
    List<Path> found = new ArrayList<>();
    for (Path root : roots) {
      try (Stream<Path> files = Files.walk(root)) {
        files.forEach(found::add);
      }
    }
    return found;
  }
}
