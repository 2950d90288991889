// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Base classes and write generators for tests of whole stores. In: a seed. Out: a store and a model
 * of its contents.
 */
package io.coppice.load;
