// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Logs decisions. Moves and delays read no data and come in rows, one for each SSTable at worst; a
 * row of one kind becomes one line, once a merge follows or after a minute. Used under its
 * strategy's monitor.
 */
final class DecisionLog {

  private final Consumer<String> lines;
  private final Reminder pause = new Reminder(TimeUnit.MINUTES.toNanos(1));

  // The row that has no line yet.
  private String kind = "";
  private String first = "";
  private int decisions;
  private long sstables;

  DecisionLog(Consumer<String> lines) {
    this.lines = lines;
  }

  /** Logs a decision after the row before it. */
  void decided(String sentence) {
    endRow();
    lines.accept(sentence);
  }

  /** Adds a move or a delay to the row of its kind. */
  void decided(String ofKind, int count, String sentence) {
    if (!kind.equals(ofKind)) {
      endRow();
      kind = ofKind;
      first = sentence;
    }
    decisions++;
    sstables += count;
  }

  /** Nothing else is decided for now; logs the row unless it did so less than a minute ago. */
  void rest(long nowNanos) {
    if (decisions > 0 && pause.isDue(nowNanos)) {
      endRow();
    }
  }

  /** Logs the row, if there is one. */
  void endRow() {
    if (decisions == 1) {
      lines.accept(first);
    } else if (decisions > 1) {
      lines.accept(
          decisions
              + " times a "
              + kind
              + ", of "
              + sstables
              + " SSTables in all; first, "
              + first);
    }
    kind = "";
    decisions = 0;
    sstables = 0;
  }
}
