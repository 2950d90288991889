// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Log of the decisions of a strategy instance. Moves and delays read no data and come in series, at
 * worst one per SSTable. A series of one kind becomes one line, logged when a merge follows or
 * after a minute. Called under the monitor of its strategy.
 */
public final class DecisionLog {

  private final Consumer<String> lines;
  private final Reminder pause = new Reminder(TimeUnit.MINUTES.toNanos(1));

  // The series that is not logged yet.
  private String kind = "";
  private String first = "";
  private int decisions;
  private long sstables;

  public DecisionLog(Consumer<String> lines) {
    this.lines = lines;
  }

  /** Logs the series of moves or delays, if there is one, and then a decision. */
  public void decided(String sentence) {
    endRow();
    lines.accept(sentence);
  }

  /**
   * Adds a move or delay to the series of its kind.
   *
   * @param ofKind the kind; another kind than that of the series begins a new series
   * @param count the number of SSTables
   */
  public void decided(String ofKind, int count, String sentence) {
    if (!kind.equals(ofKind)) {
      endRow();
      kind = ofKind;
      first = sentence;
    }
    decisions++;
    sstables += count;
  }

  /**
   * Notes that no decision follows for now. Logs the series unless that happened less than a minute
   * ago.
   */
  public void noDecision(long nowNanos) {
    if (decisions > 0 && pause.tryRemind(nowNanos)) {
      endRow();
    }
  }

  /** Logs the series, if there is one. */
  public void endRow() {
    if (decisions == 1) {
      lines.accept(first);
    } else if (decisions > 1) {
      lines.accept(
          "%s times a %s, of %s SSTables in all; first, %s"
              .formatted(decisions, kind, sstables, first));
    }
    kind = "";
    decisions = 0;
    sstables = 0;
  }
}
