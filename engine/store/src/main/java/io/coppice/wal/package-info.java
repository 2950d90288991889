// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Write-ahead log: groups of batches to records and back.
 *
 * <p>In: encoded batches with their first sequence number. Out: log files, and on recovery the same
 * groups. The record format is persisted; see docs/formats.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; each other public
 * class states its own rule.
 */
package io.coppice.wal;
