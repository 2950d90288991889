// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.GeneratedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Cassandra's part of {@code docs/reference/options.md}; {@code -Drewrite=1} makes it. */
class OptionsPageTest {

  private static final Path PAGE = Path.of("..", "docs", "reference", "options.md");

  @Test
  void thePageSaysWhatIsDifferentInCassandra() throws IOException {
    Map<String, PolicyOption> different = new LinkedHashMap<>();
    for (String policy : PolicySpec.policyNames()) {
      List<PolicyOption> ofStores = PolicySpec.options(policy, PolicyLimits.ENGINE);
      for (PolicyOption option : PolicySpec.options(policy, CqlOptions.LIMITS)) {
        if (!ofStores.contains(option)) {
          different.put(option.name(), option);
        }
      }
    }
    assertThat(different).containsOnlyKeys("table_size", "max_transient_space");
    List<String> rows =
        new ArrayList<>(List.of("| option | range | default | effect |", "|---|---|---|---|"));
    different
        .values()
        .forEach(
            option ->
                rows.add(
                    GeneratedPage.row(
                        "`" + option.name() + "`",
                        option.range(),
                        option.format(option.defaultValue()),
                        option.effect())));
    CqlOptions.standard()
        .forEach(
            (name, range) ->
                rows.add(
                    GeneratedPage.row(
                        "`" + name + "`", range, "–", "As every strategy of Cassandra has it.")));
    GeneratedPage.of(PAGE).part("cassandra", rows).check();
  }
}
