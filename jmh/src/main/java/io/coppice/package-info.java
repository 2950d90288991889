// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** What benchmarks need of the engine that it keeps to itself. */
package io.coppice;
