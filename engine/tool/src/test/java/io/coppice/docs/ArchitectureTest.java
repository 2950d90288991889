// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import io.coppice.policy.Policy;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Holds the code against the import table of {@code docs/design.md}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTest {

  private static final Pattern ROW =
      Pattern.compile("\\| `(io\\.coppice[a-z.]*)` \\|[^|]*\\|([^|]*)\\|([^|]*)\\|");
  private static final Map<String, String> LIBRARIES =
      Map.ofEntries(
          entry("com.google.common", "guava"),
          entry("io.netty", "netty"),
          entry("com.codahale.metrics", "metrics"),
          entry("picocli", "picocli"),
          entry("com.fasterxml.jackson", "jackson"),
          entry("net.jpountz", "lz4"),
          entry("com.github.luben.zstd", "zstd"),
          entry("com.sun.nio.file", "jdk.unsupported"),
          entry("com.sun.net.httpserver", "httpserver"),
          entry("jdk.jfr", "jfr"),
          entry("javax.management", "jmx"),
          entry("javax.rmi", "jmx"));

  private static final Path ROOT = Path.of("..", "..");
  private static final List<String> MODULES =
      List.of(
          "engine/policy",
          "engine/store",
          "engine/simulator",
          "engine/tool",
          "cassandra-plugin",
          "jmh");

  private record Row(Set<String> packages, Set<String> libraries) {}

  private final Map<String, Row> table = readTable();
  private final JavaClasses classes = MainClasses.of("io.coppice");

  @Test
  void importsFollowTheTable() {
    assertThat(violations(table, classes)).isEmpty();
  }

  @Test
  void aMissingRightIsReported() {
    Map<String, Row> stricter = new LinkedHashMap<>(table);
    stricter.put("io.coppice.entry", new Row(Set.of(), Set.of()));
    stricter.put("io.coppice.io", new Row(Set.of(), Set.of()));
    assertThat(violations(stricter, classes)).isNotEmpty();
  }

  @Test
  void theTableHasNoCycle() {
    // Packages stand lowest first, so a row may only name rows above it.
    List<String> seen = new ArrayList<>();
    table.forEach(
        (name, row) -> {
          assertThat(seen)
              .as(name + " may import only what stands above it")
              .containsAll(row.packages);
          seen.add(name);
        });
  }

  @Test
  void eachPackageIsInOneModule() throws IOException {
    Map<String, String> home = new LinkedHashMap<>();
    Set<String> twice = new TreeSet<>();
    for (String module : MODULES) {
      Path sources = ROOT.resolve(Path.of(module, "src", "main", "java"));
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
          String name = sources.relativize(file.getParent()).toString();
          String before = home.putIfAbsent(name, module);
          if (before != null && !before.equals(module)) {
            twice.add(name + " is in " + before + " and " + module);
          }
        }
      }
    }
    assertThat(home).hasSizeGreaterThan(30);
    assertThat(twice).isEmpty();
  }

  @Test
  void everyModuleOfTheEngineIsSeen() {
    assertThat(classes.stream().map(ArchitectureTest::placeOf).collect(Collectors.toSet()))
        .hasSize(Sources.MODULES.size());
  }

  /** The directory or jar of a class. */
  private static String placeOf(JavaClass type) {
    String file = type.getSource().orElseThrow().getUri().toString();
    return file.substring(0, file.length() - (type.getName() + ".class").length());
  }

  @Test
  void filesAreTouchedOnlyInsideIo() {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass type : classes) {
      // The tool's files are what its user names: reports and journals, never a store's.
      if (type.getPackageName().matches("io\\.coppice\\.(io|tool(?!\\.console))(\\..*)?")) {
        continue;
      }
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String target = dependency.getTargetClass().getName();
        if (target.startsWith("java.nio.channels.")
            || target.equals("java.nio.file.Files")
            || target.matches("java\\.io\\.(File|RandomAccessFile|File(In|Out)putStream)")) {
          wrong.add(type.getName() + " uses " + target);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void onlyOneClassKnowsRingsAndNoneOpensFilesByDescriptor() {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass type : classes) {
      boolean ring = type.getName().matches("io\\.coppice\\.io\\.uring\\.NettyRing(\\$.*)?");
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String target = dependency.getTargetClass().getName();
        if (target.startsWith("io.netty.channel.") && !ring) {
          wrong.add(type.getName() + " uses " + target + "; an optional class, so only by name");
        }
      }
      for (JavaMethodCall call : type.getMethodCallsFromSelf()) {
        if (call.getTargetOwner().getName().equals("io.netty.channel.unix.FileDescriptor")
            && call.getName().equals("from")) {
          wrong.add(type.getName() + " opens a file for writing, which empties it");
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void onlyTheEnginesOwnLibrariesReachThoseWhoUseIt() throws IOException {
    Matcher dependency =
        Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("..", "store", "pom.xml")));
    Set<String> handedOn = new TreeSet<>();
    while (dependency.find()) {
      String text = dependency.group(1);
      if (!text.contains("<optional>true<") && !text.contains("<scope>test<")) {
        handedOn.add(text.replaceAll("(?s).*<artifactId>(.*?)</artifactId>.*", "$1"));
      }
    }
    assertThat(handedOn)
        .containsExactly(
            "coppice-policy", "guava", "jspecify", "metrics-core", "metrics-jmx", "netty-buffer");
  }

  @Test
  void theSimulatorKnowsNoPolicyButThroughItsDecisions() throws IOException {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass type : classes) {
      if (!type.getPackageName().equals("io.coppice.simulator")) {
        continue;
      }
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass();
        if (target.isAssignableTo(Policy.class) && !target.isEquivalentTo(Policy.class)) {
          wrong.add(type.getName() + " uses " + target.getName());
        }
      }
    }
    // Nor does it hold a formula for one of them.
    Path sources = Sources.folder("io/coppice/simulator");
    try (Stream<Path> files = Files.list(sources)) {
      for (Path file : files.toList()) {
        String text = Files.readString(file);
        PolicySpec.policyNames().stream()
            .filter(name -> text.contains("\"" + name))
            .forEach(name -> wrong.add(file.getFileName() + " names " + name));
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static Set<String> violations(Map<String, Row> table, JavaClasses classes) {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass type : classes) {
      String home = type.getPackageName();
      Row row = table.get(home);
      if (row == null) {
        wrong.add(home + " is not in the table of docs/design.md");
        continue;
      }
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        String place = target.getPackageName();
        if (target.isPrimitive() || place.equals(home) || place.startsWith("java.")) {
          continue;
        }
        if (place.equals("org.jspecify.annotations")) {
          // For compilers; nothing asks for it when running.
          continue;
        }
        if (place.equals("io.coppice") || place.startsWith("io.coppice.")) {
          if (!row.packages.contains(place)) {
            wrong.add(home + " imports " + place + " (" + type.getSimpleName() + ")");
          }
          continue;
        }
        String library =
            LIBRARIES.entrySet().stream()
                .filter(entry -> place.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(place);
        if (!row.libraries.contains(library)) {
          wrong.add(home + " uses " + library + " (" + type.getSimpleName() + ")");
        }
      }
    }
    return wrong;
  }

  private static Map<String, Row> readTable() {
    Map<String, Row> rows = new LinkedHashMap<>();
    try {
      for (String line : Files.readAllLines(Path.of("..", "..", "docs", "design.md"))) {
        Matcher row = ROW.matcher(line);
        if (row.matches()) {
          rows.put(
              row.group(1),
              new Row(
                  words(row.group(2)).map(ArchitectureTest::packageOf).collect(Collectors.toSet()),
                  words(row.group(3)).collect(Collectors.toSet())));
        }
      }
    } catch (IOException e) {
      throw new AssertionError("docs/design.md cannot be read", e);
    }
    assertThat(rows).as("rows of the import table").hasSizeGreaterThan(5);
    return rows;
  }

  /** {@code root} stands for the public door. */
  private static String packageOf(String word) {
    return word.equals("root") ? "io.coppice" : "io.coppice." + word;
  }

  private static Stream<String> words(String cell) {
    return Stream.of(cell.trim().split(",\\s*"))
        .filter(word -> !word.equals("–") && !word.isEmpty());
  }

  /**
   * An ArrayDeque stores an element before it grows. If the heap is too small to grow, the deque
   * looks empty and all its elements are lost. A deque with a capacity never grows.
   */
  @Test
  void noDequeOfAStoreMayGrowAfterItTookAnElement() {
    Set<String> offline = Set.of("io.coppice.policy", "io.coppice.simulator", "io.coppice.tool");
    List<String> found =
        classes.stream()
            .filter(from -> offline.stream().noneMatch(from.getPackageName()::startsWith))
            .flatMap(from -> from.getConstructorCallsFromSelf().stream())
            .filter(call -> call.getTargetOwner().isEquivalentTo(ArrayDeque.class))
            .filter(call -> call.getTarget().getRawParameterTypes().isEmpty())
            .map(call -> call.getDescription() + ": give a capacity, or use a LinkedList")
            .toList();
    assertThat(found).isEmpty();
  }
}
