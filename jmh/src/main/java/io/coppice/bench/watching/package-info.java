// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** What it costs a store that its load is watched. */
package io.coppice.bench.watching;
