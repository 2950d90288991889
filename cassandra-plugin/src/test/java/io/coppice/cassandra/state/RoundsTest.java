// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.sstable.CqlOptions;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.cassandra.sstable.ShapeBuilder;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.step.PlanSearch;
import io.coppice.policy.step.Rounds;
import io.coppice.policy.step.StepPicker;
import io.coppice.policy.step.TransientSpaceLimit;
import io.coppice.policy.step.UsableFreeSpace;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Merges of simulated tables, planned by the real policies, where space is short. */
final class RoundsTest {

  private static final long SEED = Seeds.first();
  private static final long KEYS = 1L << 40;
  private static final int MAX_PLANS = 2_000;
  private static final int MAX_FLUSHED = 320 << 10;

  /** An SSTable whose bytes lie evenly over its keys. */
  private record Table(long id, int level, Long first, Long last, long bytes, long cursor)
      implements StepPicker.StepInput<Long> {

    @Override
    public long bytesUpTo(Long key) {
      return Math.round((double) bytes * (key - first + 1) / (last - first + 1));
    }

    @Override
    public long doneBytes() {
      return cursor < first ? 0 : bytesUpTo(cursor);
    }

    SSTableOutline<Long> outline() {
      return new SSTableOutline<>(id, first, last, level, bytes, bytes / 100, 0, false, 0);
    }
  }

  /** A table whose space is bounded by a number of bytes, or by a share of what is live. */
  private static final class Simulated implements TransientSpaceLimit {

    private final Map<Long, Table> tables = new HashMap<>();
    private final PolicySpec spec;
    private final Policy policy;
    private final String seeded;
    private final Random random;
    private final double share;
    private long fixed;

    /** Bytes of the disk. */
    private long capacity = Long.MAX_VALUE;

    private final double kept;
    private long ids;

    Simulated(PolicySpec spec, double share, long fixed, Random random, String seeded) {
      this.spec = spec;
      this.policy = spec.policy();
      this.share = share;
      this.fixed = fixed;
      this.random = random;
      this.kept = random.nextBoolean() ? 1 : 0.5 + random.nextDouble() / 2;
      this.seeded = seeded + ", kept " + kept;
    }

    private long live() {
      return tables.values().stream().mapToLong(Table::bytes).sum();
    }

    @Override
    public long bytes(long widestBytes) {
      return fixed > 0
          ? fixed
          : Math.max(
              (long) (share * live()), UsableFreeSpace.floor(widestBytes, spec.tableBytes()));
    }

    @Override
    public boolean isFixed() {
      return fixed > 0;
    }

    /** Sets the free bytes of the disk. */
    void leaveFree(long bytes) {
      capacity = live() + bytes;
    }

    private long room() {
      return capacity - live();
    }

    void flush(long bytes) {
      long first = (long) (random.nextDouble() * KEYS / 8);
      int shards = random.nextInt(4) > 0 ? 1 : 4;
      for (int shard = 0; shard < shards; shard++) {
        long last = first + KEYS / 2 / shards;
        put(0, first, last, bytes / shards);
        first = last + 1;
      }
    }

    private void put(int level, long first, long last, long bytes) {
      tables.put(++ids, new Table(ids, level, first, last, Math.max(1, bytes), first - 1));
    }

    private Shape shape() {
      return ShapeBuilder.draw(tables.values().stream().map(Table::outline).toList(), List.of());
    }

    int depth() {
      return runs(tables.values());
    }

    private static int runs(Collection<Table> tables) {
      return ShapeBuilder.colour(tables.stream().map(Table::outline).toList()).size();
    }

    /**
     * Else nothing could ever be merged again; but for flushes that are larger than half of a
     * bound.
     */
    void assertThatTwoRunsFit() {
      long limit = bytes(MAX_FLUSHED);
      List<Table> some =
          tables.values().stream().filter(table -> table.bytes() <= limit / 2).toList();
      if (runs(some) > 1 && fixed > 3 * MAX_FLUSHED) {
        assertThat(Rounds.take(some, UsableFreeSpace.of(limit), spec.tableBytes(), false))
            .as(seeded)
            .isPresent();
      }
    }

    PlanSearch.Found search(long heldBytes) {
      return new PlanSearch<>(
              new PlanSearch.Tables<Table>(
                  tables::get, Table::level, inputs -> false, inputs -> room()),
              this,
              heldBytes,
              StepPicker.stepBytes(spec.tableBytes(), (int) spec.value("cleaning_threshold")),
              spec.tableBytes())
          .search(policy, shape(), Long.MAX_VALUE);
    }

