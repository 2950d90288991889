// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Policies as text: options with limits and defaults, the registry, and the rungs of {@code
 * adaptive}. A text comes in, a configured policy goes out.
 *
 * <p>Option texts are part of the file format and of the schema: a text that was valid stays valid.
 * Records, enums and exceptions are safe to share between threads.
 */
@NullMarked
package io.coppice.policy.spec;

import org.jspecify.annotations.NullMarked;
