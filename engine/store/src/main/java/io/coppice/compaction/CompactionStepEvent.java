// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Flight recorder event: a step of a merge became durable. Its duration is the time worked on the
 * step.
 */
@Name("io.coppice.MergeStep")
@Label("Merge step")
@Description("A step of a merge became durable")
@Category("Coppice")
@StackTrace(false)
final class CompactionStepEvent extends Event {

  @Label("Family")
  String family;

  @Label("Merge")
  @Description("The same for all steps of a merge")
  String merge;

  @Label("Level")
  int level;

  @Label("Consumed")
  @Description("Bytes of the tables that it used up")
  @DataAmount
  long readBytes;

  @Label("Written")
  @DataAmount
  long writtenBytes;

  @Label("Reason")
  String reason;
}
