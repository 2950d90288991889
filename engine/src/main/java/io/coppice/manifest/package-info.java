// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * What the store consists of: the Version, the edits that change it, the log that makes edits
 * durable (it is the compaction journal), and the leases that keep tables alive.
 */
package io.coppice.manifest;
