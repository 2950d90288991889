// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The port to the disk: files, block readers, the file header, and the records of a log. Other
 * packages use these types and get their implementations from {@code disk}.
 *
 * <p>An interrupt of the calling thread ends no operation. Implementations open the files. Records,
 * enums and exceptions are safe to share between threads.
 */
package io.coppice.io;
