// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.WrongAnswerException;

/** How a process of the suite tells its parent by lines. Used by one thread. */
final class Told {

  /** Exit code after a wrong answer. */
  static final int WRONG = 3;

  private static final long WATCH_NANOS = 200_000_000;

  private long lastWatch = System.nanoTime() - WATCH_NANOS;

  /** What a process does. */
  interface Work {
    void run() throws Exception;
  }

  /** Works, and tells of a wrong answer before the process ends by it. */
  static void work(Work work) throws Exception {
    try {
      work.run();
    } catch (WrongAnswerException e) {
      say("wrong " + e.getMessage());
      System.exit(WRONG);
    }
  }

  static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** A share of something is done, from 0 to 1; told five times a second at most. */
  void at(String label, double share) {
    long now = System.nanoTime();
    if (now - lastWatch >= WATCH_NANOS) {
      lastWatch = now;
      say("part " + label + " " + share);
    }
  }

  /** So many operations of so many are done; told five times a second at most. */
  void at(String label, long done, long total) {
    long now = System.nanoTime();
    if (now - lastWatch >= WATCH_NANOS) {
      lastWatch = now;
      say("at " + label + " " + done + " " + total);
    }
  }
}
