// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Libraries;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NettyLogsTest {

  @TempDir private Path directory;

  private ClassLoader ofThread;

  @BeforeEach
  void hideTheTests() {
    ofThread = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(null);
  }

  @AfterEach
  void showThem() {
    Thread.currentThread().setContextClassLoader(ofThread);
  }

  @Test
  void anSlf4jThatNothingIsBoundToIsNoLogger() throws IOException {
    assertThat(hasLogger("slf4j-api")).isFalse();
  }

  @Test
  void aBindingIsALogger() throws IOException {
    assertThat(hasLogger("slf4j-api", "slf4j-nop")).isTrue();
  }

  @Test
  void nothingIsChosenWhereNobodyCouldComplain() throws IOException {
    assertThat(hasLogger("netty-common")).isTrue();
  }

  @Test
  void norIsAnSlf4jOfVersion2() throws IOException {
    assertThat(hasLogger(version2(null))).isFalse();
  }

  @Test
  void aServiceThatBindsItIsALogger() throws IOException {
    assertThat(hasLogger(version2("org.slf4j.Bound"))).isTrue();
  }

  @Test
  void nothingIsChosenWhereTheServiceIsBroken() throws IOException {
    assertThat(hasLogger(version2("no class"))).isTrue();
  }

  @Test
  void whatTheThreadSeesCountsToo() throws IOException {
    Thread.currentThread().setContextClassLoader(ofThread);
    assertThat(hasLogger("slf4j-api")).isTrue();
  }

  private static boolean hasLogger(String... artifacts) throws IOException {
    List<Libraries.Library> libraries =
        Libraries.read("store").stream()
            .filter(library -> library.name().matches(".*:(" + String.join("|", artifacts) + ")"))
            .toList();
    assertThat(libraries).hasSameSizeAs(artifacts);
    List<URL> urls = new ArrayList<>();
    for (String path : Libraries.paths(libraries)) {
      urls.add(Path.of(path).toUri().toURL());
    }
    return hasLogger(urls);
  }

  private static boolean hasLogger(List<URL> urls) throws IOException {
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      return NettyLogs.hasLogger(loader);
    }
  }

  /** As much of it as is asked for, with a service of that name, or without one. */
  private List<URL> version2(String service) throws IOException {
    Path sources = Files.createDirectories(directory.resolve("sources"));
    List<String> command = new ArrayList<>(List.of("-d", directory.toString()));
    Map<String, String> types =
        Map.of(
            "LoggerFactory", "package org.slf4j; public class LoggerFactory {}",
            "SLF4JServiceProvider",
                "package org.slf4j.spi; public interface SLF4JServiceProvider {}",
            "Bound",
                "package org.slf4j; public class Bound implements"
                    + " org.slf4j.spi.SLF4JServiceProvider {}");
    for (Map.Entry<String, String> type : types.entrySet()) {
      Path source = sources.resolve(type.getKey() + ".java");
      command.add(Files.writeString(source, type.getValue()).toString());
    }
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, command.toArray(String[]::new)))
        .isZero();
    if (service != null) {
      Path services = Files.createDirectories(directory.resolve("META-INF/services"));
      Files.writeString(services.resolve("org.slf4j.spi.SLF4JServiceProvider"), service);
    }
    return List.of(directory.toUri().toURL());
  }
}
