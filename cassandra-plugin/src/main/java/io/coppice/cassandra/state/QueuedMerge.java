// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;

/**
 * A part of a major compaction in a {@link MergeQueue}.
 *
 * <p>The thread of the first part calls {@link #begin} for all parts. The holder of the turn then
 * calls {@link #carryOut}, one part at a time.
 */
public interface QueuedMerge {

  /**
   * Registers the part with Cassandra and puts it into the queue; does not wait for its turn. It
   * can be stopped until then. A failure does not throw: {@link #outcome} returns it.
   */
  void begin(ActiveCompactionsTracker active);

  /** Releases the claim of a queued part during a pause of compaction; ignores any other part. */
  void letGoForAPause();

  /** Claims the remaining inputs of a queued part again after a pause; ignores any other part. */
  void claimAgain();

  /**
   * Merges all inputs of this part of the major compaction, on the calling thread. A failure does
   * not throw: {@link #outcome} returns it to the thread that runs the part's task.
   *
   * @return the number of inputs; 0 after a failure
   */
  int carryOut();

  /**
   * Returns the reason why the part has not been merged although its turn is over; null if it was
   * merged. Ends a part that is still queued.
   */
  Throwable outcome();
}
