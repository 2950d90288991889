// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Cost of monitoring for a store under load. */
package io.coppice.bench.overhead;
