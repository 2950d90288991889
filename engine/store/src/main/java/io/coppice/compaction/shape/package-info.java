// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The conversion of a version to the shape that a policy reads. Versions, claims and facts about
 * their tables come in, shapes go out. A shape holds ranks and sizes, never a key or a file.
 * Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.compaction.shape;
