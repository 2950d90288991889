// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

/**
 * Something under way that rewrites tables.
 *
 * @param id names it to whoever can stop it
 * @param table the id of the table that it belongs to
 * @param what kind of work it is, in the host's word
 * @param sentence why, or an empty text
 * @param doneBytes of {@code totalBytes}
 * @param bytesPerSecond of late; not a number while too little was seen of it
 * @param level of its outputs; -1 if not known
 * @param own true for a merge of ours, which keeps what it has installed when it is stopped
 */
record Compaction(
    String id,
    String table,
    String what,
    String sentence,
    long doneBytes,
    long totalBytes,
    double bytesPerSecond,
    int level,
    boolean own) {

  Compaction at(double pace) {
    return new Compaction(id, table, what, sentence, doneBytes, totalBytes, pace, level, own);
  }
}
