// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/** Tables of which nothing is ever read, so that they need no file. */
public final class UnreadTables {

  private UnreadTables() {}

  /** One with these facts. */
  public static Table of(TableMeta meta) {
    return Table.cold(null, meta, null, null, null, null, table -> {});
  }
}
