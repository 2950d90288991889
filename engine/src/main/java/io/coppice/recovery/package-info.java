// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * What happens between finding a directory and serving it: replay, cleaning up.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.recovery;
