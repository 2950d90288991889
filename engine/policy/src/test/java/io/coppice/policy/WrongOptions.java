// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Wrong options of a policy and the words in which every door must report them: CQL, store options
 * and the command line are tried with one table, so none can have words of its own.
 *
 * @param policy the policy's name
 * @param options by name; names in the order of the alphabet
 * @param complaints all of them, one for each fault
 */
public record WrongOptions(String policy, Map<String, String> options, List<String> complaints) {

  private static final String MISSPELT = "aaaaaaaaaaaaaaaa";

  /** Each option wrong in each way, and all of them at once, for every policy of the catalogue. */
  public static Stream<WrongOptions> all(PolicyLimits limits) {
    return PolicySpec.policyNames().stream().flatMap(policy -> of(policy, limits));
  }

  private static Stream<WrongOptions> of(String policy, PolicyLimits limits) {
    List<PolicyOption> options = PolicySpec.options(policy, limits);
    List<WrongOptions> wrong = new ArrayList<>();
    Map<String, String> everyOption = new LinkedHashMap<>();
    List<String> everyComplaint = new ArrayList<>();
    String known = options.stream().map(PolicyOption::name).collect(Collectors.joining(", "));
    everyOption.put(MISSPELT, "1");
    everyComplaint.add("option '" + MISSPELT + "' is not understood; known options: " + known);
    for (PolicyOption option : options) {
      String misspelt = option.name() + "s";
      // Of a name of one letter a misspelling is no longer near.
      String advice =
          option.name().length() > 1
              ? "did you mean '" + option.name() + "'?"
              : "known options: " + known;
      wrong.add(
          new WrongOptions(
              policy,
              Map.of(misspelt, option.format(option.defaultValue())),
              List.of("option '" + misspelt + "' is not understood; " + advice)));
      for (String text : beyond(option)) {
        String complaint = option.name() + " (" + text + ") must be in " + option.range();
        wrong.add(new WrongOptions(policy, Map.of(option.name(), text), List.of(complaint)));
      }
      String complaint = option.name() + " (many) must be " + form(option);
      wrong.add(new WrongOptions(policy, Map.of(option.name(), "many"), List.of(complaint)));
      everyOption.put(option.name(), "many");
      everyComplaint.add(complaint);
    }
    wrong.add(new WrongOptions(policy, everyOption, everyComplaint));
    return wrong.stream();
  }

  /** Numbers just outside the range, where text can say them. */
  private static List<String> beyond(PolicyOption option) {
    if (option.type() == PolicyOption.Type.FLAG || option.type() == PolicyOption.Type.RUNGS) {
      return List.of();
    }
    if (option.type() == PolicyOption.Type.SPACE) {
      return List.of("101%");
    }
    List<String> beyond = new ArrayList<>();
    beyond.add(option.format(option.max() + 1));
    if (option.min() > 0) {
      beyond.add(option.format(option.min() - 1));
    }
    return beyond;
  }

  private static String form(PolicyOption option) {
    return switch (option.type()) {
      case INTEGER -> "a whole number in " + option.range();
      case SIZE -> "a size such as 4MiB in " + option.range();
      case DECIMAL -> "a number of up to three places such as 0.25 in " + option.range();
      case FLAG -> "true or false";
      case SPACE -> "a size such as 4GiB or a share such as 2% in " + option.range();
      case RUNGS -> "none or up to eight digits in 0..6 such as 4400";
    };
  }

  /** The policy with its options as one text, the form of all doors but CQL. */
  public String text() {
    return policy
        + options.entrySet().stream()
            .map(option -> "," + option.getKey() + "=" + option.getValue())
            .collect(Collectors.joining());
  }
}
