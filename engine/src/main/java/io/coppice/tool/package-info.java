// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The command line of coppice-tool.jar: one subcommand each, figures out as text.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.tool;
