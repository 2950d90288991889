// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import java.util.Locale;

/** A constant of an enumeration with the name that people type and read. */
public interface LabeledConstant {

  /** Returns the name of the constant. */
  String name();

  /** Returns the typed and displayed name, in small letters and with dashes. */
  default String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
