// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

class DelayedContractTest extends PolicyContract {

  @Override
  String text() {
    return "delayed,fanout=3,l0_trigger=2,base_size=16384,vct=6,vsmt=3";
  }

  @Override
  String otherText() {
    return "split-forest,fanout=3";
  }
}
