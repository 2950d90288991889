// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.coppice.policy.Policy;
import io.coppice.testing.BareJava;
import io.coppice.testing.BareJava.Ended;
import io.coppice.testing.Libraries;
import io.coppice.testing.Needs;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store in a JVM without any flag, beside the libraries that it brings along, with and without
 * what logs: nobody warns of anything, neither the JVM nor a library.
 */
class QuietStartTest {

  private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";
  private static final String LOGGER = "org.slf4j:slf4j-nop";
  private static final List<String> SAID = List.of("5001 keys", "last synced", "again synced");

  @TempDir private Path directory;
  private Path jvm = Path.of(System.getProperty("java.home"));

  @Test
  void nothingIsSaidBesideALogger() throws Exception {
    assertThat(run(with(LOGGER), List.of(), "none", "auto"))
        .isEqualTo(new Ended(0, SAID, List.of()));
  }

  @Test
  void norWithoutOne() throws Exception {
    assertThat(run(with(), List.of(), "none", "auto", false))
        .isEqualTo(new Ended(0, SAID, List.of()));
  }

  /** What the page on compatibility says: the metrics' beans ask SLF4J, which speaks for itself. */
  @Test
  void withBeansAndWithoutOneOnlySlf4jSaysSo() throws Exception {
    Ended ended = run(with(), List.of(), "none", "auto");
    assertThat(ended.code()).isZero();
    assertThat(ended.out()).isEqualTo(SAID);
    assertThat(ended.err()).hasSize(3).allMatch(line -> line.startsWith("SLF4J: "));
  }

  /** The gate also runs all of this by JDK 21 and 25, where there are such. */
  @Test
  void norByOtherJvmsThatAreNamed() throws Exception {
    String homes = System.getProperty("jvms");
    assumeTrue(homes != null, "-Djvms= names none: DIR" + File.pathSeparator + "DIR");
    for (String home : homes.split(File.pathSeparator)) {
      jvm = Path.of(home);
      for (List<Libraries.Library> libraries : List.of(with(LOGGER), with())) {
        boolean beans = libraries.size() > with().size();
        assertThat(run(libraries, List.of(), "none", "auto", beans))
            .as(home)
            .isEqualTo(new Ended(0, SAID, List.of()));
      }
    }
  }

  @Test
  void norWithLz4() throws Exception {
    needsJarsWithNativeCode();
    assertThat(run(with(LOGGER, "at.yawk.lz4:lz4-java"), List.of(), "lz4", "auto"))
        .isEqualTo(new Ended(0, SAID, List.of()));
  }

  @Test
  @EnabledIfSystemProperty(named = "os.name", matches = "Linux")
  void norWithNativeCodeWhereItIsAllowed() throws Exception {
    needsJarsWithNativeCode();
    List<Libraries.Library> libraries =
        with(
            LOGGER,
            "com.github.luben:zstd-jni",
            "io.netty:netty-transport.*|io.netty:netty-resolver");
    List<String> allowed = Runtime.version().feature() < 22 ? List.of() : List.of(NATIVE);
    assertThat(run(libraries, allowed, "zstd", "auto")).isEqualTo(new Ended(0, SAID, List.of()));
  }

  /** What the page on compatibility says: there the JVM warns, once. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_24)
  void withNativeCodeThatIsNotAllowedTheJvmWarns() throws Exception {
    needsJarsWithNativeCode();
    Ended ended = run(with(LOGGER, "com.github.luben:zstd-jni"), List.of(), "zstd", "auto");
    assertThat(ended.code()).isZero();
    assertThat(ended.out()).isEqualTo(SAID);
    assertThat(ended.err())
        .isNotEmpty()
        .allMatch(line -> line.isEmpty() || line.startsWith("WARNING: "))
        .anyMatch(line -> line.contains(NATIVE));
  }

  @Test
  void theLoggerThatAProgramGaveNettyStays() throws Exception {
    assertThat(start(with(), List.of(), OwnNettyLogger.class, directory.resolve("data").toString()))
        .isEqualTo(new Ended(0, List.of("kept"), List.of()));
  }

  private static void needsJarsWithNativeCode() {
    Needs.that(!Boolean.getBoolean("coppice.no-natives"), "no jar here holds native code");
  }

  /** Those of the store, and optional ones by patterns. */
  private static List<Libraries.Library> with(String... patterns) throws IOException {
    return Libraries.read("store").stream()
        .filter(
            library -> !library.optional() || library.name().matches(String.join("|", patterns)))
        .filter(library -> !library.classifier().equals("linux-aarch_64"))
        .toList();
  }

  private Ended run(
      List<Libraries.Library> libraries, List<String> flags, String compression, String reader)
      throws IOException, InterruptedException {
    return run(libraries, flags, compression, reader, true);
  }

  private Ended run(
      List<Libraries.Library> libraries,
      List<String> flags,
      String compression,
      String reader,
      boolean beans)
      throws IOException, InterruptedException {
    String data = directory.resolve("data").toString();
    return start(
        libraries, flags, QuietStart.class, data, compression, reader, String.valueOf(beans));
  }

  private Ended start(
      List<Libraries.Library> libraries, List<String> flags, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> path = new ArrayList<>(List.of("target/classes", place(Policy.class)));
    path.addAll(Libraries.paths(libraries));
    // Behind all others: of the tests only the class that is run is used.
    path.add("target/test-classes");
    List<String> command = new ArrayList<>();
    command.addAll(flags);
    command.addAll(List.of("-cp", String.join(File.pathSeparator, path), main.getName()));
    command.addAll(List.of(arguments));
    return BareJava.run(jvm, directory, command);
  }

  /** Returns where a class is loaded from: a directory or a jar. */
  private static String place(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()))
        .toString();
  }
}
