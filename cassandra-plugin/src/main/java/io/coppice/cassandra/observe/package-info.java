// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Beans, metrics, virtual tables and table maps. Strategy instances come in through {@code
 * StrategyInstance}, values for operators go out.
 *
 * <p>Bean names, metric names and columns are public: a later version only adds to them. Records,
 * enums and exceptions are safe to share between threads.
 */
package io.coppice.cassandra.observe;
