// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * What the store consists of: the Version, the edits that change it, the log that makes edits
 * durable (it is the compaction journal), and the leases that keep tables alive.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.manifest;
