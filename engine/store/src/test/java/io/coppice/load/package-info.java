// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Stores and writes that tests of several packages share. */
package io.coppice.load;
