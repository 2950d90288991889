// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Harness of all suites: child processes that measure, progress, medians with their range, and rows
 * with goals in one file format.
 */
package io.coppice.bench.suite;
