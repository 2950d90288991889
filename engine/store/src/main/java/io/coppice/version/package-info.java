// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The immutable picture of a store: versions, levels, runs, segments and slices, and the edits that
 * turn one version into the next. Edits come in, versions go out. A version never changes; an edit
 * that would put older data above newer data is refused. Records, enums and exceptions are safe to
 * share between threads.
 */
package io.coppice.version;
