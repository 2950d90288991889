// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/**
 * That a {@link Tuner} put another rung in force, with all that it went by, so that it can be
 * decided again: {@link #again}.
 *
 * @param nanos of the sample that led to it
 * @param before in force until then
 * @param after in force from then on
 * @param load that it was decided for
 * @param shards the same by {@link Shards}; empty where it was decided for all keys together
 * @param reason in numbers and in words
 * @param allowance what they may
 */
public record Switch(
    long nanos,
    PolicySpec before,
    PolicySpec after,
    Load load,
    List<Load> shards,
    Reason reason,
    Allowance allowance) {

  /** Copies the list. */
  public Switch {
    shards = List.copyOf(shards);
  }

  /** The code of its reason. */
  public static final String CODE = "policy-switch";

  /** True if the same load leads to the same switch today. */
  public boolean again() {
    return Choice.of(before, load, shards)
        .filter(choice -> choice.after().equals(after) && choice.reason().equals(reason))
        .isPresent();
  }
}
