// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.base.MergeOperator;
import java.util.Arrays;
import java.util.List;

/** Appends operands to a value and keeps the last bytes, so that their order can be seen. */
public final class LastBytes implements MergeOperator {

  private static final int KEPT_BYTES = 60;

  @Override
  public String name() {
    return "last-bytes";
  }

  @Override
  public byte[] merge(byte[] key, byte[] base, List<byte[]> operands) {
    byte[] value = base == null ? new byte[0] : base;
    for (byte[] operand : operands) {
      value = append(value, operand);
    }
    return value;
  }

  static byte[] append(byte[] value, byte[] operand) {
    byte[] whole = Arrays.copyOf(value, value.length + operand.length);
    System.arraycopy(operand, 0, whole, value.length, operand.length);
    return Arrays.copyOfRange(whole, Math.max(0, whole.length - KEPT_BYTES), whole.length);
  }
}
