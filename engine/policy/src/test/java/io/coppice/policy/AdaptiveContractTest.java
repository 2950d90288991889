// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

class AdaptiveContractTest extends PolicyContract {

  @Override
  String text() {
    return "adaptive,rung=2";
  }

  @Override
  String otherText() {
    return "adaptive,rung=6";
  }
}
