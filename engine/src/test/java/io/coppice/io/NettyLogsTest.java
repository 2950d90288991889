// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.docs.Libraries;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NettyLogsTest {

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
  void whatTheThreadSeesCountsToo() throws IOException {
    Thread.currentThread().setContextClassLoader(ofThread);
    assertThat(hasLogger("slf4j-api")).isTrue();
  }

  private static boolean hasLogger(String... artifacts) throws IOException {
    List<Libraries.Library> libraries =
        Libraries.read().stream()
            .filter(library -> library.name().matches(".*:(" + String.join("|", artifacts) + ")"))
            .toList();
    assertThat(libraries).hasSameSizeAs(artifacts);
    List<URL> urls = new ArrayList<>();
    for (String path : Libraries.paths(libraries)) {
      urls.add(Path.of(path).toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      return NettyLogs.hasLogger(loader);
    }
  }
}
