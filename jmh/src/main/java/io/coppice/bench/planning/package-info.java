// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Planning costs of a Cassandra node whose table has many SSTables. */
package io.coppice.bench.planning;
