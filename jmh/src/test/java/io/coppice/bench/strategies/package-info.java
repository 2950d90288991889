// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Strategies that cheat, each in one way; they run inside a node and a comparison refuses them. */
package io.coppice.bench.strategies;
