// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.observe.StrategySnapshot;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The changes that the console makes to a process. None survives a restart of the process, and each
 * is recorded. Every change is a compare-and-set: the caller passes the value that it expects to
 * replace.
 */
final class TuningActions {

  private static final Pattern OPTIONS =
      Pattern.compile("[a-z_]{1,40}=[\\w.%]{1,40}(,[a-z_]{1,40}=[\\w.%]{1,40}){0,20}");

  private final Changes changes;
  private final boolean allowed;

  /**
   * Creates a tuning that records its changes.
   *
   * @param allowed false for a read-only console
   */
  TuningActions(Changes changes, boolean allowed) {
    this.changes = changes;
    this.allowed = allowed;
  }

  private void checkAllowed() throws Refusal {
    if (!allowed) {
      throw new Refusal(403, "this console only looks; it was started without --allow-changes");
    }
  }

  /**
   * Returns options in the form {@code name=value,name=value}.
   *
   * @throws Refusal if the text has another form
   */
  static String checked(String options) throws Refusal {
    if (!OPTIONS.matcher(options).matches()) {
      throw new Refusal(400, "options are written as name=value,name=value");
    }
    return options;
  }

  /**
   * Activates options of the policy.
   *
   * @param expected the policy that must be active before; empty for the one that was last seen
   * @throws Refusal if changes are not allowed, another policy is active or an option is invalid
   */
  Change apply(
      WatchedProcess node, LiveTable table, String options, String expected, String forecast)
      throws IOException, Refusal {
    checkAllowed();
    StrategySnapshot snapshot = ours(table);
    String wanted = checked(options);
    String before = expected.isEmpty() ? snapshot.policy() : expected;
    String after = apply(node, table, wanted, before);
    return changes.add(node.name(), table.id(), "apply", before, after, forecast);
  }

  private static StrategySnapshot ours(LiveTable table) throws Refusal {
    return table
        .snapshot()
        .orElseThrow(
            () ->
                new Refusal(
                    409, "only tables with a policy of Coppice are tuned option by option"));
  }

  private static String apply(WatchedProcess node, LiveTable table, String options, String expected)
      throws IOException, Refusal {
    try {
      return node.call(
              reader ->
                  reader.beans().change(table.kind(), table.bean(), "apply", options, expected))
          .toString();
    } catch (Beans.RefusedException e) {
      throw new Refusal(409, e.getMessage());
    }
  }

  /** Reverts a change if its result is still active. */
  Change undo(WatchedProcess node, LiveTable table, Change change) throws IOException, Refusal {
    checkAllowed();
    if (change.what().equals("stop")) {
      throw new Refusal(
          409, "a merge that was stopped cannot be started again; it is planned anew");
    }
    ours(table);
    String options = difference(change.after(), change.before());
    String after;
    try {
      // Only the process knows whether it still is; the last sample of this console may be older.
      after = apply(node, table, options, change.after());
    } catch (Refusal e) {
      throw new Refusal(e.status(), "it cannot be undone any more: " + e.getMessage());
    }
    return changes.add(node.name(), table.id(), "undo", change.after(), after, "");
  }

  /**
   * Returns the options of the second policy that differ from the first, as text.
   *
   * @throws Refusal if the policies differ by more than options, or in none
   */
  static String difference(String from, String to) throws Refusal {
    Map<String, String> before = options(from);
    Map<String, String> after = options(to);
    String difference =
        after.entrySet().stream()
            .filter(option -> !option.getValue().equals(before.get(option.getKey())))
            .map(option -> option.getKey() + "=" + option.getValue())
            .collect(Collectors.joining(","));
    if (difference.isEmpty() || !from.split(",")[0].equals(to.split(",")[0])) {
      throw new Refusal(409, "the policy itself was changed; only options can be taken back here");
    }
    return difference;
  }

  private static Map<String, String> options(String policy) {
    Map<String, String> options = new LinkedHashMap<>();
    for (String part : List.of(policy.split(",")).subList(1, policy.split(",").length)) {
      int equals = part.indexOf('=');
      options.put(part.substring(0, equals), part.substring(equals + 1));
    }
    return options;
  }

  /** Stops a running compaction. */
  Change stop(WatchedProcess node, LiveTable table, RunningCompaction compaction)
      throws IOException, Refusal {
    checkAllowed();
    try {
      boolean found =
          node.call(
              reader -> {
                if (compaction.own()) {
                  return (Boolean)
                      reader
                          .beans()
                          .change(table.kind(), table.bean(), "stopMerge", compaction.id());
                }
                reader
                    .beans()
                    .change(
                        Beans.Kind.COMPACTIONS,
                        Beans.only(Beans.Kind.COMPACTIONS),
                        "stopCompactionById",
                        compaction.id());
                return true;
              });
      if (!found) {
        throw new Refusal(409, "it has ended already");
      }
    } catch (Beans.RefusedException e) {
      throw new Refusal(409, e.getMessage());
    }
    return changes.add(
        node.name(), table.id(), "stop", compaction.what(), compaction.sentence(), "");
  }
}
