// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.coppice.policy.Thousandths;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicySpecTest {

  private static final PolicyLimits CASSANDRA =
      new PolicyLimits(160L << 20, 1L << 20, 10L << 30, 8, false);

  private static final PolicyLimits OWN_SPACE =
      new PolicyLimits(160L << 20, 1L << 20, 10L << 30, 8, true, 0, true);

  @Test
  void namesEveryOptionInItsText() {
    assertThat(PolicySpec.parse("split-forest"))
        .hasToString("split-forest,fanout=4,table_size=4MiB,cleaning_threshold=10");
    assertThat(PolicySpec.parse("leveled", CASSANDRA))
        .hasToString("leveled,fanout=10,l0_trigger=4,base_size=0,table_size=160MiB");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "split-forest",
        "split-forest,fanout=8,table_size=4097",
        "leveled, l0_trigger = 2 ,base_size=10mib",
        "leveled,table_size=10GiB",
        "grouped,last_level_leveled=TRUE",
        "tiered,size_ratio=0,max_merge_width=7",
      })
  void readsWhatItWrites(String text) {
    PolicySpec spec = PolicySpec.parse(text);
    assertThat(PolicySpec.parse(spec.toString())).isEqualTo(spec).hasSameHashCodeAs(spec);
    assertThat(PolicySpec.parse(spec.toString())).hasToString(spec.toString());
  }

  @Test
  void readsAMapLikeText() {
    assertThat(PolicySpec.of("split-forest", Map.of("fanout", "8", "table_size", "64KiB")))
        .isEqualTo(PolicySpec.parse("split-forest,table_size=65536,fanout=8"));
  }

  @Test
  void listsEveryFaultAtOnce() {
    PolicySpecException fault =
        catchThrowableOfType(
            PolicySpecException.class,
            () ->
                PolicySpec.parse(
                    "leveled,fanuot=4,fanout=33,l0_trigger=x,table_size=1KiB,colour,base_size=1,"
                        + "base_size=2,zzzzzzz=1"));
    assertThat(fault.errors())
        .containsExactly(
            "'colour' has no value; write it as option=value",
            "option 'base_size' is given twice",
            "option 'fanuot' is not understood; did you mean 'fanout'?",
            "option 'zzzzzzz' is not understood; known options: fanout, l0_trigger, base_size,"
                + " table_size, cleaning_threshold",
            "fanout (33) must be in 2..32",
            "l0_trigger (x) must be a whole number in 1..64",
            "table_size (1KiB) must be in 4KiB..10GiB");
    assertThat(fault).hasMessage(String.join("\n", fault.errors()));
  }

  @Test
  void judgesOptionsAlsoWhenThePolicyIsUnknown() {
    PolicySpecException fault =
        catchThrowableOfType(
            PolicySpecException.class, () -> PolicySpec.parse("levelled,fanout=1,l0_trigger=2"));
    assertThat(fault.errors())
        .containsExactly(
            "policy 'levelled' is not understood; did you mean 'leveled'?",
            "fanout (1) must be in 2..32");
  }

  @ParameterizedTest
  @CsvSource({
    "fanout, 2, true",
    "fanout, 1, false",
    "fanout, 32, true",
    "fanout, 33, false",
    "fanout, -4, false",
    "fanout, '', false",
    "fanout, 4.0, false",
    "fanout, 99999999999999999999, false",
    "table_size, 4KiB, true",
    "table_size, 4095, false",
    "table_size, 4095B, false",
    "table_size, 4096B, true",
    "table_size, 10GiB, true",
    "table_size, 10737418241, false",
    "table_size, 4MB, false",
    "table_size, 9999999999TiB, false",
    "table_size, -4MiB, false",
    "cleaning_threshold, 0, true",
    "cleaning_threshold, -1, false",
    "cleaning_threshold, 1000, true",
    "cleaning_threshold, 1001, false",
  })
  void acceptsExactlyTheRange(String option, String value, boolean accepted) {
    Map<String, String> options = Map.of(option, value);
    if (accepted) {
      assertThat(PolicySpec.of("split-forest", options).policy()).isNotNull();
    } else {
      assertThatThrownBy(() -> PolicySpec.of("split-forest", options))
          .isInstanceOf(PolicySpecException.class)
          .hasMessageContaining(option)
          .hasMessageContaining("(" + value + ")");
    }
  }

  @Test
  void aFlagIsTrueOrFalse() {
    assertThat(PolicySpec.parse("grouped,last_level_leveled=true"))
        .hasToString(
            "grouped,groups=4,last_level_leveled=true,table_size=4MiB,cleaning_threshold=10");
    assertThat(PolicySpec.parse("grouped").value("last_level_leveled")).isZero();
    assertThatThrownBy(() -> PolicySpec.parse("grouped,last_level_leveled=1"))
        .hasMessage("last_level_leveled (1) must be true or false");
  }

  @Test
  void hostNarrowsTheRangeAndTheOptions() {
    assertThat(PolicySpec.parse("split-forest", CASSANDRA).tableBytes()).isEqualTo(160L << 20);
    assertThatThrownBy(() -> PolicySpec.parse("split-forest,table_size=512KiB", CASSANDRA))
        .hasMessage("table_size (512KiB) must be in 1MiB..10GiB");
    assertThatThrownBy(() -> PolicySpec.parse("split-forest,cleaning_threshold=5", CASSANDRA))
        .hasMessageContaining("not understood");
  }

  @Test
  void describesTheOptionsOfEveryPolicy() {
    assertThat(PolicySpec.policyNames())
        .contains("leveled", "tiered", "delayed", "grouped", "split-forest", "lazy-binomial");
    for (String name : PolicySpec.policyNames()) {
      List<PolicyOption> options = PolicySpec.options(name, PolicyLimits.ENGINE);
      assertThat(options).extracting(PolicyOption::name).contains("table_size");
      for (PolicyOption option : options) {
        assertThat(option.defaultValue()).isBetween(option.min(), option.max());
        assertThat(option.effect()).endsWith(".");
      }
    }
    assertThatThrownBy(() -> PolicySpec.options("x", PolicyLimits.ENGINE))
        .hasMessageStartingWith("policy 'x' is not understood; known policies: leveled,");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0",
    "0.25, 250, 0.25",
    "0.250, 250, 0.25",
    "1, 1000, 1",
    "10.5, 10500, 10.5",
    "0.001, 1, 0.001",
    "64, 64000, 64",
    "0.0005, , ",
    ".5, , ",
    "-1, , ",
    "1e3, , ",
    "9999999999999, , ",
  })
  void decimalsAreExactToThreePlaces(String text, Long thousandths, String written) {
    PolicyOption option =
        PolicyRegistry.decimal("share", 0, 64 * Thousandths.ONE, 250, "times", "None.");
    assertThat(option.range()).isEqualTo("0..64");
    OptionalLong value = option.parse(text);
    if (thousandths == null) {
      assertThat(value).isEmpty();
    } else {
      assertThat(value).hasValue(thousandths);
      assertThat(option.format(value.getAsLong())).isEqualTo(written);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "unlimited, 9223372036854775807, unlimited",
    "UNLIMITED, 9223372036854775807, unlimited",
    "0, 0, 0",
    "5000, 5000, 5000B",
    "4GiB, 4294967296, 4GiB",
    "2%, 20480, 2%",
    "0.125 %, 1280, 0.125%",
    "100%, 1024000, 100%",
  })
  void spaceIsBytesOrAShareOfWhatIsLive(String text, long bytes, String written) {
    PolicySpec spec = PolicySpec.of("split-forest", Map.of("max_transient_space", text), OWN_SPACE);
    assertThat(spec.transientBytes(1_024_000)).isEqualTo(bytes);
    assertThat(spec)
        .hasToString(
            "split-forest,fanout=4,table_size=160MiB,cleaning_threshold=10"
                + ",max_transient_space="
                + written);
    assertThat(PolicySpec.parse(spec.toString(), OWN_SPACE)).isEqualTo(spec);
  }

  @ParameterizedTest
  @ValueSource(strings = {"101%", "-1%", "%", "2 percent", "-5", "1.5", "0.0001%"})
  void spaceIsNothingElse(String text) {
    assertThatThrownBy(
            () -> PolicySpec.of("split-forest", Map.of("max_transient_space", text), OWN_SPACE))
        .hasMessageStartingWith("max_transient_space (" + text + ") must be ");
    assertThatThrownBy(() -> PolicySpec.parse("split-forest,max_transient_space=2%"))
        .hasMessageContaining("not understood");
  }

  @Test
  void aRungForAllIsNoChangeWhereShardsHaveTheirs() {
    PolicySpec parted = PolicySpec.parse("adaptive,rung=4,shards=60");
    assertThatThrownBy(() -> parted.with("rung=0"))
        .isInstanceOf(PolicySpecException.class)
        .hasMessageContaining("shards=none");
    assertThat(parted.with("rung=0,shards=none").texts())
        .containsEntry("rung", "0")
        .containsEntry("shards", "none");
    assertThat(parted.with("dwell=7").texts()).containsEntry("shards", "60");
    assertThat(parted.with("shards=none").with("rung=0").texts()).containsEntry("rung", "0");
  }

  @Test
  void aWholePolicyReplacesTheOneInForce() {
    PolicySpec delayed = PolicySpec.parse("delayed,vct=3,table_size=2MiB", OWN_SPACE);
    for (String name : PolicySpec.policyNames()) {
      assertThat(delayed.with(name)).isEqualTo(PolicySpec.of(name, Map.of(), OWN_SPACE));
      PolicySpec other = PolicySpec.parse(name + ",table_size=8MiB", OWN_SPACE);
      assertThat(delayed.with(other.toString())).isEqualTo(other);
      assertThat(other.with(delayed.toString())).isEqualTo(delayed);
    }
    assertThatThrownBy(() -> delayed.with("leveled,fanout=99,vct=3"))
        .hasMessageContaining("fanout (99) must be in 2..32")
        .hasMessageContaining("option 'vct' is not understood");
    assertThatThrownBy(() -> delayed.with("nothing,fanout=9"))
        .hasMessageContaining("'nothing' has no value");
  }

  @Test
  void givesValuesByName() {
    PolicySpec spec = PolicySpec.parse("leveled,fanout=7,cleaning_threshold=3");
    assertThat(spec.policyName()).isEqualTo("leveled");
    assertThat(spec.value("fanout")).isEqualTo(7);
    assertThat(spec.value("cleaning_threshold")).isEqualTo(3);
    assertThatThrownBy(() -> spec.value("fan_out")).hasMessageContaining("did you mean 'fanout'");
  }
}
