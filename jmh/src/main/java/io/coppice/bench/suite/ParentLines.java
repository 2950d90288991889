// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.report.RecordJson;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/**
 * Lines that a child process writes to its parent, each a word and its data. {@code at} is
 * progress, {@code wrong} a wrong answer; {@link ChildJava} reads them. Safe to share between
 * threads.
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
   * @param word first word of the line
   * @param rest a text, written unchanged, or an object, written as JSON
   */
  public synchronized void say(String word, Object rest) {
    out.println(word + " " + (rest instanceof String text ? text : RecordJson.line(rest)));
    out.flush();
  }

  /**
   * Reports the completed part of some work, a few times per second at most.
   *
   * @param label name of the work
   */
  public void at(String label, long done, long total) {
    if (isDue()) {
      say("at", label + " " + done + " " + total);
    }
  }

  /**
   * Reports the completed share of some work, from 0 to 1, for work without a rate.
   *
   * @param label name of the work
   */
  public void at(String label, double share) {
    if (isDue()) {
      say("at", label + " " + share);
    }
  }

  /** Lets the next progress line pass, however soon it follows the last one. */
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
