// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Execution of compaction plans. A Version becomes a Shape, a policy's plan is checked and its
 * tables claimed, and a move or a merge carries it out step by step. In: families, policies and
 * read requests. Out: manifest edits and new tables. No plan may touch the tables that another one
 * has claimed. Public records, enums and exceptions are safe to share between threads; every other
 * public class says whether it is.
 */
package io.coppice.compaction;
