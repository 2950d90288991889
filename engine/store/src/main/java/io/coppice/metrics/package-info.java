// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Metrics of a store, kept by Dropwizard metrics in a registry of the user.
 *
 * <p>In: counters and suppliers of the store's parts. Out: registry entries and JMX beans. Names
 * are a public interface and never change.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; each other public
 * class states its own rule.
 */
package io.coppice.metrics;
