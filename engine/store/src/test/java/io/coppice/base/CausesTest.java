// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Sources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CausesTest {

  private static Exception circle() {
    Exception first = new Exception("first");
    Exception second = new Exception("second", first);
    first.initCause(second);
    return first;
  }

  @Test
  void aChainIsFollowedToItsEnd() {
    IOException inner = new IOException("inner");
    Exception outer = new Exception("outer", new IllegalStateException(inner));
    assertThat(Causes.innermost(outer)).isSameAs(inner);
    assertThat(Causes.innermost(inner)).isSameAs(inner);
    assertThat(Causes.first(outer, cause -> cause instanceof IOException)).isSameAs(inner);
    assertThat(Causes.first(outer, cause -> cause instanceof Error)).isNull();
    assertThat(Causes.first(null, cause -> true)).isNull();
    assertThat(Causes.said(inner)).isEqualTo("inner");
    assertThat(Causes.said(new IOException())).isEqualTo("IOException");
  }

  @Test
  void aCircleEnds() {
    assertThat(Causes.innermost(circle())).hasMessageMatching("first|second");
    assertThat(Causes.first(circle(), cause -> cause instanceof Error)).isNull();
    assertThat(JvmErrors.in(circle())).isNull();
    assertThat(new ReadOnlyException("it failed", circle())).hasMessageContaining("it failed");
  }

  /** A loop over causes of its own may not end. */
  @Test
  void noOtherCodeWalksOverCauses() throws IOException {
    Pattern step = Pattern.compile("(\\w+) = \\1\\.getCause\\(\\)");
    List<String> own =
        Sources.ending(".java").stream()
            .filter(file -> step.matcher(read(file)).find())
            .map(file -> file.getFileName().toString())
            .toList();
    // The last one must not allocate: it is asked when the heap or the stack is full.
    assertThat(own).containsExactly("Causes.java", "JvmErrors.java");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
