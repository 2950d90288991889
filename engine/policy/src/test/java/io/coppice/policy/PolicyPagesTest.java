// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The pages under {@code docs/policies} say what the options are. */
class PolicyPagesTest {

  private static final Pattern COSTS = Pattern.compile("## What (it|a load) costs");
  private static final Path PAGES = Path.of("..", "..", "docs", "policies");

  @Test
  void everyOptionStandsOnAPageAsItIs() throws IOException {
    List<String> common = Files.readAllLines(PAGES.resolve("README.md"));
    for (String name : PolicySpec.policyNames()) {
      List<String> own = Files.readAllLines(PAGES.resolve(name + ".md"));
      for (PolicyOption option : PolicySpec.options(name, PolicyLimits.ENGINE)) {
        String row =
            String.join(
                " | ",
                "| `" + option.name() + "`",
                option.range(),
                option.format(option.defaultValue()),
                option.unit(),
                option.effect() + " |");
        assertThat(own.contains(row) || common.contains(row)).as(row).isTrue();
      }
      assertThat(own).as(name + ".md draws what it does").contains("```");
      assertThat(own).as(name + ".md says what it costs").anyMatch(COSTS.asMatchPredicate());
      assertThat(common).anyMatch(line -> line.contains("[" + name + ".md](" + name + ".md)"));
    }
  }
}
