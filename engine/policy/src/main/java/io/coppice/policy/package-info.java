// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The contract between a host and a compaction policy. The host describes itself as a {@link
 * io.coppice.policy.Shape}, and a {@link io.coppice.policy.Policy} answers with a {@link
 * io.coppice.policy.Plan}.
 *
 * <p>The package uses the JDK alone and imports no other part of Coppice. Records, enums and
 * exceptions are safe to share between threads.
 */
@NullMarked
package io.coppice.policy;

import org.jspecify.annotations.NullMarked;
