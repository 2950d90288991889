// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Binary fuse filters: construction, layout and the share of memory for each level. Key hashes come
 * in, filters go out.
 *
 * <p>The hash function and layout are frozen by {@code docs/formats}. Records, enums and exceptions
 * are safe to share between threads.
 */
package io.coppice.table.filter;
