// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * The store's figures, by Dropwizard metrics in a registry that the user hands in.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.metrics;
