// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/** The unit of decimal policy options, so that policies compute with integers. */
public final class Thousandths {

  /** The value of the option text {@code 1}. */
  public static final long ONE = 1000;

  private Thousandths() {}
}
