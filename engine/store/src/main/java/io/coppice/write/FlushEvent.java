// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Flight recorder event: one flush turned the memtables of one seal into tables. Its duration is
 * that of the flush.
 */
@Name("io.coppice.Flush")
@Label("Flush")
@Description("The memtables of one seal became tables")
@Category("Coppice")
@StackTrace(false)
final class FlushEvent extends Event {

  @Label("Store")
  String store;

  @Label("Families")
  int families;

  @Label("Written")
  @DataAmount
  long bytes;
}
