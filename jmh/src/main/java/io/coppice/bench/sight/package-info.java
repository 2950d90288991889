// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** What a look at many tables costs the process that has them. */
package io.coppice.bench.sight;
