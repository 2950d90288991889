// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * The port to the disk and everything that touches files: envelope, record log, block readers.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.io;
