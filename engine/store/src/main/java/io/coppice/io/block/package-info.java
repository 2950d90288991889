// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Readers that read many blocks at once, by io_uring or by threads. A batch of requests comes in,
 * its blocks go out in any order.
 *
 * <p>A read keeps its file open until it has ended, also when its batch gave it up. Records, enums
 * and exceptions are safe to share between threads.
 */
package io.coppice.io.block;
