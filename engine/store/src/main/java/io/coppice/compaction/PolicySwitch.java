// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.policy.PolicySpec;
import java.util.concurrent.TimeUnit;

/**
 * A change of policy under way: it lasts until no merge runs and the new policy, when asked, plans
 * nothing that it may do, or until another takes its place. Its end is an event of the flight
 * recorder; that of a family that is dropped or closed before has none.
 *
 * @param before decided until then
 * @param after decides from then on
 * @param reason for people
 * @param nanos when it began, by the workers' clock
 * @param begunBytes input bytes of the merges that policies had chosen by then
 * @param event began with it
 */
record PolicySwitch(
    PolicySpec before,
    PolicySpec after,
    String reason,
    long nanos,
    long begunBytes,
    PolicySwitchEvent event) {

  /** One that begins now. */
  static PolicySwitch begun(
      PolicySpec before, PolicySpec after, String reason, long nanos, long begunBytes) {
    PolicySwitchEvent event = new PolicySwitchEvent();
    event.begin();
    return new PolicySwitch(before, after, reason, nanos, begunBytes, event);
  }

  /**
   * Ends it, and records it if anybody records.
   *
   * @param settled false if another policy takes its place
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
