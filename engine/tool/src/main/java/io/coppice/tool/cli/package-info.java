// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Common parts of all commands: options, exit codes, output, progress and text tables. Arguments
 * come in, lines of text go out.
 *
 * <p>Only {@code CommandOutput} writes to the streams of the process, apart from the launcher,
 * which refuses an old JVM. Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.tool.cli;
