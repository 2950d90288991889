// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/**
 * Lines that a measuring process writes to its parent: a word, then its figures. {@code at} is
 * progress, {@code wrong} a wrong answer; {@link ChildJava} reads them. Threads may share it.
 */
public final class ParentLines {

  private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final PrintStream out;
  private long lastAt = System.nanoTime() - WATCH_NANOS;

  public ParentLines(PrintStream out) {
    this.out = out;
  }

  /**
   * Writes a line to the parent process.
   *
   * @param rest a text is written unchanged, any other object as JSON
   */
  public synchronized void say(String word, Object rest) {
    out.println(word + " " + (rest instanceof String text ? text : RecordJson.line(rest)));
    out.flush();
  }

  /** Writes how much of the work with this label is done, a few times per second at most. */
  public void at(String label, long done, long total) {
    if (isDue()) {
      say("at", label + " " + done + " " + total);
    }
  }

  /** Writes the share of the work with this label, from 0 to 1, for work without a rate. */
  public void at(String label, double share) {
    if (isDue()) {
      say("at", label + " " + share);
    }
  }

  /** Lets the next progress line pass regardless of the time. */
  public void begin() {
    lastAt = System.nanoTime() - WATCH_NANOS;
  }

  private boolean isDue() {
    long now = System.nanoTime();
    boolean due = now - lastAt >= WATCH_NANOS;
    lastAt = due ? now : lastAt;
    return due;
  }
}
