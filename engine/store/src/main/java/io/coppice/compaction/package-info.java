// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * The compaction journey: a Version becomes a Shape, a policy's plan is checked and its tables
 * claimed, and a move or merge carries it out step by step.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.compaction;
