// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Figures and their forms: rows with goals, spreads of repeats, tables in text and JSON, charts,
 * and the machine of a run. Suites and commands make them; nothing here runs a store or a node.
 */
package io.coppice.bench.report;
