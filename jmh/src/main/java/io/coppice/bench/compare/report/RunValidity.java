// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import io.coppice.bench.workload.LoadShape;
import io.coppice.bench.workload.RowState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Verdict whether one run's figures can be trusted. Pure: equal results give equal verdicts.
 *
 * @param problems reasons against it; none means a valid run
 */
public record RunValidity(List<Problem> problems) {

  /**
   * Largest relative difference between the bytes by the tracker and by Cassandra's counters in a
   * valid run.
   */
  private static final double TOLERANCE = 0.05;

  /** Largest share of flushed bytes in a valid run that has another source than the load. */
  private static final double UNANNOUNCED = 0.01;

  /**
   * Number of runs that overlap a token at the end, divided by the number of flushes, above which
   * no compaction can have run.
   */
  private static final double UNCOMPACTED = 0.5;

  /** Severity of a problem; the worst one decides the exit code. */
  public enum Kind {
    TOO_SMALL,
    INVALID,
    INCOMPLETE,
    WRONG
  }

  /** One reason not to trust a run. */
  public record Problem(Kind kind, String sentence) {}

  public RunValidity {
    problems = List.copyOf(problems);
  }

  boolean isValid() {
    return problems.isEmpty();
  }

  boolean has(Kind kind) {
    return problems.stream().anyMatch(problem -> problem.kind() == kind);
  }

  public static RunValidity on(RunResult run) {
    Judge judge = new Judge(new ArrayList<>());
    judge.completeness(run);
    if (run.load() != null) {
      judge.flushes(run.load().work());
      judge.bytes(run.load().bytes());
      judge.work(run.load().work(), run.load().structure());
      judge.proof(run.contender().proof(), run.load());
    }
    judge.rows(run);
    return new RunValidity(judge.problems);
  }

  private record Judge(List<Problem> problems) {

    void completeness(RunResult run) {
      if (run.failure() != null) {
        add(Kind.INCOMPLETE, run.failure());
      } else if (!run.isWhole()) {
        add(Kind.INCOMPLETE, "a part of the run is missing");
      } else if (run.checks().size() < run.checksDue()) {
        add(
            Kind.INCOMPLETE,
            "only %d of %d checks ran".formatted(run.checks().size(), run.checksDue()));
      }
      if (!run.strategyClass().equals(run.contender().className())) {
        add(
            Kind.INVALID,
            "the node ran %s, not %s".formatted(run.strategyClass(), run.contender().className()));
      }
    }

    void flushes(Figures.Work work) {
      if (work.flushes() != work.flushesAsked()) {
        add(
            Kind.INVALID,
            "%d flushes were asked for and %d happened"
                .formatted(work.flushesAsked(), work.flushes()));
      }
      if (work.flushes() < LoadShape.FLUSHES_TO_JUDGE) {
        add(
            Kind.TOO_SMALL,
            "too small to judge: %d flushes, at least %d are needed"
                .formatted(work.flushes(), LoadShape.FLUSHES_TO_JUDGE));
      }
    }

    void bytes(Figures.Bytes bytes) {
      agree("flushed", bytes.flushed(), bytes.counterFlushed());
      agree("compacted", bytes.rewritten(), bytes.counterRewritten());
      if (bytes.unannounced() > UNANNOUNCED * bytes.flushed()) {
        add(
            Kind.INVALID,
            "%d bytes of SSTables lay on disk that the tracker never announced"
                .formatted(bytes.unannounced()));
      }
    }

    private void agree(String what, long sizes, long counter) {
      if (Math.abs(sizes - counter) > TOLERANCE * Math.max(sizes, counter)) {
        add(
            Kind.INVALID,
            "bytes %s: SSTables say %d, Cassandra's counter says %d; they must agree within 5 %%"
                .formatted(what, sizes, counter));
      }
    }

    void work(Figures.Work work, Figures.Structure structure) {
      if (work.rewrites() == 0) {
        add(Kind.INVALID, "it never compacted: not one SSTable was rewritten");
      }
      if (structure.meanOverlap() > UNCOMPACTED * work.flushes()) {
        add(
            Kind.INVALID,
            "it hardly compacted: %.1f runs lie over a token after %d flushes"
                .formatted(structure.meanOverlap(), work.flushes()));
      }
    }

    void proof(Contender.Proof proof, Figures.Load load) {
      if (proof == Contender.Proof.MOVES && load.work().moves() == 0) {
        add(Kind.INVALID, "it never moved an SSTable without rewriting it");
      }
      if (proof == Contender.Proof.DELAYS
          && (load.decisions() == null || load.decisions().delays() == 0)) {
        add(Kind.INVALID, "it never put off a merge");
      }
    }

    void rows(RunResult run) {
      for (Figures.Check check : run.checks()) {
        if (check.wrong() > 0) {
          add(
              Kind.WRONG,
              "%d of %d rows are wrong %s: %s"
                  .formatted(
                      check.wrong(),
                      check.total(),
                      check.when(),
                      String.join("; ", check.examples())));
        }
        if (check.total() < Scale.ROWS_TO_VERIFY) {
          add(
              Kind.INCOMPLETE,
              "only %d rows were read back %s, at least %d are needed"
                  .formatted(check.total(), check.when(), Scale.ROWS_TO_VERIFY));
        }
        everyState(check);
      }
    }

    private void everyState(Figures.Check check) {
      Map<RowState, Long> rows = check.rows();
      for (RowState state : RowState.values()) {
        if (rows.getOrDefault(state, 0L) == 0) {
          add(
              Kind.INCOMPLETE,
              "no %s row was read back %s"
                  .formatted(state.name().toLowerCase().replace('_', ' '), check.when()));
        }
      }
    }

    private void add(Kind kind, String sentence) {
      problems.add(new Problem(kind, sentence));
    }
  }
}
