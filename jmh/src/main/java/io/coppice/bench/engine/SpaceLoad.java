// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.Locale;

/** A load under which space is watched. */
enum SpaceLoad {
  /** Every key once, in random order. */
  PERMUTATION,
  /** Three times as many writes as there are keys, each of a key drawn evenly. */
  OVERWRITE;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
