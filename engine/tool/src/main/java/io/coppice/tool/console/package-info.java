// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The tuning console, a web page about nodes and stores. It reads their state over JMX and keeps
 * one day of it in memory. It serves one page to this machine alone, with changes if they are
 * allowed. The checks of {@code Guard} and the token in the address must stay on every path.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.tool.console;
