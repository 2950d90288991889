// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StalledExceptionTest {

  @Test
  void theMessageNeverSaysNull() {
    assertThat(new StalledException("no merge runs", null))
        .hasMessage("no merge runs")
        .hasNoCause();
    Throwable silent = new IllegalStateException();
    assertThat(new StalledException("merges fail", silent))
        .hasMessage("merges fail")
        .hasCause(silent);
    assertThat(new StalledException("merges fail", new IllegalStateException("disk full")))
        .hasMessage("merges fail: disk full");
  }
}
