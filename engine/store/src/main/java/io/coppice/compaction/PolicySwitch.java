// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.policy.spec.PolicySpec;
import java.util.concurrent.TimeUnit;

/**
 * A policy switch in progress. It ends when all merges have ended and the new policy, when asked,
 * plans nothing, or when another policy replaces the new one. Its end is a flight recorder event,
 * unless the family is dropped or closed before.
 *
 * @param before the old policy
 * @param after the new policy
 * @param reason reason for people
 * @param nanos start time in nanoseconds of the workers' clock
 * @param begunBytes input bytes of all merges that policies had started before the switch
 * @param event event that began with it
 */
record PolicySwitch(
    PolicySpec before,
    PolicySpec after,
    String reason,
    long nanos,
    long begunBytes,
    PolicySwitchEvent event) {

  /** Returns a switch that begins now. */
  static PolicySwitch begun(
      PolicySpec before, PolicySpec after, String reason, long nanos, long begunBytes) {
    PolicySwitchEvent event = new PolicySwitchEvent();
    event.begin();
    return new PolicySwitch(before, after, reason, nanos, begunBytes, event);
  }

  /**
   * Ends the switch and records the event if a recording runs.
   *
   * @param nowNanos time in nanoseconds of the workers' clock
   * @param begunBytesNow input bytes of all merges started up to now
   * @param settled whether the new policy plans nothing more; false if another policy takes its
   *     place
   */
  void end(String family, long nowNanos, long begunBytesNow, boolean settled) {
    event.end();
    if (event.shouldCommit()) {
      event.family = family;
      event.before = before.toString();
      event.after = after.toString();
      event.reason = reason;
      event.rewrittenBytes = begunBytesNow - begunBytes;
      event.millis = TimeUnit.NANOSECONDS.toMillis(nowNanos - nanos);
      event.settled = settled;
      event.commit();
    }
  }
}
