// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.tool.console.watch.Beans;
import io.coppice.tool.console.watch.LiveTable;
import io.coppice.tool.console.watch.RunningCompaction;
import io.coppice.tool.console.watch.WatchedProcess;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Changes that the console makes to a process: it applies a policy, undoes that, or stops a merge.
 * It records each change. An applied policy is lost when the process restarts. A change of a policy
 * is a compare-and-set: the caller passes the value that it expects to replace.
 */
final class TuningActions {

  private static final String OPTION = "[a-z0-9_]{1,40}=[\\w.%]{1,40}";

  /** Form of typed options: options alone, or a policy's name and its options. */
  private static final Pattern OPTIONS =
      Pattern.compile("(?:X|[a-z-]{1,40})(?:,X){0,20}".replace("X", OPTION));

  private static final int MAX_TYPED = 2000;

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
      throw new Refusal(403, "this console is read-only; restart it with --allow-changes");
    }
  }

  /**
   * Returns the options, {@code name=value,name=value} alone or after a policy's name, as typed.
   *
   * @throws Refusal (400) if the text has another form
   */
  static String checked(String options) throws Refusal {
    if (!OPTIONS.matcher(options).matches()) {
      throw new Refusal(400, "options are written as name=value,name=value, or policy,name=value");
    }
    return options;
  }

  /**
   * Returns the faults of options in the words of the policy, one text per fault; empty if they are
   * valid. The process itself judges options of a policy that this console does not know.
   *
   * @param options as {@link #checked} takes them, with any text as a value
   * @throws Refusal (400) if the text is longer than 2,000 characters or has control characters;
   *     (409) if the table has no policy of Coppice or the process refuses the call
   * @throws IOException if the process cannot be reached
   */
  static List<String> faults(WatchedProcess node, LiveTable table, String options)
      throws IOException, Refusal {
    if (options.length() > MAX_TYPED || options.chars().anyMatch(Character::isISOControl)) {
      throw new Refusal(400, "options are one line of at most " + MAX_TYPED + " characters");
    }
    StrategySnapshot snapshot = ours(table);
    PolicySpec present;
    try {
      present = WhatIfTrial.parse(snapshot.policy(), WhatIfTrial.rule(table.kind()));
    } catch (PolicySpecException e) {
      return asked(node, table, options);
    }
    try {
      present.with(options);
      return List.of();
    } catch (PolicySpecException e) {
      return e.errors();
    }
  }

  private static List<String> asked(WatchedProcess node, LiveTable table, String options)
      throws IOException, Refusal {
    try {
      Object answer =
          node.call(reader -> reader.beans().ask(table.kind(), table.bean(), "validate", options));
      return Stream.of((Object[]) answer).map(Object::toString).toList();
    } catch (Beans.RefusedException e) {
      throw new Refusal(409, e.getMessage());
    }
  }

  /**
   * Returns why a change cannot be undone now, as a text for users; empty if it can. Only the last
   * change of a table can, while its policy is in force and its process answers.
   */
  static String undoFault(Change change, Changes changes, List<WatchedProcess> nodes) {
    if (change.what().equals("stop")) {
      return "a stopped merge is planned again by itself";
    }
    Optional<WatchedProcess> node =
        nodes.stream().filter(one -> one.name().equals(change.node())).findFirst();
    if (node.isEmpty()) {
      return "this console does not watch " + change.node();
    }
    if (node.get().state() != WatchedProcess.State.UP) {
      return change.node() + " does not answer";
    }
    Optional<LiveTable> table = node.get().view().table(change.table());
    if (table.isEmpty() || !table.get().ours()) {
      return "the table is gone or has a strategy of Cassandra";
    }
    boolean last =
        changes.of(change.node(), change.table()).stream()
            .filter(one -> !one.what().equals("stop"))
            .findFirst()
            .filter(change::equals)
            .isPresent();
    return last && change.after().equals(table.get().inForce())
        ? ""
        : "another change has replaced it";
  }

  /**
   * Applies options to the policy of a table, or another policy.
   *
   * @param options as {@link #checked} takes them
   * @param expected the policy that must be active before; empty for the one that this console saw
   *     last
   * @param forecast the forecast to record, as JSON, or an empty text
   * @return the recorded change
   * @throws Refusal (403) if this console is read-only; (400) if the options have another form;
   *     (409) if another policy is active or an option is invalid
   * @throws IOException if the process does not answer; the message says whether the change may
   *     have taken effect
   */
  Change apply(
      WatchedProcess node, LiveTable table, String options, String expected, String forecast)
      throws IOException, Refusal {
    checkAllowed();
    StrategySnapshot snapshot = ours(table);
    String wanted = checked(options);
    String before =
        expected.isEmpty()
            ? lastSeen(
                snapshot.policy(), node.view().atMillis(), changes.of(node.name(), table.id()))
            : expected;
    String after = apply(node, table, wanted, before);
    return changes.add(node.name(), table.id(), "apply", before, after, forecast);
  }

  /**
   * Returns the policy that this console saw last: the result of its own newest change, unless a
   * sample began after that change.
   *
   * @param sampled policy of the last sample
   * @param sampledAt start of that sample, in milliseconds since the epoch
   * @param changes changes of the table, newest first
   */
  static String lastSeen(String sampled, long sampledAt, List<Change> changes) {
    return changes.stream()
        .filter(change -> !change.what().equals("stop"))
        .findFirst()
        .filter(change -> change.atMillis() >= sampledAt)
        .map(Change::after)
        .orElse(sampled);
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

  /**
   * Applies the policy that was active before a change, if the result of the change is still
   * active.
   *
   * @return the recorded undo
   * @throws Refusal (403) if this console is read-only; (409) if the change is a stop or kept the
   *     policy, or if another policy is active
   * @throws IOException if the process does not answer; the message says whether the undo may have
   *     taken effect
   */
  Change undo(WatchedProcess node, LiveTable table, Change change) throws IOException, Refusal {
    checkAllowed();
    if (change.what().equals("stop")) {
      throw new Refusal(409, "a stopped merge cannot be resumed; the policy plans it again");
    }
    ours(table);
    if (change.after().equals(change.before())) {
      throw new Refusal(409, "the change left the policy as it was");
    }
    String after;
    try {
      // The process compares the active policy, because the sample of this console may be older.
      // The policy is sent with all options, because single ones may be invalid beside the others.
      after = apply(node, table, change.before(), change.after());
    } catch (Refusal e) {
      throw new Refusal(e.status(), "the change can no longer be undone: " + e.getMessage());
    }
    return changes.add(node.name(), table.id(), "undo", change.after(), after, "");
  }

  /**
   * Asks a running compaction to stop, without waiting for its end, and records the stop.
   *
   * @return the recorded stop
   * @throws Refusal (403) if this console is read-only; (409) if the compaction has ended or the
   *     process refuses
   * @throws IOException if the process does not answer; the message says whether the stop may have
   *     taken effect
   */
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
        throw new Refusal(409, "the compaction has already ended");
      }
    } catch (Beans.RefusedException e) {
      throw new Refusal(409, e.getMessage());
    }
    return changes.add(
        node.name(), table.id(), "stop", compaction.what(), compaction.sentence(), "");
  }
}
