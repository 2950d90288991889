// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The harness of all suites: processes that measure, lines that report progress, medians with their
 * range, and rows with goals in one file format.
 */
package io.coppice.bench.suite;
