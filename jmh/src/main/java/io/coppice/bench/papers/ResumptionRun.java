// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.Directories;
import io.coppice.bench.ExitCode;
import io.coppice.bench.engine.Room;
import io.coppice.bench.engine.Trials;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.ProgressLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Kills processes at random points of a merge of four runs, opens what they left, and counts the
 * tables that are written again; then pauses such a merge. Each process gets a copy of one load.
 */
final class ResumptionRun {

  private static final List<String> FLAGS = List.of("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC");

  private static final double SECONDS_OF_PROCESS = 1.5;

  /** The load and the copy that is worked on. */
  private static final int COPIES = 2;

  private final PaperScale scale;
  private final long seed;
  private final Path data;
  private final ProgressLine progress;

  ResumptionRun(PaperScale scale, long seed, Path data, ProgressLine progress) {
    this.scale = scale;
    this.seed = seed;
    this.data = data;
    this.progress = progress;
  }

  /** What the machine lacks for it, as a sentence. */
  static Optional<String> lacking(Path target) throws IOException {
    return Room.lacking(COPIES * Room.peakBytes(ResumeProcess.mostBytes()), 0, target);
  }

  /** How long it will take on a machine of nominal speed. */
  static double seconds(PaperScale scale) {
    return SECONDS_OF_PROCESS * processes(scale);
  }

  /** One loads, of each kill one is killed and one goes on, and one is paused. */
  private static int processes(PaperScale scale) {
    return 2 + 2 * scale.kills();
  }

  Resumption run() throws IOException, InterruptedException, Trials.EndedException {
    Path base = data.resolve("base");
    Files.createDirectories(base);
    progress.begin("merges that are killed", processes(scale));
    child(ResumeProcess.Step.LOAD, base, 0);
    Random random = new Random(seed);
    double most = 0;
    for (int kill = 0; kill < scale.kills(); kill++) {
      progress.at("kill " + (kill + 1), 0.0);
      Path copy = copy(base);
      kill(copy, random.nextDouble());
      most = Math.max(most, Double.parseDouble(child(ResumeProcess.Step.RESUME, copy, 0)));
    }
    String[] paused = child(ResumeProcess.Step.PAUSE, copy(base), 0).split(" ");
    Directories.delete(data);
    progress.finished();
    return new Resumption(
        scale.kills(),
        most,
        ResumeProcess.CLEANING + 1.0,
        Double.parseDouble(paused[0]),
        Double.parseDouble(paused[1]),
        Double.parseDouble(paused[2]));
  }

  /** The process kills itself, so that the point is a share of the merge and not of a start. */
  void kill(Path store, double share)
      throws IOException, InterruptedException, Trials.EndedException {
    Files.deleteIfExists(store.resolveSibling(ResumeProcess.MADE));
    child(ResumeProcess.Step.KILL, store, share);
  }

  private Path copy(Path base) throws IOException {
    Path copy = data.resolve("copy");
    Directories.delete(copy);
    Files.createDirectories(copy);
    try (Stream<Path> files = Files.list(base)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  private String child(ResumeProcess.Step step, Path directory, double share)
      throws IOException, InterruptedException, Trials.EndedException {
    List<String> told = new ArrayList<>();
    ChildJava.Ended ended =
        new ChildJava(
                data,
                FLAGS,
                ResumeProcess.class,
                List.of(
                    step.name(),
                    directory.toString(),
                    Integer.toString(scale.entries()),
                    Long.toString(seed),
                    Double.toString(share)))
            .run(told::add);
    int wanted = step == ResumeProcess.Step.KILL ? ResumeProcess.KILLED : ExitCode.DONE;
    if (ended.code() != wanted) {
      throw new Trials.EndedException(
          step + " ended with code " + ended.code() + ":\n" + ended.errors(),
          ended.errors().contains("WrongAnswer"));
    }
    progress.partDone();
    return told.isEmpty() ? "" : told.get(told.size() - 1);
  }
}
