// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/** Programs to begin with; {@code ExamplesTest} runs each. */
package io.coppice.examples;
