// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.examples;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.MergeOperator;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Counters that are never read before they are written: a merge operator adds up. */
public final class Counters {

  /** Adds numbers of eight bytes. Its name is remembered by the store. */
  static final class Sum implements MergeOperator {
    @Override
    public String name() {
      return "sum";
    }

    @Override
    public byte[] merge(byte[] key, byte[] base, List<byte[]> operands) {
      long sum = base == null ? 0 : number(base);
      for (byte[] operand : operands) {
        sum += number(operand);
      }
      return bytes(sum);
    }
  }

  private Counters() {}

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(8).putLong(number).array();
  }

  private static long number(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }

  /** Takes the directory. */
  public static void main(String[] args) {
    StoreOptions options = StoreOptions.builder().mergeOperator(new Sum()).build();
    try (Store store = Store.open(Path.of(args[0]), options)) {
      byte[] visits = "visits".getBytes();
      for (int i = 1; i <= 100; i++) {
        store.merge(visits, bytes(i));
      }
      System.out.println(number(store.get(visits)));
      store.compact(); // operands become one value
      System.out.println(number(store.get(visits)));
    }
  }
}
