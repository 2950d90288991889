// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

class LazyBinomialContractTest extends PolicyContract {

  @Override
  String text() {
    return "lazy-binomial,k=2,x=0.5";
  }

  @Override
  String otherText() {
    return "split-forest,fanout=3";
  }
}
