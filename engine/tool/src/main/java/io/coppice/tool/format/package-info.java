// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Shapes, plans and decisions as JSON, and charts as SVG. Objects come in, text goes out, and JSON
 * text comes in again.
 *
 * <p>JSON names are public: a later version only adds to them. Records, enums and exceptions are
 * safe to share between threads.
 */
package io.coppice.tool.format;
