// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.base.bytes.ByteSource;
import io.coppice.version.EditOp;
import io.coppice.version.ManifestState;
import io.coppice.version.VersionEdit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What a record of a manifest holds, for tests that follow or spoil it. */
public final class ManifestRecord {

  /** The kind of a record that begins a manifest. */
  public static final String SNAPSHOT = "Snapshot";

  /** The kind of a record that changes nothing; it ends a manifest that was closed. */
  public static final String NOTHING = "Nothing";

  private ManifestRecord() {}

  /** False for a record that no store writes. */
  public static boolean isLegible(byte[] payload) {
    try {
      kinds(payload);
      return true;
    } catch (CorruptionException | IllegalArgumentException e) {
      return false;
    }
  }

  /** The kinds of the changes in a record, or that it is no edit. */
  public static Set<String> kinds(byte[] payload) {
    Set<String> kinds = new TreeSet<>();
    if (isSnapshot(payload)) {
      kinds.add(SNAPSHOT);
    } else {
      edit(payload).ops().forEach(op -> kinds.add(op.getClass().getSimpleName()));
      if (kinds.isEmpty()) {
        kinds.add(NOTHING);
      }
    }
    return kinds;
  }

  /** All kinds that there are. */
  public static Set<String> allKinds() {
    Set<String> kinds = new TreeSet<>(List.of(SNAPSHOT, NOTHING));
    Arrays.stream(EditOp.class.getPermittedSubclasses())
        .forEach(type -> kinds.add(type.getSimpleName()));
    return kinds;
  }

  static boolean isSnapshot(byte[] payload) {
    return payload[0] == EditCodec.SNAPSHOT;
  }

  static VersionEdit edit(byte[] payload) {
    ByteSource source = source(payload);
    return EditCodec.decode(source);
  }

  static ManifestState snapshot(byte[] payload) {
    return ManifestSnapshotCodec.decode(source(payload));
  }

  /** What a catalogue becomes by a record; the first record of a manifest needs none. */
  public static ManifestState apply(ManifestState before, byte[] payload) {
    return isSnapshot(payload) ? snapshot(payload) : before.apply(edit(payload));
  }

  private static ByteSource source(byte[] payload) {
    ByteSource source = new ByteSource();
    source.reset("record", 0, payload, 0, payload.length);
    source.u8();
    return source;
  }

  /** The numbers of the tables that an edit adds. */
  static List<Long> added(VersionEdit edit) {
    List<Long> tables = new ArrayList<>();
    for (EditOp op : edit.ops()) {
      if (op instanceof EditOp.AddTable add) {
        tables.add(add.table().number());
      }
    }
    return tables;
  }
}
