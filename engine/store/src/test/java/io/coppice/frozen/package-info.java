// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Stores of earlier formats, which this version opens. */
package io.coppice.frozen;
