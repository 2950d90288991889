// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaHomeTest {

  @TempDir Path directory;

  private Path jdk(String version) throws IOException {
    Path home = Files.createDirectories(directory.resolve("jdk-" + version));
    Path bin = Files.createDirectories(home.resolve("bin"));
    Files.createFile(
        bin.resolve("java"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  private Path toolchains(Path... homes) throws IOException {
    StringBuilder text = new StringBuilder("<toolchains>");
    for (Path home : homes) {
      text.append("<toolchain><configuration><jdkHome>")
          .append(home)
          .append("</jdkHome></configuration></toolchain>");
    }
    return Files.writeString(directory.resolve("toolchains.xml"), text.append("</toolchains>"));
  }

  @Test
  void theGivenOneWins() throws Exception {
    Path given = jdk("17.0.9");
    JavaHome found = JavaHome.find(Optional.of(given), jdk("17.0.15"), toolchains());
    assertThat(found).isEqualTo(new JavaHome(given, "17.0.9"));
  }

  @Test
  void aGivenOneThatDoesNotFitIsRefusedEvenIfAnotherWould() throws Exception {
    Path given = jdk("25.0.3");
    Path running = jdk("17.0.15");
    assertThatThrownBy(() -> JavaHome.find(Optional.of(given), running, toolchains()))
        .isInstanceOf(EnvironmentException.class)
        .hasMessageContaining(given.toString());
  }

  @Test
  void theRunningOneComesBeforeToolchains() throws Exception {
    Path running = jdk("17");
    assertThat(JavaHome.find(Optional.empty(), running, toolchains(jdk("17.0.1"))).home())
        .isEqualTo(running);
  }

  @Test
  void aToolchainIsTakenWhenTheRunningOneIsTooNew() throws Exception {
    Path fitting = jdk("17.0.1");
    assertThat(
            JavaHome.find(Optional.empty(), jdk("25"), toolchains(jdk("21.0.2"), fitting)).home())
        .isEqualTo(fitting);
  }

  @Test
  void withoutAnyTheMessageSaysHowToNameOne() throws Exception {
    Path running = jdk("170");
    assertThatThrownBy(
            () -> JavaHome.find(Optional.empty(), running, directory.resolve("absent.xml")))
        .isInstanceOf(EnvironmentException.class)
        .hasMessageContaining("JDK 17")
        .hasMessageContaining("--java-home")
        .hasMessageContaining("-Dcassandra.java.home");
  }
}
