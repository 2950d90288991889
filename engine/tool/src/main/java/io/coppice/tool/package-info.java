// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The command line of coppice-tool.jar, with one class per subcommand. In come arguments, stores,
 * and nodes over JMX; out go text, JSON and charts. Published JSON names and exit codes must not
 * change.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.tool;
