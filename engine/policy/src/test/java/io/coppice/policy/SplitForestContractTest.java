// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

class SplitForestContractTest extends PolicyContract {

  @Override
  String text() {
    return "split-forest,fanout=3";
  }

  @Override
  String otherText() {
    return "leveled,fanout=3,l0_trigger=2";
  }
}
