// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The command {@code papers}, which repeats the simulations of the four papers. Table names come
 * in, a page of tables and charts goes out.
 *
 * <p>Sizes and results of the papers are constants of {@code PapersTables}. Records, enums and
 * exceptions are safe to share between threads.
 */
package io.coppice.tool.papers;
