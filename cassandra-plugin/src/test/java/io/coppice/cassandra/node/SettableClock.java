// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.cassandra.utils.Clock;

/**
 * The node's clock, which a test may put forward: what expires does so when the test wants it, and
 * nobody waits. It is the node's by {@link #install}, before the node starts.
 */
public final class SettableClock implements Clock {

  private static final AtomicLong AHEAD_MILLIS = new AtomicLong();

  /** Makes it the clock of a node that starts in this process hereafter. */
  public static void install() {
    System.setProperty("cassandra.clock", SettableClock.class.getName());
  }

  /** Puts it forward, never back. */
  public static void forward(int seconds) {
    AHEAD_MILLIS.addAndGet(seconds * 1000L);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long currentTimeMillis() {
    return System.currentTimeMillis() + AHEAD_MILLIS.get();
  }
}
