// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * One io_uring, reached through Netty. Read requests go in, completions come out.
 *
 * <p>Only this package imports Netty's ring classes. It is optional at run time. Records, enums and
 * exceptions are safe to share between threads.
 */
package io.coppice.io.uring;
