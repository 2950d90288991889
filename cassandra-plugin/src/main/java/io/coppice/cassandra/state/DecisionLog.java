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

  /**
   * Creates a log without decisions.
   *
   * @param lines receives each line, without a line end
   */
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
   * @param ofKind {@code move} or {@code delay}; another kind than that of the series logs the
   *     series and begins a new one
   * @param count the number of SSTables
   * @param sentence the decision, which the line of the series quotes if it is the first
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
   * Notes that no decision follows for now. Logs the series unless this method logged one less than
   * a minute ago.
   *
   * @param nowNanos the time of the call, on any base that all calls share
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
