// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.table.TableMeta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables that one edit brings to each family, and those it takes away. */
final class EditTables {

  /** What an edit says about one family. */
  private static final class Touched {
    final List<EditOp.AddTable> added = new ArrayList<>();
    final Numbers slicesGone = new Numbers();
  }

  private final Map<Integer, Touched> families = new HashMap<>();

  EditTables(VersionEdit edit) {
    int family = Catalogue.DEFAULT_FAMILY;
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

  /** The tables that come. */
  List<TableMeta> added(int family) {
    return touched(family).added.stream().map(EditOp.AddTable::table).toList();
  }

  /** The tables that the old Version names, or the edit itself, and the new one does not. */
  List<TableMeta> dropped(int family, Version old, Version version) {
    Numbers slices = touched(family).slicesGone;
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
      Numbers tables = new Numbers();
      candidates.keySet().forEach(tables::add);
      version.forEachRun(
          run ->
              tables.forEachIn(
                  run.tableNumbers(), place -> candidates.remove(run.tableNumbers()[place])));
    }
    return List.copyOf(candidates.values());
  }
}
