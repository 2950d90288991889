// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The command line of coppice-tool.jar, with one class per subcommand. In come arguments, stores,
 * and nodes over JMX; out go text, JSON and charts. Published JSON names and exit codes must not
 * change.
 *
 * <p>Public records, enums and exceptions are thread-safe; every other public class states its
 * thread safety.
 */
package io.coppice.tool;
