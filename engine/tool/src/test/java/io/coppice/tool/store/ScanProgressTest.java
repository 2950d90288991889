// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ScanProgressTest {

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void keysLieBetweenTheFirstAndTheLast() {
    ScanProgress span = ScanProgress.between(bytes("user:\0"), bytes("user:\u00c8"));
    assertThat(span.share(bytes("user:\0"))).isZero();
    assertThat(span.share(bytes("user:\u0064"))).isCloseTo(0.5, within(0.001));
    assertThat(span.share(bytes("user:\u0064\u0080"))).isCloseTo(0.5025, within(0.001));
    assertThat(span.share(bytes("user:\u00c8"))).isEqualTo(1);
    ScanProgress back = ScanProgress.between(bytes("user:\u00c8"), bytes("user:\0"));
    assertThat(back.share(bytes("user:\u0096"))).isCloseTo(0.25, within(0.001));
  }

  @Test
  void oneKeyOrNoneIsAll() {
    assertThat(ScanProgress.between(bytes("a"), bytes("a")).share(bytes("a"))).isEqualTo(1);
    assertThat(ScanProgress.between(bytes(""), bytes("")).share(bytes(""))).isEqualTo(1);
    ScanProgress longer = ScanProgress.between(bytes("a"), bytes("ab"));
    assertThat(longer.share(bytes("a"))).isZero();
    assertThat(longer.share(bytes("ab"))).isEqualTo(1);
  }
}
