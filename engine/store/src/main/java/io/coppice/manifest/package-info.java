// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Structure of a store: Versions, the edits that change them, the log that makes edits durable
 * (also the compaction journal), and the leases that keep tables alive. In: edits of flushes,
 * merges and families. Out: leased Versions. Versions and states never change; no table file may be
 * deleted while a Version or lease names it. Public records, enums and exceptions are safe to share
 * between threads; every other public class says whether it is.
 */
package io.coppice.manifest;
