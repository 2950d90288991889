// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A defect of the protocol that keeps data safe.
 *
 * @param name what is wrong, as a page shows it
 * @param loads that show it, separated by commas
 * @param disk the operations of the disk that are spoilt, as {@link MutantRun} takes them; or ""
 * @param code what is changed in the engine
 */
record ProtocolMutant(String name, String loads, String disk, List<Redirection> code) {

  private static final String FOREST = "SPLIT_FOREST";

  /** One for all whose code is as it should be, so that it is compiled once. */
  private static final EngineLoader SOUND = new EngineLoader(Map.of());

  /** Runs it; empty if nothing was wrong, else what was. */
  String run() {
    Map<String, UnaryOperator<byte[]>> changes = new HashMap<>();
    for (Redirection change : code) {
      changes.merge(change.typeName(), change, (a, b) -> bytes -> b.apply(a.apply(bytes)));
    }
    EngineLoader loader = changes.isEmpty() ? SOUND : new EngineLoader(changes);
    return loader.function(MutantRun.class).apply((loads + " " + disk).trim());
  }

  /** Those that people make, or made in other stores. */
  static List<ProtocolMutant> seeded() {
    List<ProtocolMutant> all = new ArrayList<>();
    disk(all, "no log is synced", FOREST, "DROPPED SYNC .wal *");
    disk(all, "no table is synced", FOREST, "DROPPED SYNC .tbl *");
    disk(all, "no edit is synced", FOREST, "DROPPED SYNC .manifest *");
    disk(all, "CURRENT is not synced before its rename", FOREST, "DROPPED SYNC CURRENT.new *");
    disk(all, "no name is made durable", FOREST, "DROPPED SYNC_DIRECTORY * *");
    disk(
        all,
        "the names of outputs are not made durable",
        FOREST,
        "DROPPED SYNC_DIRECTORY * RollingTableWriter");
    disk(
        all,
        "the name of a new log is not made durable",
        FOREST,
        "DROPPED SYNC_DIRECTORY * WalWriter");
    disk(
        all,
        "the switch of CURRENT is not made durable",
        "MANIFEST_ROTATION",
        "DROPPED SYNC_DIRECTORY * CurrentFile");
    disk(all, "CURRENT is not switched", "MANIFEST_ROTATION", "DROPPED RENAME * *");
    disk(all, "a log is synced after the write returned", FOREST, "SWAPPED SYNC .wal *");
    disk(all, "an edit is synced after what follows it", FOREST, "SWAPPED SYNC .manifest *");
    disk(
        all,
        "names are made durable after what needs them",
        FOREST,
        "SWAPPED SYNC_DIRECTORY * RollingTableWriter");
    disk(all, "dead logs stay", FOREST, "DROPPED DELETE .wal *");
    disk(all, "dead tables stay", FOREST, "DROPPED DELETE .tbl *");
    disk(all, "old manifests stay", FOREST, "DROPPED DELETE .manifest *");
    disk(all, "writes to manifests are lost", FOREST, "DROPPED WRITE .manifest RecordLogWriter");
    disk(all, "writes to logs are lost", FOREST, "DROPPED WRITE .wal RecordLogWriter");
    disk(all, "a write to a log follows its sync", FOREST, "SWAPPED WRITE .wal *");
    disk(all, "an edit is written after its sync", FOREST, "SWAPPED WRITE .manifest *");
    disk(
        all,
        "CURRENT is switched after the sync of names",
        "MANIFEST_ROTATION",
        "SWAPPED RENAME * *");
    disk(all, "what a full disk left of a record stays", "NO_ROOM", "DROPPED TRUNCATE .wal *");
    code(
        all,
        "an edit does not wait for the syncs of a merge's tables",
        FOREST,
        "table.RollingTableWriter",
        "syncFinished",
        "RollingTableWriter.syncTables",
        "nothing");
    code(
        all,
        "an edit does not wait for the syncs of a flush's tables",
        FOREST,
        "write.family.FlushOutputs",
        "sync",
        "RollingTableWriter.syncTables",
        "nothing");
    code(
        all,
        "no trim: inputs stay as they were",
        "HALF_MERGES",
        "compaction.CompactionJob",
        "install",
        "VersionEdit$Builder.trimSlice",
        "noTrim");
    code(
        all,
        "the cut is too high",
        "HALF_MERGES",
        "compaction.CompactionJob",
        "install",
        "VersionEdit$Builder.trimSlice",
        "trimTooFar");
    code(
        all,
        "inputs leave at the first step",
        "SPLIT_FOREST",
        "compaction.CompactionJob",
        "install",
        "VersionEdit$Builder.trimSlice",
        "removeInstead");
    code(
        all,
        "deletions go too early",
        "DELETIONS,HALF_MERGES,LEVELED",
        "compaction.context.OlderDataRanges",
        "mayContain",
        "List.size",
        "zeroSize");
    code(
        all,
        "a deletion goes that a snapshot needs",
        "REOPENINGS",
        "entry.EntryCompactor",
        "deletionIsObsolete",
        "SnapshotStripes.isSeenByAll",
        "yesStatic");
    code(
        all,
        "merges forget the snapshots",
        "REOPENINGS",
        "compaction.context.CompactionContext",
        "",
        "SnapshotList.sequences",
        "noSequences");
    code(
        all,
        "flushes forget the snapshots",
        "HALF_MERGES",
        "write.family.FlushJob",
        "",
        "SnapshotList.sequences",
        "noSequences");
    code(
        all,
        "tables go although a reader leases them",
        "HALF_MERGES,REOPENINGS",
        "manifest.Leases",
        "retireWhatNobodyHolds",
        "TreeSet.ceiling",
        "nobody");
    code(
        all,
        "lookups go by the table's range, not the cut",
        "HALF_MERGES",
        "version.Slice",
        "contains",
        "KeyWindow.contains",
        "yesForKey");
    code(
        all,
        "siblings are searched oldest first",
        "DELAYED",
        "read.FilterProbeBatch",
        "add",
        "Segment.slices",
        "reversed");
    code(
        all,
        "a merge reads siblings oldest first",
        "DELAYED",
        "version.ConcatenatingCursor",
        "",
        "Segment.slices",
        "reversed");
    all.add(
        new ProtocolMutant(
            "the block that comes first wins",
            "LEVELED,SPLIT_FOREST",
            MutantRun.SHUFFLED,
            List.of(
                new Redirection("read.ParallelSearch", "run", "ParallelSearch.next", "firstEnded"),
                new Redirection(
                    "read.ParallelSearch", "endAt", "ParallelSearch.inFrontOf", "noReads"))));
    code(
        all,
        "a write returns before the log is synced",
        FOREST,
        "write.WritePath",
        "syncGroup",
        "ActiveLog.sync",
        "nothing");
    code(
        all,
        "a log begins before the one before is synced",
        "LOG_ROLLOVER",
        "write.WritePath",
        "seal",
        "ActiveLog.finish",
        "nothing");
    code(
        all,
        "the floor of the logs is one too high",
        "LOG_ROLLOVER,SPLIT_FOREST",
        "write.Flusher",
        "install",
        "VersionEdit$Builder.walFloor",
        "floorTooHigh");
    code(
        all,
        "the floor of the logs is not raised",
        "SPLIT_FOREST",
        "write.Flusher",
        "install",
        "VersionEdit$Builder.walFloor",
        "noFloor");
    code(
        all,
        "filters deny keys",
        "HALF_MERGES",
        "table.Table",
        "readFilter",
        "BinaryFuseFilter.difference",
        "oneWithLong");
    code(
        all,
        "filters are trusted unread",
        FOREST,
        "table.FilterFile",
        "read",
        "FilterLayout.isSlot",
        "soundSlot");
    code(
        all,
        "a torn end is damage",
        FOREST,
        "io.RecordLogReader",
        "endAt",
        "RecordLogReader.isTorn",
        "noWithLong");
    code(
        all,
        "recovery replays stale logs",
        "SPLIT_FOREST,LOG_ROLLOVER",
        "recovery.Recovery",
        "run",
        "ManifestState$Marks.walFloor",
        "zero");
    code(
        all,
        "recovery uses sequence numbers again",
        "REOPENINGS,SPLIT_FOREST",
        "StoreOpener",
        "",
        "Recovery.lastSequence",
        "zero");
    code(
        all,
        "recovery tells tables by the begin of their number",
        FOREST,
        "recovery.Recovery",
        "removeUnnamedTables",
        "Set.contains",
        "containsPrefix");
    code(
        all,
        "recovery keeps tables that nobody names",
        FOREST,
        "recovery.Recovery",
        "removeUnnamedTables",
        "FileKind.numberOf",
        "noNumber");
    code(
        all,
        "recovery finds no log",
        FOREST,
        "recovery.LoadedLogs",
        "fromFloor",
        "FileKind.numberOf",
        "noNumber");
    code(
        all,
        "recovery replays logs newest first",
        "LOG_ROLLOVER",
        "recovery.LoadedLogs",
        "fromFloor",
        "List.sort",
        "sortBack");
    code(
        all,
        "checksums of records are not compared",
        FOREST,
        "io.RecordLogReader",
        "readRecord",
        "Checksum.of",
        "equalSums");
    code(
        all,
        "a new manifest takes a number that was given out",
        "REOPENINGS,SPLIT_FOREST",
        "manifest.Manifest",
        "begin",
        "ManifestState$Marks.nextNumber",
        "first");
    code(
        all,
        "opening removes no manifest",
        FOREST,
        "manifest.Manifest",
        "open",
        "Manifest.removeOthers",
        "nothingWith");
    all.add(
        new ProtocolMutant(
            "a merge takes a read error for the end",
            "READ_ERRORS",
            "",
            List.of(
                new Redirection("entry.EntryCompactor", "", "EntryCursor.first", "firstOrEnd"),
                new Redirection("entry.EntryCompactor", "", "EntryCursor.next", "nextOrEnd"),
                new Redirection(
                    "entry.EntryCompactor", "", "EntryCursor.valid", "validUntilEnd"))));
    all.add(
        new ProtocolMutant(
            "two merges take one input",
            "MERGES_SIDE_BY_SIDE",
            "",
            List.of(
                new Redirection("compaction.PlanInstaller", "", "Claims.take", "nothingWith"),
                new Redirection("compaction.PlanInstaller", "", "Claims.release", "nothingWith"),
                new Redirection(
                    "compaction.shape.VersionShapeBuilder", "", "Claims.holds", "noWithLong"))));
    code(
        all,
        "outputs are cut between versions of one key",
        "HALF_MERGES",
        "entry.EntryCompactor",
        "writeKey",
        "EntryCompactor.isSameKey",
        "sameKeyUnlessFull");
    return all;
  }

  /** Those that do no harm, with the reason. */
  static Map<ProtocolMutant, String> harmless() {
    List<ProtocolMutant> all = new ArrayList<>();
    code(
        all,
        "the last sequence number is not kept",
        "REOPENINGS",
        "write.Flusher",
        "install",
        "VersionEdit$Builder.lastSequence",
        "noSequence");
    return Map.of(
        all.get(0), "the edit adds tables, and the catalogue keeps the largest number of these");
  }

  private static void disk(List<ProtocolMutant> all, String name, String loads, String spoilt) {
    all.add(new ProtocolMutant(name, loads, spoilt, List.of()));
  }

  private static void code(
      List<ProtocolMutant> all,
      String name,
      String loads,
      String type,
      String method,
      String called,
      String spoiler) {
    all.add(
        new ProtocolMutant(
            name, loads, "", List.of(new Redirection(type, method, called, spoiler))));
  }
}
