// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The experiments of the four papers, on our own engine under the papers' policies: of each the
 * claim, what the simulator predicts, what was measured, and whether they agree.
 */
package io.coppice.bench.papers;
