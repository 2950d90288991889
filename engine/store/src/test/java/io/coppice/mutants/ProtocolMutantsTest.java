// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The crash tests see defects of the protocol, and a sound engine has none. */
class ProtocolMutantsTest {

  @Test
  void everySeededDefectGivesAWrongAnswer() {
    List<String> missed = new ArrayList<>();
    List<ProtocolMutant> seeded = ProtocolMutant.seeded();
    for (ProtocolMutant mutant : seeded) {
      String answer = mutant.run();
      if (answer.isEmpty() || answer.startsWith(MutantRun.STOPPED)) {
        missed.add(mutant.name() + ": " + answer);
      }
    }
    System.out.printf(
        "protocol mutants: %d of %d seeded caught%n", seeded.size() - missed.size(), seeded.size());
    assertThat(missed).as("defects that gave no wrong answer").isEmpty();
    assertThat(seeded).hasSizeGreaterThanOrEqualTo(40);
  }

  @Test
  void whatIsListedAsHarmlessIs() {
    for (Map.Entry<ProtocolMutant, String> mutant : ProtocolMutant.harmless().entrySet()) {
      assertThat(mutant.getKey().run())
          .as(mutant.getKey().name() + ", since " + mutant.getValue())
          .isEmpty();
    }
  }

  @Test
  void aSoundEngineGivesNoWrongAnswer() {
    String loads = "HALF_MERGES,MANIFEST_ROTATION";
    assertThat(new ProtocolMutant("none", loads, "", List.of()).run()).isEmpty();
    assertThat(new ProtocolMutant("none", loads, MutantRun.SHUFFLED, List.of()).run()).isEmpty();
  }
}
