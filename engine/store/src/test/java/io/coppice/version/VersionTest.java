// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import io.coppice.table.filter.FilterSlot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VersionTest {

  private static final Set<Long> NONE = Set.of();

  @Test
  void aFlushIsTheNewestRunOfLevelZero() {
    Version one = flush(Version.EMPTY, 1, 'a', 'f');
    Version two = flush(one, 11, 'c', 'k');

    assertThat(drawn(two)).isEqualTo("L0 r11[t13[c..k]] r1[t3[a..f]]");
    assertThat(drawn(one)).isEqualTo("L0 r1[t3[a..f]]");
  }

  @Test
  void numbersNamedByAnEditCountAsGivenOut() {
    VersionEdit edit = edit().addRun(0, 1, NONE).addTable(0, 1, 2, meta(3, 'a', 'f')).build();

    ManifestState.Marks marks = ManifestState.EMPTY.apply(edit).marks();
    assertThat(marks.nextNumber()).isEqualTo(4);
    assertThat(marks.lastSequence()).isEqualTo(9);
  }

  @Test
  void tablesOfARunStandInKeyOrder() {
    Version version =
        Version.EMPTY.apply(
            VersionEdit.builder()
                .addRun(1, 1, NONE)
                .addTable(1, 1, 10, meta(20, 'm', 'p'))
                .addTable(1, 1, 11, meta(21, 'a', 'c'))
                .addTable(1, 1, 12, meta(22, 'd', 'l'))
                .build());

    assertThat(drawn(version)).isEqualTo("L0 | L1 r1[t21[a..c] t22[d..l] t20[m..p]]");
    Run run = version.run(1);
    assertThat(run.find(key('d'), 0, 1).slices().get(0).id()).isEqualTo(12);
    assertThat(run.find(key('l'), 0, 1).slices().get(0).id()).isEqualTo(12);
    assertThat(run.find(key('m'), 0, 1).slices().get(0).id()).isEqualTo(10);
    assertThat(run.find(key('q'), 0, 1)).isNull();
  }

  @Test
  void overlapInsideARunIsRefused() {
    VersionEdit edit =
        VersionEdit.builder()
            .addRun(1, 1, NONE)
            .addTable(1, 1, 10, meta(20, 'a', 'f'))
            .addTable(1, 1, 11, meta(21, 'f', 'k'))
            .build();

    assertThatThrownBy(() -> Version.EMPTY.apply(edit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overlap");
  }

  @Test
  void aTrimmedSliceLeavesRoomUpToItsNewBound() {
    Version version = flush(Version.EMPTY, 1, 'a', 'k');
    Version trimmed =
        version.apply(
            VersionEdit.builder()
                .trimSlice(2, key('d'))
                .addTable(0, 1, 30, meta(40, 'a', 'd'))
                .build());

    assertThat(drawn(trimmed)).isEqualTo("L0 r1[t40[a..d] t3(d..k]]");
    Slice slice = trimmed.run(1).segments().get(1).slices().get(0);
    assertThat(slice.contains(key('d'), 0, 1)).isFalse();
    assertThat(slice.contains(key('e'), 0, 1)).isTrue();
    assertThat(slice.contains(key('l'), 0, 1)).isFalse();
  }

  @Test
  void aBoundBelowTheTableDoesNotHideItsSmallestKey() {
    Slice slice = new Slice(1, meta(3, 'c', 'k'), new KeyWindow(key('a'), key('z')));

    assertThat(slice.lowExclusive()).isFalse();
    assertThat(slice.contains(key('c'), 0, 1)).isTrue();
    assertThat(slice.contains(key('b'), 0, 1)).isFalse();
    assertThat(slice.high()).isEqualTo(key('k'));
  }

  @Test
  void aTrimMustMoveUpAndLeaveSomething() {
    Version version = flush(Version.EMPTY, 1, 'a', 'k').apply(trim('d'));

    assertThatThrownBy(() -> version.apply(trim('d'))).hasMessageContaining("already begins");
    assertThatThrownBy(() -> version.apply(trim('c'))).hasMessageContaining("already begins");
    assertThatThrownBy(() -> version.apply(trim('k'))).hasMessageContaining("shows no key");
    assertThat(drawn(version.apply(trim('j')))).isEqualTo("L0 r1[t3(j..k]]");
  }

  @Test
  void anEmptyRunVanishesOnceNothingFeedsIt() {
    Version version =
        flush(Version.EMPTY, 1, 'a', 'c').apply(edit().addRun(1, 50, Set.of(1L)).build());
    assertThat(drawn(version)).isEqualTo("L0 r1[t3[a..c]] | L1 r50[]<1");

    assertThat(settled(version.apply(edit().removeSlice(2).build()))).isEqualTo("L0");
  }

  @Test
  void anEmptyRunIntoWhichNothingComesVanishesWhenAVersionSettles() {
    Version half =
        flush(Version.EMPTY, 1, 'a', 'c')
            .apply(edit().addTable(0, 1, 4, meta(5, 'd', 'f')).build())
            .apply(edit().addRun(1, 50, Set.of(1L)).moveSlice(4, 1, 50).build());
    assertThat(half.withoutEmptyRuns(NONE)).isSameAs(half);

    Version gone =
        half.apply(edit().addRun(3, 60, Set.of(50L)).moveSlice(4, 3, 60).build())
            .apply(edit().addRun(4, 70, Set.of(60L)).build());
    assertThat(drawn(gone))
        .isEqualTo("L0 r1[t3[a..c]] | L1 r50[]<1 | L2 | L3 r60[t5[d..f]]<50 | L4 r70[]<60");
    assertThat(gone.withoutEmptyRuns(Set.of(50L, 70L))).isSameAs(gone);
    assertThat(drawn(gone.withoutEmptyRuns(Set.of(70L))))
        .isEqualTo("L0 r1[t3[a..c]] | L1 | L2 | L3 r60[t5[d..f]] | L4 r70[]<60");
    assertThat(drawn(gone.withoutEmptyRuns(NONE)))
        .isEqualTo("L0 r1[t3[a..c]] | L1 | L2 | L3 r60[t5[d..f]]");
    assertThat(gone.withoutEmptyRuns(NONE).lastFlush()).isEqualTo(gone.lastFlush());
  }

  @Test
  void aRunLosesASourceThatIsGone() {
    Version version =
        flush(flush(Version.EMPTY, 1, 'a', 'c'), 11, 'd', 'f')
            .apply(edit().addRun(1, 50, Set.of(1L, 11L)).moveSlice(2, 1, 50).build());
    assertThat(settled(version)).isEqualTo("L0 r11[t13[d..f]] | L1 r50[t3[a..c]]<11");

    Version done = version.apply(edit().moveSlice(12, 1, 50).build()).withoutEmptyRuns(NONE);
    assertThat(drawn(done)).isEqualTo("L0 | L1 r50[t3[a..c] t13[d..f]]");
    assertThat(done.run(50).complete()).isTrue();
  }

  @Test
  void aSourceMustExist() {
    assertThatThrownBy(() -> Version.EMPTY.apply(edit().addRun(1, 50, Set.of(7L)).build()))
        .hasMessageContaining("run 7");
  }

  @Test
  void aNewRunStandsRightAboveItsNewestSourceAndUnderLaterFlushes() {
    Version version = flush(flush(flush(Version.EMPTY, 1, 'a', 'c'), 11, 'a', 'c'), 21, 'a', 'c');

    assertThat(drawn(version.apply(edit().addRun(0, 50, Set.of(1L, 11L)).build())))
        .isEqualTo("L0 r21[t23[a..c]] r50[]<1<11 r11[t13[a..c]] r1[t3[a..c]]");
    assertThat(drawn(version.apply(edit().addRun(1, 50, Set.of(1L)).build())))
        .isEqualTo("L0 r21[t23[a..c]] r11[t13[a..c]] r1[t3[a..c]] | L1 r50[]<1");
  }

  @Test
  void belowLevelZeroANewRunIsTheNewestWhateverFeedsIt() {
    Version version =
        flush(Version.EMPTY, 1, 'a', 'c')
            .apply(edit().addRun(1, 40, Set.of(1L)).moveSlice(2, 1, 40).build());
    version = flush(version, 11, 'a', 'c');
    version = version.apply(edit().addRun(1, 50, Set.of(11L)).moveSlice(12, 1, 50).build());

    assertThat(
            drawn(
                version
                    .apply(edit().addRun(1, 60, Set.of(40L)).build())
                    .withoutEmptyRuns(Set.of(60L))))
        .isEqualTo("L0 | L1 r60[]<40 r50[t13[a..c]] r40[t3[a..c]]");
  }

  @Test
  void oneEditMayRegroupTheSameTablesAgainAndAgain() {
    VersionEdit.Builder edit = edit();
    List<Long> slices = List.of(12L, 2L);
    long id = 100;
    for (int round = 0; round < 40; round++) {
      List<List<EditOp.Piece>> segments = new ArrayList<>();
      List<Long> now = new ArrayList<>();
      byte[] low = null;
      for (char cut : new char[] {'c', 'e', 'k'}) {
        List<EditOp.Piece> pieces = new ArrayList<>();
        for (long table : List.of(13L, 3L)) {
          now.add(id);
          pieces.add(new EditOp.Piece(id++, table, new KeyWindow(low, key(cut))));
        }
        segments.add(pieces);
        low = key(cut);
      }
      edit.regroup(1, 50, id++, slices, segments);
      slices = now;
    }
    Version version = overlapping().apply(edit.build());

    assertThat(version.run(50).segments()).hasSize(3);
  }

  @Test
  void aMoveMayNotPassASliceItOverlaps() {
    Version version = flush(flush(flush(Version.EMPTY, 1, 'a', 'c'), 11, 'd', 'f'), 21, 'c', 'd');
    VersionEdit newestFirst = edit().addRun(1, 50, NONE).moveSlice(22, 1, 50).build();
    VersionEdit middle = edit().addRun(1, 50, NONE).moveSlice(12, 1, 50).build();

    assertThatThrownBy(() -> version.apply(newestFirst)).hasMessageContaining("would pass");
    assertThat(settled(version.apply(middle)))
        .isEqualTo("L0 r21[t23[c..d]] r1[t3[a..c]] | L1 r50[t13[d..f]]");
  }

  @Test
  void overlappingSlicesMayMoveTogetherIfTheirOrderStays() {
    Version version = flush(flush(Version.EMPTY, 1, 'a', 'c'), 11, 'c', 'f');
    VersionEdit kept =
        edit()
            .addRun(1, 50, NONE)
            .addRun(1, 51, NONE)
            .moveSlice(12, 1, 51)
            .moveSlice(2, 1, 50)
            .build();
    VersionEdit turned =
        edit()
            .addRun(1, 50, NONE)
            .addRun(1, 51, NONE)
            .moveSlice(12, 1, 50)
            .moveSlice(2, 1, 51)
            .build();

    assertThat(settled(version.apply(kept))).isEqualTo("L0 | L1 r51[t13[c..f]] r50[t3[a..c]]");
    assertThatThrownBy(() -> version.apply(turned)).hasMessageContaining("would pass");
  }

  @Test
  void aMoveChecksTheRunItJoins() {
    Version version = flush(flush(Version.EMPTY, 1, 'a', 'c'), 11, 'b', 'd');

    assertThatThrownBy(() -> version.apply(edit().moveSlice(12, 0, 1).build()))
        .hasMessageContaining("overlap");
  }

  @Test
  void whatDoesNotExistIsRefused() {
    Version version = flush(Version.EMPTY, 1, 'a', 'c');

    assertThatThrownBy(() -> version.apply(edit().removeSlice(9).build()))
        .hasMessageContaining("no slice 9");
    assertThatThrownBy(() -> version.apply(edit().removeSlice(2).removeSlice(2).build()))
        .hasMessageContaining("no slice 2");
    assertThatThrownBy(() -> version.apply(edit().addTable(1, 1, 20, meta(21, 'x', 'y')).build()))
        .hasMessageContaining("no run 1 in level 1");
    assertThatThrownBy(() -> version.apply(edit().addTable(0, 1, 2, meta(21, 'x', 'y')).build()))
        .hasMessageContaining("slice 2 exists");
    assertThatThrownBy(() -> version.apply(edit().addTable(0, 1, 20, meta(3, 'x', 'y')).build()))
        .hasMessageContaining("table 3 exists");
    assertThatThrownBy(() -> version.apply(edit().addRun(0, 1, NONE).build()))
        .hasMessageContaining("run 1 exists");
    assertThatThrownBy(() -> version.apply(edit().addRun(64, 60, NONE).build()))
        .hasMessageContaining("level 64");
  }

  @Test
  void runsThatAnEditDoesNotTouchAreShared() {
    Version version = flush(flush(Version.EMPTY, 1, 'a', 'c'), 11, 'b', 'd');

    assertThat(version.apply(edit().trimSlice(12, key('c')).build()).run(1))
        .isSameAs(version.run(1));
  }

  @Test
  void aSegmentOfSeveralSlicesLosesOneAtATime() {
    Segment segment =
        new Segment(
            List.of(
                new Slice(1, meta(5, 'c', 'p'), new KeyWindow(null, key('k'))),
                new Slice(2, meta(6, 'a', 'h'), KeyWindow.ALL)),
            7,
            2);
    Version version = new Version(List.of(new Level(List.of(new Run(9, List.of(segment), NONE)))));

    assertThat(segment.high()).isEqualTo(key('k'));
    assertThat(segment.low()).isEqualTo(segment.slices().get(1).low());
    assertThat(drawn(version.apply(edit().trimSlice(2, key('c')).build())))
        .isEqualTo("L0 r9[t5[c..k]+t6(c..h]]");
    assertThat(drawn(version.apply(edit().removeSlice(1).build()))).isEqualTo("L0 r9[t6[a..h]]");
  }

  @Test
  void aRegroupingCutsSlicesOfSharedTablesIntoSegments() {
    Version version = overlapping();
    Version delayed = version.apply(regroup(1, 50, List.of(12L, 2L), 'd', 'z'));

    assertThat(settled(delayed)).isEqualTo("L0 | L1 r50[t13[b..d]+t3[a..d] t13(d..k]+t3(d..f]]");
    assertThat(delayed.run(50).segments())
        .allSatisfy(
            segment -> {
              assertThat(segment.group()).isEqualTo(60);
              assertThat(segment.parents()).isEqualTo(2);
            });
    assertThat(delayed.tables()).hasSize(2);
    assertThat(
            ManifestState.EMPTY
                .apply(edit().addRun(0, 1, NONE).addTable(0, 1, 2, meta(3, 'a', 'f')).build())
                .apply(regroup(0, 1, List.of(2L), 'c', 'z'))
                .marks()
                .nextNumber())
        .isGreaterThan(60);
  }

  @Test
  void aRegroupingMayNotTurnTheOrderOfSiblings() {
    Version version = overlapping();

    assertThatThrownBy(() -> version.apply(regroup(1, 50, List.of(2L, 12L), 'z')))
        .hasMessageContaining("would pass");
    Version delayed = version.apply(regroup(1, 50, List.of(12L, 2L), 'z'));
    List<Slice> siblings = delayed.run(50).segments().get(0).slices();
    List<Long> turned = List.of(siblings.get(1).id(), siblings.get(0).id());
    assertThatThrownBy(() -> delayed.apply(again(delayed, turned)))
        .hasMessageContaining("would pass");
    delayed.apply(again(delayed, List.of(siblings.get(0).id(), siblings.get(1).id())));
  }

  @Test
  void aRegroupingMayNotPassWhatStays() {
    Version version = flush(overlapping(), 21, 'c', 'd');
    VersionEdit newest = regroup(1, 50, List.of(22L, 2L), 'z');

    assertThatThrownBy(() -> version.apply(newest)).hasMessageContaining("would pass");
  }

  @Test
  void aRegroupingShowsWhatWasShownNoLessAndNoMore() {
    Version version = overlapping();
    EditOp.Piece whole = new EditOp.Piece(70, 3, KeyWindow.ALL);
    EditOp.Piece cut = new EditOp.Piece(71, 3, new KeyWindow(key('b'), null));
    EditOp.Piece again = new EditOp.Piece(72, 3, new KeyWindow(null, key('c')));
    EditOp.Piece foreign = new EditOp.Piece(73, 13, KeyWindow.ALL);

    for (List<EditOp.Piece> wrong : List.of(List.of(cut), List.of(cut, again), List.of(again))) {
      assertThatThrownBy(() -> version.apply(group(List.of(2L), wrong)))
          .as("%s", wrong)
          .hasMessageContaining("shows other keys");
    }
    assertThatThrownBy(
            () -> version.apply(edit().regroup(1, 50, 60, List.of(2L), List.of()).build()))
        .hasMessageContaining("shows other keys");
    assertThatThrownBy(() -> version.apply(group(List.of(2L), List.of(whole, foreign))))
        .hasMessageContaining("not among those");
    assertThatThrownBy(() -> version.apply(group(List.of(2L, 2L), List.of(whole))))
        .hasMessageContaining("no slice 2");
    Version delayed = version.apply(group(List.of(2L), List.of(whole)));
    assertThatThrownBy(() -> delayed.apply(group(List.of(70L), List.of(cut))))
        .hasMessageContaining("group 60 exists");
  }

  @Test
  void whatARegroupingMadeIsTrimmedAndRemovedLikeAnySlice() {
    Version delayed = overlapping().apply(regroup(1, 50, List.of(12L, 2L), 'd', 'z'));
    List<Slice> upper = delayed.run(50).segments().get(1).slices();
    Version trimmed =
        delayed.apply(
            edit().trimSlice(upper.get(0).id(), key('e')).removeSlice(upper.get(1).id()).build());

    assertThat(settled(trimmed)).isEqualTo("L0 | L1 r50[t13[b..d]+t3[a..d] t13(e..k]]");
    assertThat(trimmed.tables()).hasSize(2);
    assertThat(trimmed.run(50).segments().get(1).virtual()).isTrue();
  }

  @Test
  void aSegmentIsCutIntoTwoOfTheSameRunWithoutMovingData() {
    Version version = flush(Version.EMPTY, 1, 'a', 'f');
    Version cut = version.apply(edit().cutSegment(2, key('c'), List.of(20L)).build());

    assertThat(drawn(cut)).isEqualTo("L0 r1[t3[a..c] t3(c..f]]");
    assertThat(cut.run(1).segments()).noneMatch(Segment::virtual);
    assertThat(cut.tables()).hasSize(1);
    Version twice = cut.apply(edit().cutSegment(20, key('d'), List.of(21L)).build());
    assertThat(drawn(twice)).isEqualTo("L0 r1[t3[a..c] t3(c..d] t3(d..f]]");
    assertThat(drawn(twice.apply(edit().removeSlice(20).trimSlice(21, key('e')).build())))
        .isEqualTo("L0 r1[t3[a..c] t3(e..f]]");
    assertThat(
            drawn(
                version.apply(
                    edit()
                        .cutSegment(2, key('c'), List.of(20L))
                        .cutSegment(20, key('d'), List.of(21L))
                        .build())))
        .isEqualTo(drawn(twice));
  }

  @Test
  void allSlicesOfAVirtualSegmentAreCutAtTheSameKey() {
    Version delayed = overlapping().apply(regroup(1, 50, List.of(12L, 2L), 'z'));
    List<Slice> slices = delayed.run(50).segments().get(0).slices();
    long first = slices.get(0).id();

    Version cut = delayed.apply(edit().cutSegment(first, key('d'), List.of(90L, 91L)).build());
    assertThat(settled(cut)).isEqualTo("L0 | L1 r50[t13[b..d]+t3[a..d] t13(d..k]+t3(d..f]]");
    Version edge = delayed.apply(edit().cutSegment(first, key('a'), List.of(90L)).build());
    assertThat(settled(edge)).isEqualTo("L0 | L1 r50[t3[a..a] t13[b..k]+t3(a..f]]");
  }

  @Test
  void aCutMustFitItsSegment() {
    Version version = flush(Version.EMPTY, 1, 'a', 'f');

    for (EditOp wrong :
        List.of(
            new EditOp.CutSegment(2, key('f'), List.of()),
            new EditOp.CutSegment(2, key('z'), List.of(20L)),
            new EditOp.CutSegment(2, key('c'), List.of()),
            new EditOp.CutSegment(2, key('c'), List.of(20L, 21L)),
            new EditOp.CutSegment(2, key('c'), List.of(2L)),
            new EditOp.CutSegment(7, key('c'), List.of(20L)))) {
      assertThatThrownBy(() -> version.apply(edit().add(wrong).build()))
          .as("%s", wrong)
          .hasMessageContaining("illegal edit");
    }
    assertThatThrownBy(
            () ->
                version.apply(
                    edit()
                        .addRun(1, 50, Set.of(1L))
                        .cutSegment(2, key('c'), List.of(20L))
                        .moveSlice(2, 1, 50)
                        .build()))
        .hasMessageContaining("both move slices and cut");
  }

  @Test
  void aSegmentOfSeveralSlicesIsOfAGroup() {
    Slice one = new Slice(1, meta(5, 'a', 'p'), KeyWindow.ALL);
    Slice two = new Slice(2, meta(6, 'a', 'h'), KeyWindow.ALL);

    assertThatThrownBy(() -> new Segment(List.of(one, two), 0, 0)).hasMessageContaining("2 tables");
    assertThatThrownBy(() -> new Segment(List.of(one, two), 9, 1)).hasMessageContaining("2 tables");
    assertThatThrownBy(() -> new Segment(List.of(one), 9, 0)).hasMessageContaining("both");
    assertThatThrownBy(() -> new Segment(Collections.nCopies(Segment.MAX_SLICES + 1, one), 9, 2000))
        .hasMessageContaining("1025");
  }

  /** Table 13 over table 3, in level 0, and an empty run 50 of level 1 that they feed. */
  private static Version overlapping() {
    return flush(flush(Version.EMPTY, 1, 'a', 'f'), 11, 'b', 'k')
        .apply(edit().addRun(1, 50, Set.of(1L, 11L)).build());
  }

  private static VersionEdit group(List<Long> slices, List<EditOp.Piece> pieces) {
    return edit().regroup(1, 50, 60, slices, List.of(pieces)).build();
  }

  /** The slices of {@link #overlapping}, in the order given, cut after the keys named. */
  private static VersionEdit regroup(int level, long run, List<Long> slices, char... cuts) {
    List<List<EditOp.Piece>> segments = new ArrayList<>();
    byte[] low = null;
    long id = 61;
    for (char cut : cuts) {
      List<EditOp.Piece> pieces = new ArrayList<>();
      for (long slice : slices) {
        pieces.add(new EditOp.Piece(id++, slice + 1, new KeyWindow(low, key(cut))));
      }
      segments.add(pieces);
      low = key(cut);
    }
    return edit().regroup(level, run, 60, slices, segments).build();
  }

  /** Every slice of level 1, in the order given, in one segment. */
  private static VersionEdit again(Version version, List<Long> order) {
    List<EditOp.Piece> pieces = new ArrayList<>();
    for (long id : order) {
      version.forEachSlice(
          slice -> {
            if (slice.id() == id) {
              pieces.add(new EditOp.Piece(80 + id, slice.table().number(), slice.window()));
            }
          });
    }
    return edit().regroup(1, 50, 99, order, List.of(pieces)).build();
  }

  static VersionEdit.Builder edit() {
    return VersionEdit.builder();
  }

  private static VersionEdit trim(char low) {
    return edit().trimSlice(2, key(low)).build();
  }

  /** Adds run {@code id} with slice {@code id + 1} of table {@code id + 2} to level 0. */
  static Version flush(Version version, long id, char low, char high) {
    return version.apply(
        edit().addRun(0, id, NONE).addTable(0, id, id + 1, meta(id + 2, low, high)).build());
  }

  static TableMeta meta(long number, char low, char high) {
    FilterSlot filter = new FilterSlot((int) number, 8, 10);
    return new TableMeta(number, 4096, 10, 1, 0, key(low), key(high), 0, 9, filter);
  }

  static byte[] key(char name) {
    return new byte[] {(byte) name};
  }

  /** While no merge is under way. */
  private static String settled(Version version) {
    return drawn(version.withoutEmptyRuns(NONE));
  }

  static String drawn(Version version) {
    StringBuilder text = new StringBuilder();
    for (int level = 0; level < version.levels().size(); level++) {
      text.append(level == 0 ? "" : " | ").append("L").append(level);
      for (Run run : version.levels().get(level).runs()) {
        text.append(" r").append(run.id()).append("[");
        String gap = "";
        for (Segment segment : run.segments()) {
          text.append(gap);
          gap = "";
          for (Slice slice : segment.slices()) {
            text.append(gap).append("t").append(slice.table().number());
            text.append(slice.lowExclusive() ? "(" : "[").append(text(slice.low()));
            text.append("..").append(text(slice.high())).append("]");
            gap = "+";
          }
          gap = " ";
        }
        text.append("]");
        run.sources().stream().sorted().forEach(source -> text.append("<").append(source));
      }
    }
    return text.toString();
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.US_ASCII);
  }
}
