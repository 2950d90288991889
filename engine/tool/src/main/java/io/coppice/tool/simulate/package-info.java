// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The commands {@code simulate} and {@code replay}. A load or a journal and policies come in, a
 * comparison goes out as text, JSON or a chart.
 *
 * <p>The simulator computes the results; this package parses options and prints. Records, enums and
 * exceptions are safe to share between threads.
 */
package io.coppice.tool.simulate;
