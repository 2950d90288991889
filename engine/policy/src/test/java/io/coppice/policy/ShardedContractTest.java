// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

class ShardedContractTest extends PolicyContract {

  @Override
  String text() {
    return "adaptive,shards=2610";
  }

  @Override
  String otherText() {
    return "adaptive,shards=636";
  }
}
