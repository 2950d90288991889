// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * What every suite of measurements is made of: processes that measure, lines that say how far they
 * are, medians with their range, and rows with goals in one file of one form.
 */
package io.coppice.bench.suite;
