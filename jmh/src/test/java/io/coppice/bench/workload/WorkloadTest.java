// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.bench.workload.Operation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkloadTest {

  private static final LoadShape SHAPE = new LoadShape(20, 400, 64);
  private static final long SEED = Long.getLong("seed", 42);

  private static Workload workload(long seed) {
    return new Workload(seed, SHAPE, partition -> Mix.of(7, partition));
  }

  private static List<Operation> all(Workload workload) {
    List<Operation> operations = new ArrayList<>();
    while (workload.hasNext()) {
      operations.add(workload.next());
    }
    return operations;
  }

  @Test
  void theSameSeedGivesTheSameStatementsAndValues() {
    Workload one = workload(SEED);
    Workload other = workload(SEED);
    while (one.hasNext()) {
      Operation operation = one.next();
      assertThat(other.next()).isEqualTo(operation);
      assertThat(other.value(operation)).isEqualTo(one.value(operation));
    }
    assertThat(other.hasNext()).isFalse();
  }

  @Test
  void anotherSeedGivesOtherStatements() {
    assertThat(all(workload(SEED))).isNotEqualTo(all(workload(SEED + 1)));
  }

  private static double share(List<Kind> kinds, Kind... wanted) {
    return (double) kinds.stream().filter(List.of(wanted)::contains).count() / kinds.size();
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 70, 150})
  void atLeastHalfAreOverwritesAndOneInTwentyDeletesAndTimesToLive(int flushes) {
    Workload workload =
        new Workload(SEED, new LoadShape(flushes, 1_500, 64), partition -> Mix.of(7, partition));
    List<Kind> kinds = all(workload).stream().map(Operation::kind).toList();
    assertThat(share(kinds, Kind.OVERWRITE)).as("seed %d", SEED).isGreaterThanOrEqualTo(0.5);
    assertThat(share(kinds, Kind.DELETE_ROW, Kind.DELETE_PARTITION)).isGreaterThanOrEqualTo(0.05);
    assertThat(share(kinds, Kind.TTL_SHORT, Kind.TTL_LONG)).isGreaterThanOrEqualTo(0.05);
    assertThat(kinds).contains(Kind.values());
  }

  @Test
  void theModelAgreesWithReplayingEveryStatement() {
    Workload workload = workload(SEED);
    Map<List<Long>, byte[]> live = new HashMap<>();
    Map<List<Long>, RowState> states = new HashMap<>();
    while (workload.hasNext()) {
      Operation operation = workload.next();
      for (long c = 0; c < LoadShape.ROWS_PER_PARTITION; c++) {
        List<Long> place = List.of(operation.partition(), c);
        boolean whole = operation.kind() == Kind.DELETE_PARTITION;
        if (!whole && c != operation.clustering()) {
          continue;
        }
        live.remove(place);
        switch (operation.kind()) {
          case INSERT, OVERWRITE, TTL_LONG -> {
            live.put(place, workload.value(operation));
            states.put(place, RowState.LIVE);
          }
          case TTL_SHORT -> states.put(place, RowState.EXPIRED);
          case DELETE_ROW, DELETE_PARTITION ->
              states.computeIfPresent(place, (p, s) -> RowState.DELETED);
        }
      }
    }
    Expectation model = workload.expectation();
    long bytes = 0;
    for (long partition = 0; partition <= workload.partitions(); partition++) {
      for (int c = 0; c < LoadShape.ROWS_PER_PARTITION; c++) {
        List<Long> place = List.of(partition, (long) c);
        assertThat(model.state(partition, c))
            .as("seed %d, row %s", SEED, place)
            .isEqualTo(states.getOrDefault(place, RowState.NEVER_WRITTEN));
        assertThat(model.value(partition, c)).isEqualTo(live.get(place));
        bytes += live.containsKey(place) ? live.get(place).length + 12 : 0;
      }
    }
    assertThat(workload.liveRows()).isEqualTo(live.size());
    assertThat(workload.liveBytes()).isEqualTo(bytes);
  }

  @Test
  void overwritesMeetLiveRowsOnly() {
    Workload workload = workload(SEED);
    Workload behind = workload(SEED);
    while (workload.hasNext()) {
      Operation operation = workload.next();
      if (operation.kind() == Kind.OVERWRITE) {
        assertThat(behind.expectation().state(operation.partition(), operation.clustering()))
            .as("seed %d, %s", SEED, operation)
            .isEqualTo(RowState.LIVE);
      }
      behind.next();
    }
  }

  @Test
  void newRowsComeInTokenOrderFirst() {
    List<Operation> operations = all(workload(SEED));
    long previous = Long.MIN_VALUE;
    for (Operation operation : operations.subList(0, (int) SHAPE.bulkOperations())) {
      assertThat(operation.kind()).isEqualTo(Kind.INSERT);
      long token = Mix.of(7, operation.partition());
      assertThat(token).isGreaterThanOrEqualTo(previous);
      previous = token;
    }
  }

  @Test
  void timestampsGrowWithTheStatements() {
    List<Operation> operations = all(workload(SEED));
    for (int i = 1; i < operations.size(); i++) {
      assertThat(operations.get(i).timestampMicros())
          .isEqualTo(operations.get(i - 1).timestampMicros() + 1);
    }
  }

  @Test
  void placesOutsideWereNeverWritten() {
    Workload workload = workload(SEED);
    all(workload);
    Expectation model = workload.expectation();
    assertThat(model.state(0, LoadShape.ROWS_PER_PARTITION)).isEqualTo(RowState.NEVER_WRITTEN);
    assertThat(model.state(Workload.NEVER_WRITTEN, 0)).isEqualTo(RowState.NEVER_WRITTEN);
    assertThat(model.value(-1, 0)).isNull();
  }

  @Test
  void aShapeThatIsTooSmallIsRefused() {
    assertThatThrownBy(() -> new LoadShape(1, 400, 64)).hasMessageContaining("flushes (1)");
    assertThatThrownBy(() -> new LoadShape(20, 401, 64)).hasMessageContaining("401");
  }
}