    /** Compacts until nothing is planned, or the disk has no room for what is planned. */
    void settle() {
      for (int plans = 0; ; plans++) {
        assertThat(plans).as("plans, " + seeded).isLessThan(MAX_PLANS);
        Optional<Plan> plan = search(0).plan();
        if (plan.isEmpty()) {
          return;
        }
        int before = tables.size();
        int level = ((Plan.Placing) plan.get()).target().level();
        if (plan.get() instanceof Plan.Merge merge) {
          if (!merge(merge.slices().stream().map(tables::get).toList(), level)) {
            return;
          }
        } else {
          plan.get().slices().forEach(id -> move(tables.get(id), level));
        }
        assertThat((long) tables.size())
            .as(plan.get() + ", " + seeded)
            .isLessThanOrEqualTo(most(before));
      }
    }

    /**
     * A fixed bound may cut SSTables of more than half of it. On a nearly full disk such a merge
     * takes smaller steps, which may leave two more.
     */
    private long most(int before) {
      int more = capacity == Long.MAX_VALUE ? 0 : 2;
      return fixed == 0 ? before : Math.max(before + more, 6 * live() / fixed + 4);
    }

    private void move(Table table, int level) {
      tables.put(
          table.id, new Table(table.id, level, table.first, table.last, table.bytes, table.cursor));
    }

    /** Returns false if the disk has no room for any of it. */
    private boolean merge(List<Table> inputs, int level) {
      long widest = inputs.stream().mapToLong(Table::bytes).max().orElseThrow();
      long limit = UsableFreeSpace.of(Math.min(bytes(widest), room()));
      Optional<List<Table>> round = Rounds.take(inputs, limit, spec.tableBytes(), false);
      if (round.isEmpty()) {
        assertThat(room()).as("no round, " + seeded).isLessThan(bytes(widest));
        return false;
      }
      List<Table> left = round.get();
      left.forEach(input -> tables.remove(input.id));
      while (!left.isEmpty()) {
        StepPicker<Long> choice = new StepPicker<>(left);
        long target =
            StepPicker.stepBytes(spec.tableBytes(), (int) spec.value("cleaning_threshold"));
        StepPicker.Step<Long> step =
            choice
                .next(target, spec.tableBytes(), limit)
                .orElseThrow(() -> new AssertionError("no step, " + seeded));
        assertThat(step.peakBytes()).as(seeded).isLessThanOrEqualTo(limit);
        long cut = ((StepPicker.Cut<Long>) step).at();
        long consumed = left.stream().filter(input -> input.last <= cut).count();
        long size = UsableFreeSpace.outputs(step.stepBytes(), consumed, this, spec.tableBytes());
        write(left, cut, (long) (step.stepBytes() * kept), size, level);
        List<Table> later = new ArrayList<>();
        for (Table input : left) {
          if (input.last > cut) {
            long cursor = Math.max(input.cursor, input.first > cut ? input.cursor : cut);
            later.add(
                new Table(input.id, input.level, input.first, input.last, input.bytes, cursor));
          }
        }
        left = later;
      }
      return true;
    }

    private void write(List<Table> inputs, long cut, long bytes, long size, int level) {
      long first =
          inputs.stream()
              .mapToLong(input -> Math.max(input.first, input.cursor + 1))
              .min()
              .orElseThrow();
      long outputs = Math.max(1, (bytes + size - 1) / size);
      long span = cut - first + 1;
      for (long output = 0; output < outputs; output++) {
        put(
            level,
            first + span * output / outputs,
            first + span * (output + 1) / outputs - 1,
            bytes / outputs);
      }
    }
  }

  private static Simulated any(Random random, String seeded, boolean share) {
    List<String> names =
        PolicySpec.policyNames().stream().filter(name -> !name.equals("adaptive")).toList();
    PolicySpec spec =
        CqlOptions.spec(names.get(random.nextInt(names.size())), Map.of("table_size", "160MiB"));
    long fixed = share ? 0 : (512 << 10) + random.nextInt(8 << 20);
    double part = 0.01 + random.nextDouble() / 10;
    return new Simulated(
        spec, part, fixed, random, seeded + ", " + spec + (share ? ", " + part : ", " + fixed));
  }

