// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.coppice.policy.Policy;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

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

  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(io\\.coppice(?:\\.[a-z]\\w*)*)\\.[A-Z]");

  private static final Path ROOT = Path.of("..", "..");
  private static final List<String> MODULES =
      List.of(
          "engine/policy",
          "engine/store",
          "engine/simulator",
          "engine/tool",
          "cassandra-plugin",
          "jmh");

  /** The most types of a package. */
  private static final int MAX_TYPES = 20;

  /** The fewest types of a package. */
  private static final int MIN_TYPES = 5;

  /** Larger packages with their present number of types, which may only fall. */
  private static final Map<String, Integer> CROWDED = Map.of("io.coppice", 31); // the public door

  /** Smaller packages, each with the reason why it stands alone. */
  private static final Map<String, String> SMALL =
      Map.ofEntries(
          entry("io.coppice.policy.check", "hosts that check a plan see nothing of pick"),
          entry("io.coppice.io.uring", "the only package that imports the ring of Netty"),
          entry("io.coppice.table.check", "verification and salvage stay outside of the store"),
          entry("io.coppice.wal", "the log's batches are a format of their own"),
          entry("io.coppice.metrics", "the only package that imports the metrics library"));

  /** Tests in another package than their class, each with the reason. */
  private static final Map<String, String> STRAYS =
      Map.of("WhatIfSimulationTest", "compares a forecast with the simulator's own model of keys");

  /** Maximum number of test files in {@code io.coppice}; tests of whole stores have subpackages. */
  private static final int MAX_ROOT_TESTS = 18;

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
  void aPlantedImportIsReported(@TempDir Path folder) throws IOException {
    JavaClasses planted =
        compiled(
            folder,
            Map.of(
                "io.coppice.entry.Planted", "Object other = new io.coppice.recovery.Other();",
                "io.coppice.recovery.Other", ""));
    assertThat(violations(table, planted))
        .containsExactly("io.coppice.entry imports io.coppice.recovery (Planted)");
  }

  @Test
  void packagesFormNoCycle() throws IOException {
    Map<String, Set<String>> imports = new TreeMap<>();
    for (String module : MODULES) {
      imports.putAll(imports(ROOT.resolve(Path.of(module, "src", "main", "java"))));
    }
    assertThat(imports).hasSizeGreaterThan(30);
    assertThat(cycles(imports)).isEmpty();
  }

  @Test
  void aPlantedCycleIsReported(@TempDir Path folder) throws IOException {
    write(folder, "io.coppice.one.First", "import io.coppice.two.Second;");
    write(folder, "io.coppice.two.Second", "import static io.coppice.three.Third.NAME;");
    write(folder, "io.coppice.three.Third", "import io.coppice.one.First;");
    write(folder, "io.coppice.four.Fourth", "import io.coppice.one.First;");
    assertThat(cycles(imports(folder)))
        .containsExactly("io.coppice.one", "io.coppice.three", "io.coppice.two");
  }

  @Test
  void packagesHaveFiveToTwentyTypes() throws IOException {
    Map<String, Integer> sizes = new TreeMap<>();
    for (String module : MODULES) {
      sizes.putAll(sizes(ROOT.resolve(Path.of(module, "src", "main", "java"))));
    }
    assertThat(misfits(sizes)).isEmpty();
    CROWDED.forEach(
        (name, size) ->
            assertThat(sizes.get(name)).as("lower the bound of " + name).isEqualTo(size));
    SMALL.keySet().forEach(name -> assertThat(sizes.get(name)).as(name).isLessThan(MIN_TYPES));
  }

  @Test
  void aPlantedCrowdIsReported(@TempDir Path folder) throws IOException {
    for (int i = 0; i <= MAX_TYPES; i++) {
      write(folder, "io.coppice.many.Type" + i, "");
    }
    for (int i = 0; i < MIN_TYPES; i++) {
      write(folder, "io.coppice.some.Type" + i, "");
    }
    write(folder, "io.coppice.few.Type", "");
    assertThat(misfits(sizes(folder)))
        .containsExactly("io.coppice.few has 1 types", "io.coppice.many has 21 types");
  }

  @Test
  void aTestIsInThePackageOfItsClass() throws IOException {
    Set<String> wrong = new TreeSet<>();
    for (String module : MODULES) {
      Path source = ROOT.resolve(Path.of(module, "src"));
      wrong.addAll(strays(source.resolve("main/java"), source.resolve("test/java")));
    }
    assertThat(wrong).isEmpty();
    assertThat(sizes(ROOT.resolve("engine/store/src/test/java")).get("io.coppice"))
        .isLessThanOrEqualTo(MAX_ROOT_TESTS);
  }

  @Test
  void aPlantedStrayTestIsReported(@TempDir Path main, @TempDir Path test) throws IOException {
    write(main, "io.coppice.one.First", "");
    write(test, "io.coppice.one.FirstTest", "");
    write(test, "io.coppice.two.Other", "");
    write(main, "io.coppice.two.Second", "");
    write(test, "io.coppice.one.SecondTest", "");
    assertThat(strays(main, test))
        .containsExactly("io.coppice.one.SecondTest tests io.coppice.two.Second");
  }

  /** The tests named after a class of their module that are in another package. */
  private static Set<String> strays(Path main, Path test) throws IOException {
    Map<String, String> homes = new TreeMap<>();
    for (Path file : types(main)) {
      homes.put(file.getFileName().toString(), packageOf(main, file));
    }
    Set<String> wrong = new TreeSet<>();
    for (Path file : types(test)) {
      String type = file.getFileName().toString().replace("Test.java", ".java");
      String home = packageOf(test, file);
      String right = homes.getOrDefault(type, home);
      String name = type.replace(".java", "");
      if (!right.equals(home) && !STRAYS.containsKey(name + "Test")) {
        wrong.add(home + "." + name + "Test tests " + right + "." + name);
      }
    }
    return wrong;
  }

  /** Writes the source of a class with these lines after its package. */
  private static Path write(Path folder, String name, String lines) throws IOException {
    Path file = folder.resolve(name.replace('.', '/') + ".java");
    Files.createDirectories(file.getParent());
    int dot = name.lastIndexOf('.');
    String text = "package %s;%n%s%npublic class %s {}%n";
    return Files.writeString(
        file, String.format(text, name.substring(0, dot), lines, name.substring(dot + 1)));
  }

  /** Compiles classes with these bodies, by full name. */
  private static JavaClasses compiled(Path folder, Map<String, String> bodies) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-d", folder.toString()));
    for (Map.Entry<String, String> one : bodies.entrySet()) {
      Path file = write(folder, one.getKey(), "");
      Files.writeString(file, Files.readString(file).replace("{}", "{ " + one.getValue() + " }"));
      arguments.add(file.toString());
    }
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    assertThat(code).as("exit code of javac").isZero();
    return new ClassFileImporter().importPath(folder);
  }

  /** The packages below a source folder, each with the packages of Coppice that it imports. */
  private static Map<String, Set<String>> imports(Path sources) throws IOException {
    Map<String, Set<String>> found = new TreeMap<>();
    for (Path file : types(sources)) {
      String name = packageOf(sources, file);
      Set<String> named = found.computeIfAbsent(name, any -> new TreeSet<>());
      Matcher line = IMPORT.matcher(Files.readString(file));
      while (line.find()) {
        named.add(line.group(1));
      }
      named.remove(name);
    }
    return found;
  }

  /** Returns the packages that can be reached from themselves. */
  private static Set<String> cycles(Map<String, Set<String>> imports) {
    Set<String> wrong = new TreeSet<>();
    for (String start : imports.keySet()) {
      Set<String> seen = new TreeSet<>();
      List<String> waiting = new LinkedList<>(imports.get(start));
      while (!waiting.isEmpty()) {
        String next = waiting.remove(0);
        if (seen.add(next)) {
          waiting.addAll(imports.getOrDefault(next, Set.of()));
        }
      }
      if (seen.contains(start)) {
        wrong.add(start);
      }
    }
    return wrong;
  }

  /** The number of top-level types of each package below a source folder. */
  private static Map<String, Integer> sizes(Path sources) throws IOException {
    Map<String, Integer> sizes = new TreeMap<>();
    for (Path file : types(sources)) {
      sizes.merge(packageOf(sources, file), 1, Integer::sum);
    }
    return sizes;
  }

  private static Set<String> misfits(Map<String, Integer> sizes) {
    Set<String> wrong = new TreeSet<>();
    sizes.forEach(
        (name, size) -> {
          boolean few = size < MIN_TYPES && !SMALL.containsKey(name);
          if (few || size > Math.max(MAX_TYPES, CROWDED.getOrDefault(name, 0))) {
            wrong.add(name + " has " + size + " types");
          }
        });
    return wrong;
  }

  private static List<Path> types(Path sources) throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      return files.filter(file -> file.getFileName().toString().matches("\\w+\\.java")).toList();
    }
  }

  private static String packageOf(Path sources, Path file) {
    return sources.relativize(file.getParent()).toString().replace('/', '.');
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
      if (!type.getPackageName().startsWith("io.coppice.simulator")) {
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
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
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
        if (place.equals("org.jspecify.annotations")
            || place.equals("com.google.errorprone.annotations.concurrent")) {
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
