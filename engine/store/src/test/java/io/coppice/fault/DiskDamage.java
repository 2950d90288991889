// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import io.coppice.io.MemDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Damages files of a store at random: what disks, file systems and wrong restores do. */
final class DiskDamage {

  private enum Kind {
    FLIP,
    ZEROS,
    CUT,
    MISSING,
    EMPTY,
    /** The content of another file of the store. */
    REPLACED,
    SWAPPED
  }

  private final Random random;
  private final List<String> inflicted = new ArrayList<>();
  private boolean ofManifest;
  private boolean ofLog;

  DiskDamage(Random random) {
    this.random = random;
  }

  /** Damages one file, or exchanges two; the reserve and the filters are left alone. */
  void inflict(MemDisk disk) throws IOException {
    List<String> names = new ArrayList<>(disk.list());
    names.removeIf(name -> name.equals("RESERVE") || name.equals("filters.slots"));
    names.sort(null);
    String name = names.get(random.nextInt(names.size()));
    byte[] content = disk.bytes(name);
    Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
    inflicted.add(kind + " " + name);
    note(name);
    int at = content.length == 0 ? 0 : random.nextInt(content.length);
    switch (kind) {
      case FLIP -> {
        if (content.length > 0) {
          content[at] ^= (byte) (1 + random.nextInt(255));
        }
        disk.setBytes(name, content);
      }
      case ZEROS -> {
        int end = Math.min(content.length, at + 1 + random.nextInt(2_000));
        Arrays.fill(content, at, end, (byte) 0);
        disk.setBytes(name, content);
      }
      case CUT -> disk.setBytes(name, Arrays.copyOf(content, at));
      case MISSING -> disk.delete(name);
      case EMPTY -> disk.setBytes(name, new byte[0]);
      case REPLACED, SWAPPED -> {
        String other = names.get(random.nextInt(names.size()));
        inflicted.add("by " + other);
        disk.setBytes(name, disk.bytes(other));
        if (kind == Kind.SWAPPED) {
          disk.setBytes(other, content);
          note(other);
        }
      }
      default -> throw new AssertionError(kind);
    }
  }

  private void note(String name) {
    ofManifest |= name.endsWith(".manifest");
    ofLog |= name.endsWith(".wal");
  }

  /** True if a manifest was damaged: which table is newer may not be known any more. */
  boolean ofManifest() {
    return ofManifest;
  }

  /** True if a log was damaged. */
  boolean ofLog() {
    return ofLog;
  }

  @Override
  public String toString() {
    return inflicted.toString();
  }
}
