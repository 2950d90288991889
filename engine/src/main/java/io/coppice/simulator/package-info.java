// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** A store of numbers instead of data, workloads, and what they cost under a policy. */
package io.coppice.simulator;
