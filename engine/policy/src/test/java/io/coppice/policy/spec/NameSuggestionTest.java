// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NameSuggestionTest {

  @Test
  void fewestEditsWin() {
    assertThat(NameSuggestion.to("sclae", List.of("seed", "scale", "keep"))).isEqualTo("scale");
    assertThat(NameSuggestion.to("ucs_t4", List.of("ucs-l10", "ucs-t4"))).isEqualTo("ucs-t4");
  }

  @Test
  void theFirstOfEqualsWins() {
    assertThat(NameSuggestion.to("", List.of("bb", "aa"))).isEqualTo("bb");
  }
}
