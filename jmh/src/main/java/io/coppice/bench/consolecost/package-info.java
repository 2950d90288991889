// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** Cost that a view of many tables causes in the process that has them. */
package io.coppice.bench.consolecost;
