// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

class LazyLeveledContractTest extends PolicyContract {

  @Override
  String text() {
    return "grouped,groups=2,last_level_leveled=true";
  }

  @Override
  String otherText() {
    return "split-forest,fanout=3";
  }
}
