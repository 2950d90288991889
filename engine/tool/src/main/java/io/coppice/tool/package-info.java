// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The main class of the command line. Arguments come in, each subcommand runs in its own package,
 * and an exit code goes out.
 *
 * <p>Exit codes and the JSON of commands are public: a later version only adds to them. Records,
 * enums and exceptions are safe to share between threads.
 */
package io.coppice.tool;
