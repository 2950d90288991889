// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Cache of decompressed blocks. Verified blocks come in and are copied out.
 *
 * <p>The cache may forget any block at any time; its memory counts against the store's budget.
 * Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.table.cache;
