// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

/**
 * A running compaction of a watched process.
 *
 * @param id identifies it in a request to stop it
 * @param table the id of its table
 * @param what the kind of work: the code of a {@code TableMap.Merge}, or Cassandra's task type
 * @param sentence the reason, or an empty text
 * @param doneBytes the processed part of {@code totalBytes}
 * @param totalBytes all bytes to process
 * @param bytesPerSecond bytes processed per second, recently; NaN until ten seconds were observed
 * @param level the level of its outputs; -1 if unknown
 * @param own whether it is a merge of Coppice, which keeps its committed steps when it is stopped
 */
public record RunningCompaction(
    String id,
    String table,
    String what,
    String sentence,
    long doneBytes,
    long totalBytes,
    double bytesPerSecond,
    int level,
    boolean own) {

  RunningCompaction at(double pace) {
    return new RunningCompaction(
        id, table, what, sentence, doneBytes, totalBytes, pace, level, own);
  }
}
