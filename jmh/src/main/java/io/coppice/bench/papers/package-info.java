// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Experiments of the four papers, run on Coppice with their policies: each states the claim, the
 * simulator's prediction, the measurement and whether they agree.
 */
package io.coppice.bench.papers;
