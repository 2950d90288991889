// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The command {@code store} with its verbs for one store in a directory. A path comes in, entries,
 * reports and exit codes go out.
 *
 * <p>{@code StoreLine} opens the store: read-only for verbs that read entries, for writing for
 * those that change them. The verbs {@code verify}, {@code repair} and {@code dump} work on its
 * files without opening it. Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.tool.store;
