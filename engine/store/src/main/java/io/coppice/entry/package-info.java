// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Entries (user key, sequence number, kind, value), cursors over them, and the rules for merging
 * and dropping them.
 *
 * <p>In: encoded batches and cursors. Out: merged cursors and compacted streams. Kinds and the
 * batch encoding are persisted formats.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; each other public
 * class states its own rule.
 */
package io.coppice.entry;
