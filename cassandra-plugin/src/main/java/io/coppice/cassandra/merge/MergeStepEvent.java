// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Flight recorder event of a committed merge step. It lasts as long as the step and has the name
 * and fields of the store's event. Cassandra has events of its own for flushes and waiting writes.
 */
@Name("io.coppice.MergeStep")
@Label("Merge step")
@Description("A step of a merge became durable")
@Category("Coppice")
@StackTrace(false)
final class MergeStepEvent extends Event {

  @Label("Table")
  String family;

  @Label("Merge")
  @Description("The same for all steps of a merge")
  String merge;

  @Label("Level")
  int level;

  @Label("Consumed")
  @Description("Bytes that it read")
  @DataAmount
  long readBytes;

  @Label("Written")
  @DataAmount
  long writtenBytes;

  @Label("Reason")
  String reason;
}
