// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.thread.Interleavings;
import io.coppice.table.TableMeta;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** A table is not retired under a lease on a version that names it, and once it is dropped. */
public class LeasesLincheckTest {

  private static final List<Version> VERSIONS =
      List.of(version(0), version(1), version(2), version(3), version(4), version(5), version(6));

  private final Set<Long> retired = ConcurrentHashMap.newKeySet();
  private final Leases leases =
      new Leases(VERSIONS.get(0), table -> retired.add(table.number()), () -> {});
  private int newest;

  private static Version version(long table) {
    TableMeta meta =
        new TableMeta(table, 100, 1, 0, 0, new byte[1], new byte[1], 1, 1, TableMeta.NO_FILTER);
    return Version.EMPTY.apply(
        VersionEdit.builder()
            .addRun(0, 100 + table, Set.of())
            .addTable(0, 100 + table, 200 + table, meta)
            .build());
  }

  /** Reads the only table of the present version. */
  @Operation
  public String read() {
    try (Lease lease = leases.lease()) {
      long table = lease.version().tables().iterator().next().number();
      return retired.contains(table) ? "retired under a lease" : "table " + table;
    }
  }

  /** Exchanges the table for the next. */
  @Operation(nonParallelGroup = "installs")
  public String install() {
    if (newest + 1 == VERSIONS.size()) {
      return "none left";
    }
    Version before = VERSIONS.get(newest++);
    Version after = VERSIONS.get(newest);
    leases.install(after, List.copyOf(after.tables()), List.copyOf(before.tables()));
    return "installed " + newest;
  }

  @Test
  void everyInterleavingIsAsOneAfterTheOther() {
    Interleavings.check(getClass());
  }
}
