// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The execution of compaction plans. Families and policies come in, manifest edits and new tables
 * go out. A plan is checked, its tables are claimed, and a move or a merge carries it out step by
 * step. No plan may use the tables that another one has claimed. Records, enums and exceptions are
 * safe to share between threads.
 */
package io.coppice.compaction;
