// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** The port to the disk and everything that touches files: envelope, record log, block readers. */
package io.coppice.io;
