// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Everything about a comparison that needs no running node: options, strategies, estimate,
 * progress, figures and report. {@code RunValidity} decides whether figures can be trusted.
 */
package io.coppice.bench.compare.report;
