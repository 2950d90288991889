// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

class LeveledContractTest extends PolicyContract {

  @Override
  String text() {
    return "leveled,fanout=3,l0_trigger=2,base_size=16384";
  }

  @Override
  String otherText() {
    return "split-forest,fanout=2";
  }
}
