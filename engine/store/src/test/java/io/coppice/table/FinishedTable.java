// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.io.IOException;

/** A table by itself, of no series. */
public final class FinishedTable {

  private FinishedTable() {}

  /** Completes a table and makes its bytes durable; its name is not. If this fails it is gone. */
  public static TableMeta of(OpenTables tables, TableWriter writer) throws IOException {
    TableMeta meta = tables.complete(writer);
    try {
      writer.sync();
      return meta;
    } catch (IOException e) {
      tables.retire(meta);
      throw e;
    }
  }
}
