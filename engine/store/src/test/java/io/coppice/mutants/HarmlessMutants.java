// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Those of the {@link GeneratedMutants} that do no harm, by regular expressions for their names,
 * with the reasons. One that is caught may not be here, nor an expression that fits none.
 */
final class HarmlessMutants {

  private HarmlessMutants() {}

  /** Reasons, by the names they are of. */
  static Map<String, String> reasons() {
    Map<String, String> all = new LinkedHashMap<>();
    disk(all);
    fields(all);
    return all;
  }

  /** As above, of those that do harm in states that loads may meet or not: both are right. */
  static Map<String, String> seldomHarmful() {
    return Map.of(
        "STALE Segment[.]parents",
        "only a segment of more tables than its group once had is not sound",
        "(STALE|ONE_MORE|ONE_LESS) FilterSlot[.]unit",
        "a filter that does not name its table is made anew, but two slices of one table that"
            + " describe it differently are not sound");
  }

  private static void disk(Map<String, String> all) {
    all.put(
        "(DROPPED|SWAPPED) .* filters[.]slots",
        "a filter that does not name its table and the digest of its keys is made anew");
    all.put(
        "SWAPPED DiskSpaceReserve[.]make WRITE RESERVE",
        "the room is kept whatever the bytes are, and in whatever order they come");
    all.put(
        "DROPPED DiskSpaceReserve[.]make DELETE RESERVE",
        "the creation then fails and removes the old file; the next attempt creates the new one");
    all.put(
        "(DROPPED|SWAPPED) DiskSpaceReserve[.]make DELETE RESERVE 2",
        "half a reserve stays; the next attempt removes it first");
    all.put(
        "SWAPPED DiskSpaceReserve[.]release DELETE RESERVE",
        "what comes next begins a table, or cuts the manifest, and neither needs room");
    all.put(
        "SWAPPED (Manifest|OpenTables|TableWriter)[.]\\w+ DELETE .*",
        "nobody needs what is removed, so it may go one operation later");
    all.put(
        "SWAPPED RecordLogWriter[.]create DELETE [.]manifest",
        "the next opening removes each manifest that is not in force");
    all.put(
        "SWAPPED (Recovery[.]removeUnnamedTables|Repairer[.]run) DELETE [.]tbl",
        "nothing names the table, so it may go one operation later");
    all.put(
        "SWAPPED Flusher[.]removeLog DELETE [.]wal",
        "the log after it goes only when another memtable is in tables and names were synced");
    all.put(
        "SWAPPED Recovery[.]run DELETE [.]wal",
        "the manifest in force begins with a floor above all of them");
    all.put(
        "SWAPPED Recovery[.]makeDurable TRUNCATE [.]wal",
        "what is written again and what is cut off become durable by one sync");
    all.put(
        "SWAPPED (Checkpoint[.]copy|TableWriter[.]sync) SYNC [.]tbl",
        "what comes next is another file or the directory, and the record comes after both");
    all.put(
        "SWAPPED (Repairer[.]setAside KEEP_ASIDE|Checkpoint[.]copy SYNC) [.]wal.*",
        "the damaged log goes only once the manifest is in force");
    all.put(
        "SWAPPED Manifest[.]startLog SYNC_DIRECTORY",
        "what comes next is the removal of an old CURRENT.new");
    all.put(
        "SWAPPED WalWriter[.]create SYNC_DIRECTORY",
        "what comes next is a write, and no write counts before the sync after it");
  }

  private static void fields(Map<String, String> all) {
    all.put("ONE_MORE NextNumber[.]number", "a number is never given out");
    all.put("ONE_LESS Marks[.]nextNumber", "opening goes above the numbers of all files");
    all.put("ONE_MORE LastSequence[.]sequence", "a sequence number is never given out");
    all.put("(ONE_MORE|ONE_LESS) Regroup[.]group", "it only has to be another one");
    all.put("STALE Family[.]keyOrder", "all families have the same");
    all.put(
        "(STALE|ONE_MORE|ONE_LESS) Run[.]sources",
        "which runs feed another only planners ask, and any plan that is carried out shows the same");
    all.put(
        "ONE_LESS AddRun[.]sources",
        "the run stands above the other sources, and among those no keys are shared; the only source"
            + " of a run of level 0 is missing where compact() rewrites it beside a flush, which"
            + " loads of one thread do not do");
    all.put(
        "ONE_LESS Segment[.]group|ONE_MORE Segment[.]parents",
        "policies choose by them what to merge, and any choice shows the same");
  }
}
