// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.bench.report.LabeledConstant;
import java.util.List;

/** YCSB's core workloads in the order of execution; the last one needs a load of its own. */
public enum YcsbWorkload implements LabeledConstant {
  A("zipfian", 0.5, 0.5, 0, 0, 0),
  B("zipfian", 0.95, 0.05, 0, 0, 0),
  C("zipfian", 1, 0, 0, 0, 0),
  F("zipfian", 0.5, 0, 0, 0, 0.5),
  D("latest", 0.95, 0, 0.05, 0, 0),
  E("zipfian", 0, 0, 0.05, 0.95, 0);

  private static final int SCAN_SHARE = 10;
  private static final int LONGEST_SCAN = 100;

  private final List<String> properties;

  YcsbWorkload(
      String distribution,
      double reads,
      double updates,
      double inserts,
      double scans,
      double changes) {
    properties =
        List.of(
            "requestdistribution=" + distribution,
            "readproportion=" + reads,
            "updateproportion=" + updates,
            "insertproportion=" + inserts,
            "scanproportion=" + scans,
            "readmodifywriteproportion=" + changes,
            "maxscanlength=" + LONGEST_SCAN,
            "scanlengthdistribution=uniform");
  }

  /** Returns the number of operations for a number of records. */
  int operations(int records) {
    return Math.max(1, this == E ? records / SCAN_SHARE : records);
  }

  /** Returns the workload's properties by YCSB's names. */
  List<String> properties() {
    return properties;
  }
}
