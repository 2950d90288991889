// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Harness of all suites and commands: options, exit codes, child processes that measure, progress,
 * and saved results of interrupted runs.
 */
package io.coppice.bench.suite;
