// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.table.TableMeta;
import io.coppice.version.EditOp;
import io.coppice.version.ManifestState;
import io.coppice.version.SortedLongSet;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tables that one edit adds to each family, and those it removes. */
final class EditTables {

  /** Tables that the edit adds to one family, and slices that it removes. */
  private static final class Touched {
    final List<EditOp.AddTable> added = new ArrayList<>();
    final SortedLongSet slicesGone = new SortedLongSet();
  }

  private final Map<Integer, Touched> families = new HashMap<>();

  EditTables(VersionEdit edit) {
    int family = ManifestState.DEFAULT_FAMILY;
    for (EditOp op : edit.ops()) {
      if (op instanceof EditOp.InFamily in) {
        family = in.number();
      } else if (op instanceof EditOp.AddTable add) {
        touched(family).added.add(add);
      } else if (op instanceof EditOp.RemoveSlice remove) {
        touched(family).slicesGone.add(remove.slice());
      } else if (op instanceof EditOp.Regroup regroup) {
        regroup.slices().forEach(touched(family).slicesGone::add);
      }
    }
  }

  private Touched touched(int family) {
    return families.computeIfAbsent(family, x -> new Touched());
  }

  /** Returns the tables that the edit adds to a family, in its order. */
  List<TableMeta> added(int family) {
    return touched(family).added.stream().map(EditOp.AddTable::table).toList();
  }

  /**
   * Returns the tables of a family that the old version or the edit names and the new version
   * lacks.
   */
  List<TableMeta> dropped(int family, Version old, Version version) {
    SortedLongSet slices = touched(family).slicesGone;
    Map<Long, TableMeta> candidates = new HashMap<>();
    for (EditOp.AddTable add : touched(family).added) {
      if (slices.contains(add.slice())) {
        candidates.put(add.table().number(), add.table());
      }
    }
    if (!slices.isEmpty()) {
      old.forEachRun(
          run ->
              slices.forEachIn(
                  run.sliceIds(),
                  place -> candidates.put(run.tableNumbers()[place], run.slice(place).table())));
    }
    if (!candidates.isEmpty()) {
      SortedLongSet tables = new SortedLongSet();
      candidates.keySet().forEach(tables::add);
      version.forEachRun(
          run ->
              tables.forEachIn(
                  run.tableNumbers(), place -> candidates.remove(run.tableNumbers()[place])));
    }
    return List.copyOf(candidates.values());
  }
}
