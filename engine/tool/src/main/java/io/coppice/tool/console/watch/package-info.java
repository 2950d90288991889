// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Watched processes: a thread for each samples its tables over JMX and keeps one day of samples.
 *
 * <p>In: endpoints. Out: the present state, the history and rates. Only names and operations that
 * {@code Beans} lists may be called. Public records, enums and exceptions are safe to share between
 * threads; every other public class says whether it is.
 */
package io.coppice.tool.console.watch;