  @Test
  void mergingEndsAndSstablesNeverGrowInNumberWithoutAFlush() {
    Random random = new Random(SEED);
    for (int round = 0; round < 60; round++) {
      Simulated table = any(random, "seed " + SEED + ", round " + round, random.nextBoolean());
      if (random.nextInt(4) == 0) {
        table.flush(10 << 20);
      }
      for (int flush = 0; flush < 60; flush++) {
        table.flush((20 << 10) + random.nextInt(MAX_FLUSHED - (20 << 10)));
        if (random.nextInt(5) > 0) {
          table.settle();
        }
      }
      table.settle();
      table.assertThatTwoRunsFit();
    }
  }

  /** The same on a disk that is nearly full, whose free space a merge may use up for a while. */
  @Test
  void onANearlyFullDiskSstablesNeverGrowInNumberEither() {
    Random random = new Random(SEED);
    for (int round = 0; round < 60; round++) {
      Simulated table = any(random, "disk, seed " + SEED + ", round " + round, round % 2 == 0);
      for (int flush = 0; flush < 60; flush++) {
        table.flush((20 << 10) + random.nextInt(MAX_FLUSHED - (20 << 10)));
        if (random.nextInt(3) > 0) {
          table.leaveFree(random.nextInt(4 * MAX_FLUSHED));
          table.settle();
        }
      }
      table.capacity = Long.MAX_VALUE;
      table.settle();
    }
  }

  /** Ten runs that fit the limit together are not merged in pairs while another merge runs. */
  @Test
  void aPlanWaitsForTheSpaceThatRunningMergesHold() {
    Random random = new Random(SEED);
    int waits = 0;
    for (int round = 0; round < 200; round++) {
      Simulated table = any(random, "seed " + SEED + ", round " + round, random.nextBoolean());
      int flushes = 2 + random.nextInt(12);
      for (int flush = 0; flush < flushes; flush++) {
        table.flush((20 << 10) + random.nextInt(MAX_FLUSHED - (20 << 10)));
      }
      Optional<Plan> alone = table.search(0).plan();
      for (int part = 1; part < 8; part++) {
        long held = table.bytes(MAX_FLUSHED) * part / 8;
        Optional<Plan> plan = table.search(held).plan();
        String as = alone + " became " + plan + ", " + held + " held, " + table.seeded;
        waits += alone.isPresent() && plan.isEmpty() ? 1 : 0;
        if (plan.isPresent() && plan.get() instanceof Plan.Merge merge) {
          Set<Long> most = new HashSet<>(alone.orElseThrow().slices());
          List<Long> slices = merge.slices();
          assertThat(slices.size() < most.size() && most.containsAll(slices)).as(as).isFalse();
        }
      }
    }
    assertThat(waits).as("seed " + SEED).isPositive();
  }

  /** A limit of the bytes that the warning names lets a plan begin, and the limit is smaller. */
  @Test
  void theNumbersOfAShortageAgree() {
    Random random = new Random(SEED);
    int shortages = 0;
    for (int round = 0; round < 200; round++) {
      Simulated table = any(random, "seed " + SEED + ", round " + round, false);
      table.fixed = (64 << 10) + random.nextInt(1 << 20);
      for (int flush = 0; flush < 12; flush++) {
        table.flush((1 << 20) + random.nextInt(4 << 20));
      }
      PlanSearch.Found found = table.search(random.nextInt(1 << 20));
      if (found.shortage().isPresent()) {
        shortages++;
        PlanSearch.Shortage shortage = found.shortage().get();
        assertThat(found.plan()).as(table.seeded).isEmpty();
        assertThat(shortage.limitBytes()).as(table.seeded).isEqualTo(table.fixed);
        assertThat(shortage.neededBytes()).as(table.seeded).isGreaterThan(table.fixed);
        table.fixed = shortage.neededBytes();
        assertThat(table.search(0).plan()).as(table.seeded).isPresent();
      }
    }
    assertThat(shortages).as("seed " + SEED).isPositive();
  }

  @Test
  void aShareOfALittleDataDoesNotKeepRunsFromBeingMerged() {
    Random random = new Random(SEED);
    for (int round = 0; round < 20; round++) {
      Simulated table = any(random, "seed " + SEED + ", round " + round, true);
      for (int flush = 0; flush < 60; flush++) {
        table.flush(100 << 10);
        table.settle();
      }
      assertThat(table.depth()).as(table.seeded).isLessThan(16);
    }
  }
}
