// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.coppice.cassandra.sstable.CqlOptions;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TunablesTest {

  private static final PolicySpec SCHEMA = CqlOptions.spec("delayed", Map.of("vct", "10"));

  private final Tunables tunables = new Tunables("ks.t", SCHEMA);

  @Test
  void anOptionTunedLeavesTheOthersAsTheyAre() {
    tunables.apply("vct=4, vsmt = 3", "");
    assertThat(tunables.current())
        .isEqualTo(CqlOptions.spec("delayed", Map.of("vct", "4", "vsmt", "3")));
    tunables.apply("fanout=8", "");
    assertThat(tunables.current().value("vct")).isEqualTo(4);
    assertThat(tunables.schema()).isEqualTo(SCHEMA);
    assertThat(tunables.revert()).isEqualTo(SCHEMA);
    assertThat(tunables.current()).isEqualTo(SCHEMA);
  }

  @Test
  void allFaultsAreNamedAndNothingChanges() {
    PolicySpecException fault =
        catchThrowableOfType(
            PolicySpecException.class,
            () -> tunables.apply("vct=99,vsmt=many,k=3,colour,fanout=8", "split-forest"));
    assertThat(fault.errors())
        .containsExactly(
            "'colour' has no value; write it as option=value",
            "option 'k' is not understood; known options: fanout, l0_trigger, base_size, vct, vsmt,"
                + " read_cost, read_share, max_pinned_ratio, max_overlap_ratio, table_size,"
                + " cleaning_threshold, max_transient_space",
            "vct (99) must be in 0..64",
            "vsmt (many) must be a whole number in 2..64",
            "the active policy is "
                + SCHEMA
                + ", but 'split-forest' was expected; read the policy, "
                + "then decide again");
    assertThat(tunables.current()).isEqualTo(SCHEMA);
    assertThat(tunables.faults("vct=65")).containsExactly("vct (65) must be in 0..64");
    assertThat(tunables.faults(" ")).hasSize(1);
    assertThat(tunables.faults("vct=64")).isEmpty();
    assertThat(tunables.current()).isEqualTo(SCHEMA);
  }

  @Test
  void anOptionThatAnotherOneOverridesIsRefused() {
    PolicySpec parted = CqlOptions.spec("adaptive", Map.of("rung", "4", "shards", "60"));
    Tunables adaptive = new Tunables("ks.t", parted);
    String fault = "rung changes nothing while shards have theirs; write shards=none as well";
    assertThat(adaptive.faults("rung=0")).containsExactly(fault);
    assertThat(
            catchThrowableOfType(
                PolicySpecException.class, () -> adaptive.apply("rung=0,dwell=0", "")))
        .hasMessageContaining(fault)
        .hasMessageContaining("dwell (0) must be in 1..86400");
    assertThat(adaptive.current()).isEqualTo(parted);
    adaptive.apply("rung=0,shards=none", "");
    assertThat(adaptive.current()).isEqualTo(CqlOptions.spec("adaptive", Map.of("rung", "0")));
  }

  @Test
  void whoExpectsWhatIsInForceMayChangeIt() {
    String before = tunables.current().toString();
    tunables.apply("vct=4", before);
    assertThat(
            catchThrowableOfType(PolicySpecException.class, () -> tunables.apply("vct=5", before)))
        .hasMessageContaining("was expected; read the policy");
    assertThat(tunables.current().value("vct")).isEqualTo(4);
  }

  @Test
  void liveValuesEndWhenTheSchemaChangesAndOnlyThen() {
    tunables.apply("vct=4", "");
    tunables.schema(CqlOptions.spec("delayed", Map.of("vct", "10")));
    assertThat(tunables.current().value("vct")).isEqualTo(4);
    PolicySpec altered = CqlOptions.spec("split-forest", Map.of());
    tunables.schema(altered);
    assertThat(tunables.current()).isEqualTo(altered);
    assertThat(tunables.revert()).isEqualTo(altered);
  }
}
