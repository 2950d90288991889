// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The log that makes edits durable, and the leases that keep tables alive. Edits of flushes, merges
 * and families come in, leased versions go out. No table file may be deleted while a version or a
 * lease names it. Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.manifest;
