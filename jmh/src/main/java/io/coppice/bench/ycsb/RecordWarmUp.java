// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Vector;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/** Warm-up: unmeasured operations of all kinds, so that their code is compiled. Used once. */
final class RecordWarmUp {

  /** Divisor of the number of operations that gives the number of records. */
  private static final int SHARE = 10;

  private static final int FIELDS = 10;
  private static final int FIELD_BYTES = 100;
  private static final int SCAN = 20;
  private static final int PERCENT = 100;
  private static final int READS_BELOW = 60;
  private static final int UPDATES_BELOW = 80;
  private static final int INSERTS_BELOW = 99;

  private final RecordBinding binding;
  private final Random random = new Random(1);
  private int records;

  RecordWarmUp(RecordBinding binding) {
    this.binding = binding;
  }

  void run(int operations) {
    while (records < Math.max(1, operations / SHARE)) {
      insert();
    }
    for (int i = 0; i < operations; i++) {
      int drawn = random.nextInt(PERCENT);
      String key = "user" + random.nextInt(records);
      if (drawn < READS_BELOW) {
        check(binding.read("", key, null, new HashMap<>()));
      } else if (drawn < UPDATES_BELOW) {
        check(binding.update("", key, fields(1)));
      } else if (drawn < INSERTS_BELOW) {
        insert();
      } else {
        check(binding.scan("", key, SCAN, null, new Vector<>()));
      }
    }
  }

  private void insert() {
    check(binding.insert("", "user" + records++, fields(FIELDS)));
  }

  private Map<String, ByteIterator> fields(int count) {
    Map<String, ByteIterator> fields = new HashMap<>();
    for (int i = 0; i < count; i++) {
      byte[] value = new byte[FIELD_BYTES];
      random.nextBytes(value);
      fields.put("field" + i, new ByteArrayByteIterator(value));
    }
    return fields;
  }

  private static void check(Status status) {
    if (!status.isOk()) {
      throw new IllegalStateException("an operation before those that are measured: " + status);
    }
  }
}
