// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Random operations, a model that knows their answers, and what finds the first answer that is
 * wrong and the smallest load that shows it.
 */
package io.coppice.model;
