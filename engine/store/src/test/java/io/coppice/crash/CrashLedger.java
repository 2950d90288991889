// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a store was told, batch by batch, and how much of it was acknowledged as durable. One thread
 * writes; any thread may ask for the counts.
 */
final class CrashLedger {

  /** One change of a batch; no value is a deletion. */
  record Change(byte[] key, byte[] value) {}

  private final List<List<Change>> batches = new ArrayList<>();
  private final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

  /** The digest of the contents after so many batches. */
  private long[] digests = new long[256];

  private volatile int submitted;
  private volatile int durable;

  /** A batch that is about to be written. */
  void submit(List<Change> batch) {
    batches.add(List.copyOf(batch));
    long digest = digests[submitted];
    for (Change change : batch) {
      byte[] old =
          change.value == null ? model.remove(change.key) : model.put(change.key, change.value);
      digest -= old == null ? 0 : digest(change.key, old);
      digest += change.value == null ? 0 : digest(change.key, change.value);
    }
    if (submitted + 1 == digests.length) {
      digests = Arrays.copyOf(digests, 2 * digests.length);
    }
    digests[submitted + 1] = digest;
    submitted++;
  }

  /** The value of a key after the last batch, or null. */
  byte[] value(byte[] key) {
    return model.get(key);
  }

  /** The last batch was refused and has no effect. */
  void refused() {
    submitted--;
    batches.remove(submitted);
    model.clear();
    model.putAll(after(submitted));
  }

  /** All batches so far are acknowledged as durable. */
  void allDurable() {
    durable = submitted;
  }

  long submitted() {
    return submitted;
  }

  long durable() {
    return durable;
  }

  /** The digest of what is there after the last batch. */
  long digest() {
    return digests[submitted];
  }

  /** True if a digest is that of the contents after some number of batches in these bounds. */
  boolean isPrefix(long digest, long least, long most) {
    for (int i = (int) least; i <= most; i++) {
      if (digests[i] == digest) {
        return true;
      }
    }
    return false;
  }

  /** What is there after the first so many batches. */
  NavigableMap<byte[], byte[]> after(long count) {
    NavigableMap<byte[], byte[]> contents = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < count; i++) {
      apply(batches.get(i), contents);
    }
    return contents;
  }

  private static void apply(List<Change> batch, NavigableMap<byte[], byte[]> contents) {
    for (Change change : batch) {
      if (change.value == null) {
        contents.remove(change.key);
      } else {
        contents.put(change.key, change.value);
      }
    }
  }

  static long digest(NavigableMap<byte[], byte[]> contents) {
    long sum = 0;
    for (var entry : contents.entrySet()) {
      sum += digest(entry.getKey(), entry.getValue());
    }
    return sum;
  }

  static long digest(byte[] key, byte[] value) {
    long hash = 0x9E3779B97F4A7C15L;
    for (byte b : key) {
      hash = (hash ^ b) * 0x100000001B3L;
    }
    hash = (hash ^ 0x1FF) * 0x100000001B3L;
    for (byte b : value) {
      hash = (hash ^ b) * 0x100000001B3L;
    }
    hash = (hash ^ (hash >>> 30)) * 0xBF58476D1CE4E5B9L;
    hash = (hash ^ (hash >>> 27)) * 0x94D049BB133111EBL;
    return hash ^ (hash >>> 31);
  }

  /** Tells in what way contents are no prefix in these bounds. */
  CrashViolation explain(NavigableMap<byte[], byte[]> shown, long least, long most) {
    long digest = digest(shown);
    String bounds = "of " + least + " to " + most + " batches ";
    for (long count = least - 1; count >= 0; count--) {
      if (digests[(int) count] == digest) {
        return new CrashViolation(
            CrashViolation.Kind.LOST, bounds + "only " + count + " are there");
      }
    }
    NavigableMap<byte[], byte[]> contents = after(least);
    NavigableMap<byte[], List<byte[]>> legal = new TreeMap<>(Arrays::compareUnsigned);
    contents.forEach((key, value) -> legal.put(key, new ArrayList<>(List.of(value))));
    for (int i = (int) least; i < most; i++) {
      for (Change change : batches.get(i)) {
        legal.computeIfAbsent(change.key, x -> new ArrayList<>()).add(change.value);
      }
    }
    for (var entry : shown.entrySet()) {
      boolean known =
          legal.getOrDefault(entry.getKey(), List.of()).stream()
              .anyMatch(value -> Arrays.equals(value, entry.getValue()));
      if (!known) {
        return new CrashViolation(
            CrashViolation.Kind.RESURRECTED,
            bounds + "none left " + text(entry.getKey()) + " as it is");
      }
    }
    for (byte[] key : contents.keySet()) {
      if (!shown.containsKey(key) && legal.get(key).stream().allMatch(value -> value != null)) {
        return new CrashViolation(CrashViolation.Kind.LOST, bounds + text(key) + " is missing");
      }
    }
    return new CrashViolation(CrashViolation.Kind.NO_PREFIX, bounds + "no prefix is what is there");
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.ISO_8859_1);
  }
}
