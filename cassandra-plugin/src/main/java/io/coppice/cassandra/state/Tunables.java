// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.policy.tuner.RungSwitch;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Policy of one table with its options: the schema's values and the values active on this node.
 *
 * <p>The two are equal until an operator or tuner changes the active ones. Every decision reads the
 * active values again. Active values are kept in memory alone. They end with an ALTER that changes
 * the schema's values, with {@link #revert}, and with the node's process. Thread-safe.
 */
public final class Tunables {

  private static final Logger LOGGER = LoggerFactory.getLogger(Tunables.class);

  private final String table;

  @GuardedBy("this")
  private PolicySpec schema;

  // Written under the monitor of this.
  private volatile PolicySpec current;

  /**
   * Creates tunables with the schema's values.
   *
   * @param table the full name of the table, for the log
   */
  Tunables(String table, PolicySpec schema) {
    this.table = table;
    this.schema = schema;
    this.current = schema;
    LOGGER.info("{}: the policy is {}, as the schema says", table, schema);
  }

  /** Returns the active policy. */
  public PolicySpec current() {
    return current;
  }

  /** Returns the policy of the schema. */
  public synchronized PolicySpec schema() {
    return schema;
  }

  /**
   * Sets the schema's values and activates them. If they equal the schema's previous ones, the
   * active values stay.
   */
  public synchronized void schema(PolicySpec spec) {
    if (!spec.equals(schema)) {
      if (!current.equals(schema)) {
        LOGGER.info("{}: the schema now says {}; it replaces {}", table, spec, current);
      }
      schema = spec;
      current = spec;
    }
  }

  /**
   * Returns the faults of setting these options, one text per fault; empty if they are valid.
   *
   * @param options as {@code name=value,name=value}
   */
  public List<String> faults(String options) {
    try {
      current.with(options);
      return List.of();
    } catch (PolicySpecException e) {
      return e.errors();
    }
  }

  /**
   * Activates options; the others keep their value. Either all are set or none.
   *
   * @param options as {@code name=value,name=value}
   * @param expected the policy that must be active, in the form of {@link PolicySpec#toString}, so
   *     that two operators do not overwrite each other; empty for any
   * @return the policy that is active now
   * @throws PolicySpecException naming every fault
   */
  public synchronized PolicySpec apply(String options, String expected) {
    List<String> errors = new ArrayList<>(faults(options));
    if (!expected.isBlank() && !expected.equals(current.toString())) {
      errors.add(
          "the active policy is "
              + current
              + ", but '"
              + expected
              + "' was expected; read the policy, "
              + "then decide again");
    }
    if (!errors.isEmpty()) {
      throw new PolicySpecException(errors);
    }
    PolicySpec before = current;
    current = before.with(options);
    LOGGER.info("{}: the policy is {} until the node restarts; it was {}", table, current, before);
    return current;
  }

  /**
   * Activates the policy that a tuner has chosen.
   *
   * @return false without effect if another policy than {@link RungSwitch#before} is active
   */
  synchronized boolean turn(RungSwitch made) {
    if (!current.equals(made.before())) {
      return false;
    }
    current = made.after();
    LOGGER.info(
        "{}: the tuner changed the policy to {}, until its next change or a restart: {}",
        table,
        current,
        made.reason().sentence());
    return true;
  }

  /** Activates the schema's policy and returns it. */
  public synchronized PolicySpec revert() {
    if (!current.equals(schema)) {
      LOGGER.info(
          "{}: the policy is {} again, as the schema says; it was {}", table, schema, current);
      current = schema;
    }
    return current;
  }
}
