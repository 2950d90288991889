// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** A door to what the engine's package of this name keeps to itself. */
package io.coppice.table;
