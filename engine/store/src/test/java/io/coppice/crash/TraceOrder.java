// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.io.DiskOp;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.MemDisk.Stored;
import io.coppice.io.RecordFrame;
import io.coppice.manifest.CurrentFile;
import io.coppice.manifest.ManifestRecord;
import io.coppice.table.TableMeta;
import io.coppice.version.ManifestState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The order in which a store may do things to a disk, checked over all that was done to one which
 * was empty. No power is cut: a sync that is missing breaks a rule the first time it would have
 * been needed.
 *
 * <ol>
 *   <li>A record of the manifest names tables whose bytes and names are durable.
 *   <li>A manifest comes into force by a {@code CURRENT} that is durable, as are so many bytes of
 *       it as that says.
 *   <li>A table goes when no durable record names it, and none that is being written.
 *   <li>A log begins when those before it are durable, and goes when a durable record says that it
 *       is not needed.
 *   <li>A manifest goes when another one is durably in force.
 * </ol>
 */
final class TraceOrder {

  /** A manifest: what its records lead to, what the durable ones do, and its bytes likewise. */
  private static final class Log {
    long bytes;
    long durableBytes;
    ManifestState written = ManifestState.EMPTY;
    ManifestState durable = ManifestState.EMPTY;
  }

  private final List<String> broken = new ArrayList<>();
  private final Map<String, Integer> names = new HashMap<>();
  private final Map<String, Integer> durableNames = new HashMap<>();

  /** Files with bytes that are not durable. */
  private final Set<Integer> dirty = new HashSet<>();

  private final Map<String, Log> manifests = new HashMap<>();

  /** The bytes of a {@code CURRENT} that is being written. */
  private byte[] current = {};

  private String inForce = "";
  private String durablyInForce = "";

  private TraceOrder() {}

  /** What was done against the rules, a line each. */
  static List<String> broken(List<DiskOp> ops) {
    TraceOrder order = new TraceOrder();
    ops.forEach(order::follow);
    return order.broken;
  }

  private void follow(DiskOp op) {
    switch (op.kind()) {
      case CREATE -> {
        if (op.name().endsWith(".wal")) {
          for (String log : names.keySet()) {
            check(!log.endsWith(".wal") || !dirty(log), op, "while " + log + " is not durable");
          }
        }
        names.put(op.name(), op.file());
      }
      case WRITE -> {
        dirty.add(op.file());
        if (op.name().endsWith(".manifest")) {
          Log log = manifests.computeIfAbsent(op.name(), x -> new Log());
          log.bytes = op.position() + op.bytes().length;
          record(op, log);
        } else if (op.name().startsWith("CURRENT")) {
          current = Arrays.copyOf(op.bytes(), op.bytes().length);
        }
      }
      case TRUNCATE -> dirty.add(op.file());
      case SYNC -> {
        dirty.remove(op.file());
        Log log = manifests.get(op.name());
        if (log != null) {
          log.durable = log.written;
          log.durableBytes = log.bytes;
        }
      }
      case RENAME -> {
        names.put(op.other(), names.remove(op.name()));
        if (op.other().equals("CURRENT")) {
          putInForce(op);
        }
      }
      case DELETE -> {
        delete(op);
        names.remove(op.name());
      }
      case SYNC_DIRECTORY -> {
        durableNames.clear();
        durableNames.putAll(names);
        durablyInForce = inForce;
      }
      default -> {
        // Changes nothing.
      }
    }
  }

  private void record(DiskOp op, Log log) {
    byte[] payload =
        op.position() > 0 && op.bytes().length > RecordFrame.HEADER_BYTES
            ? RecordFrame.payload(op.bytes())
            : null;
    if (payload == null) {
      return;
    }
    log.written = ManifestRecord.apply(log.written, payload);
    for (TableMeta table : log.written.tables()) {
      String name = FileKind.TABLE.fileName(table.number());
      check(!dirty(name), op, "although " + name + " is not durable");
      check(hasName(name), op, "although the name of " + name + " is not durable");
    }
  }

  private void putInForce(DiskOp op) {
    check(!dirty("CURRENT"), op, "although its bytes are not durable");
    long durable;
    try {
      CurrentFile file = CurrentFile.read(new MemDisk(Map.of("CURRENT", new Stored(current))));
      inForce = FileKind.MANIFEST.fileName(file.manifest());
      durable = file.durable();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    check(hasName(inForce), op, "although the name of " + inForce + " is not durable");
    long found = manifests.getOrDefault(inForce, new Log()).durableBytes;
    check(
        durable > 0 && durable <= found,
        op,
        "although of " + inForce + " " + found + " bytes are durable, not " + durable);
  }

  private void delete(DiskOp op) {
    OptionalLong table = FileKind.TABLE.numberOf(op.name());
    OptionalLong wal = FileKind.WAL.numberOf(op.name());
    Log log = manifests.getOrDefault(durablyInForce, new Log());
    if (table.isPresent()) {
      check(!names(log.durable, table.getAsLong()), op, "although a durable record names it");
      check(!names(log.written, table.getAsLong()), op, "although a record names it");
    } else if (wal.isPresent()) {
      // An empty one that found no room is removed at once.
      boolean needed = log.durable.marks().walFloor() <= wal.getAsLong() && hasName(op.name());
      check(!needed, op, "although no durable record says that it is not needed");
    } else if (op.name().endsWith(".manifest")) {
      check(!op.name().equals(durablyInForce), op, "although it is in force");
    }
  }

  private static boolean names(ManifestState state, long table) {
    return state.tables().stream().anyMatch(named -> named.number() == table);
  }

  private boolean dirty(String name) {
    return dirty.contains(names.get(name));
  }

  private boolean hasName(String name) {
    return names.containsKey(name) && names.get(name).equals(durableNames.get(name));
  }

  private void check(boolean kept, DiskOp op, String wrong) {
    if (!kept) {
      broken.add(op + " " + wrong);
    }
  }
}
