// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

class TieredContractTest extends PolicyContract {

  @Override
  String text() {
    return "tiered,trigger=3";
  }

  @Override
  String otherText() {
    return "leveled,fanout=3,l0_trigger=2";
  }
}
