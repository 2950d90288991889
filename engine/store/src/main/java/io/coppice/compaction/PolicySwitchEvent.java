// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Flight recorder event: a {@link PolicySwitch} has ended. */
@Name("io.coppice.PolicySwitch")
@Label("Policy switch")
@Description("A family came to rest under another policy, or had yet another before it did")
@Category("Coppice")
@StackTrace(false)
final class PolicySwitchEvent extends Event {

  @Label("Family")
  String family;

  @Label("Before")
  String before;

  @Label("After")
  String after;

  @Label("Reason")
  String reason;

  @Label("Rewritten")
  @Description("Input bytes of the merges that the policy chose meanwhile")
  @DataAmount
  long rewrittenBytes;

  @Label("Took")
  @Description("Its whole duration, also where recording began later")
  @Timespan(Timespan.MILLISECONDS)
  long millis;

  @Label("Settled")
  @Description("False if another policy came before the family was at rest")
  boolean settled;
}
