// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.policy.Switch;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy of one table and its options: as the schema has them, and as they are in force on this
 * node, which is the same until somebody tunes them live. Every decision reads the latter anew.
 * Live values end with an ALTER that changes the schema's, with {@link #revert}, and with the
 * node's process, as they are kept nowhere else. Thread-safe.
 */
final class Tunables {

  private static final Logger LOGGER = LoggerFactory.getLogger(Tunables.class);

  private final String table;
  private PolicySpec schema;
  private volatile PolicySpec current;

  /**
   * Tunables as the schema has them.
   *
   * @param table its full name, for the log
   */
  Tunables(String table, PolicySpec schema) {
    this.table = table;
    this.schema = schema;
    this.current = schema;
    LOGGER.info("{}: {} as the schema says", table, schema);
  }

  /** What is in force. */
  PolicySpec current() {
    return current;
  }

  /** What the schema says. */
  synchronized PolicySpec schema() {
    return schema;
  }

  /** Takes the schema's values; live ones stay only while these are the same. */
  synchronized void schema(PolicySpec spec) {
    if (!spec.equals(schema)) {
      if (!current.equals(schema)) {
        LOGGER.info("{}: live values {} end, as the table was altered to {}", table, current, spec);
      }
      schema = spec;
      current = spec;
    }
  }

  /** What is wrong with setting options, one text a fault; empty if nothing is. */
  List<String> faults(String options) {
    try {
      current.with(options);
      return List.of();
    } catch (PolicySpecException e) {
      return e.errors();
    }
  }

  /**
   * Puts options in force; those not named keep their value. All or none.
   *
   * @param options as {@code name=value,name=value}
   * @param expected the policy that must be in force, in the form of {@link PolicySpec#toString},
   *     so that two operators do not overwrite each other; empty for any
   * @return what is in force now
   * @throws PolicySpecException naming every fault
   */
  synchronized PolicySpec apply(String options, String expected) {
    List<String> errors = new ArrayList<>(faults(options));
    if (!expected.isBlank() && !expected.equals(current.toString())) {
      errors.add("'" + expected + "' is expected to be in force, but " + current + " is");
    }
    if (!errors.isEmpty()) {
      throw new PolicySpecException(errors);
    }
    PolicySpec before = current;
    current = before.with(options);
    LOGGER.info("{}: {} from now on, until the node restarts; before: {}", table, current, before);
    return current;
  }

  /** Puts in force what a tuner has chosen; false if something else is in force by now. */
  synchronized boolean turn(Switch made) {
    if (!current.equals(made.before())) {
      return false;
    }
    current = made.after();
    LOGGER.info(
        "{}: {} from now on, until it is chosen anew or the node restarts: {}",
        table,
        current,
        made.reason().sentence());
    return true;
  }

  /** Goes back to what the schema says. */
  synchronized PolicySpec revert() {
    if (!current.equals(schema)) {
      LOGGER.info("{}: back to {} as the schema says; before: {}", table, schema, current);
      current = schema;
    }
    return current;
  }
}
