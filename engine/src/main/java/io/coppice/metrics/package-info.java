// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** The store's figures, by Dropwizard metrics in a registry that the user hands in. */
package io.coppice.metrics;
