// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.cassandra.EnvironmentException;
import io.coppice.bench.cassandra.JavaHome;
import io.coppice.bench.cassandra.Node;
import io.coppice.bench.cassandra.NodeException;
import io.coppice.bench.cassandra.NodeLibrary;
import io.coppice.bench.cassandra.NodePorts;
import io.coppice.bench.compare.report.CompareOptions;
import io.coppice.bench.compare.report.ComparisonProgress;
import io.coppice.bench.compare.report.ComparisonReport;
import io.coppice.bench.compare.report.Contender;
import io.coppice.bench.compare.report.Environment;
import io.coppice.bench.compare.report.Estimate;
import io.coppice.bench.compare.report.RunResult;
import io.coppice.bench.compare.report.Scale;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.ClientThreads;
import io.coppice.bench.suite.Directories;
import io.coppice.workload.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * A comparison: runs every strategy the requested number of times, one after another and each on a
 * fresh node, and reports. The order rotates with the seed and the repeat, so no strategy always
 * goes first.
 */
final class Comparison {

  private final CompareOptions options;
  private final Path directory;
  private final PrintWriter out;
  private final PrintWriter err;
  private final ScheduledExecutorService watchdog = ClientThreads.timer("coppice-watchdog");
  private volatile Node current;
  private volatile boolean ending;
  private volatile boolean finished;

  /**
   * Creates a comparison whose files go to a directory. The run creates the directory if it is
   * missing.
   */
  Comparison(CompareOptions options, Path directory, PrintWriter out, PrintWriter err) {
    this.options = options;
    this.directory = directory.toAbsolutePath().normalize();
    this.out = out;
    this.err = err;
  }

  /**
   * Runs the whole comparison, prints the report and returns the exit code. A run that fails leaves
   * the others valid. Used once.
   *
   * @throws EnvironmentException if the machine lacks a resource; nothing was started then
   */
  int run() throws EnvironmentException, IOException, InterruptedException {
    JavaHome java = JavaHome.find(options.javaHome());
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new EnvironmentException(
          "cannot create the directory %s (%s); start it where you may write."
              .formatted(directory, e.getClass().getSimpleName()));
    }
    Preflight.of(directory).check(options.scale(), directory);
    try (FileChannel lockFile =
            FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = lockFile.tryLock()) {
      if (lock == null) {
        throw new EnvironmentException("another comparison is running in " + directory);
      }
      List<Path> classPath =
          NodeLibrary.unpack(NodeLibrary.runningJar(), directory.resolve("node-lib"));
      return run(java, classPath);
    }
  }

  private int run(JavaHome java, List<Path> classPath) throws IOException, InterruptedException {
    Environment environment = Environment.now(java, NodeLibrary.cassandra(classPath));
    out.println(environment.header(options));
    out.flush();
    Runtime.getRuntime().addShutdownHook(new Thread(this::abandon, "coppice-interrupted"));
    List<RunResult> results = new ArrayList<>();
    Estimate estimate = Estimate.of(options);
    out.println(" " + estimate.sentence(environment.machine().cores(), environment.freeCores()));
    out.flush();
    try (ComparisonProgress progress = progress(estimate).started()) {
      for (int repeat = 1; repeat <= options.repeats(); repeat++) {
        for (Contender contender : order(repeat)) {
          results.add(run(contender, repeat, java, classPath, progress));
        }
      }
    } finally {
      finished = !ending;
    }
    awaitEndIfEnding();
    return new ComparisonReport(
            options, environment, results, directory, directory.resolveSibling("bench"), out, err)
        .write();
  }

  private List<Contender> order(int repeat) {
    List<Contender> order = new ArrayList<>(options.contenders());
    Collections.rotate(order, Math.floorMod(options.seed() + repeat - 1, order.size()));
    return order;
  }

  private RunResult run(
      Contender contender,
      int repeat,
      JavaHome java,
      List<Path> classPath,
      ComparisonProgress progress)
      throws IOException, InterruptedException {
    Path root = directory.resolve(contender.id() + "-" + repeat);
    Directories.delete(root);
    current = null;
    progress.begin(contender.label());
    TableRun run =
        new TableRun(contender, options, repeat, "rows", UnaryOperator.identity(), progress);
    AtomicBoolean late = new AtomicBoolean();
    Future<?> limit =
        watchdog.schedule(
            () -> {
              late.set(true);
              current.close();
            },
            options.scale().limitMinutes(),
            TimeUnit.MINUTES);
    try {
      Scale.NodeShape shape = options.scale().node();
      Node.start(
          new Node.Settings(java, classPath, root, shape.heapMib(), shape.quickCompiler()),
          node -> current = node);
      NodePorts ports = current.ports();
      progress.say(
          " %s · node 127.0.0.1:%d (jmx %d) · %s"
              .formatted(contender.label(), ports.cql(), ports.jmx(), root));
      run.measure(current);
      if (!options.majorsOnly()) {
        run.phase(ComparisonProgress.Phase.RESTART, current);
        current.restart(node -> current = node);
        run.checkRestarted(current);
      }
    } catch (NodeException e) {
      run.failed(
          late.get()
              ? "broken off after %d minutes; log in %s"
                  .formatted(options.scale().limitMinutes(), root)
              : e.getMessage());
    } finally {
      limit.cancel(false);
      if (current != null) {
        current.close();
      }
    }
    awaitEndIfEnding();
    RunResult result = run.result();
    if (result.failure() != null) {
      progress.say(" " + contender.label() + ": " + result.failure());
    } else if (!options.keep()) {
      Directories.delete(root);
    }
    return result;
  }

  private ComparisonProgress progress(Estimate estimate) {
    boolean bar = BenchmarkCommand.drawn(options.progress());
    int columns = bar ? Terminal.columns() : 0;
    return new ComparisonProgress(err, bar, columns, estimate, System::nanoTime);
  }

  /**
   * Ends the node if the process ends before the run. Removes its files unless the user keeps them.
   */
  private void abandon() {
    ending = true;
    Node node = current;
    if (finished || node == null) {
      return;
    }
    node.close();
    try {
      if (!options.keep()) {
        Directories.delete(node.root());
      }
      err.println();
      err.println(
          "Interrupted: the node was ended" + (options.keep() ? "." : ", its files removed."));
    } catch (IOException e) {
      err.println("Interrupted: the node was ended; its files remain in " + node.root());
    }
    err.flush();
  }

  /**
   * Blocks this thread forever if the process is ending, so that it reports no errors that the end
   * causes.
   */
  private void awaitEndIfEnding() throws InterruptedException {
    if (ending) {
      new CountDownLatch(1).await();
    }
  }
}
