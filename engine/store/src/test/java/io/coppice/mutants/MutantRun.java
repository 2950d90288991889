// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import io.coppice.crash.CrashCoverage;
import io.coppice.crash.CrashExplorer;
import io.coppice.crash.CrashLoad;
import io.coppice.crash.CrashViolation;
import io.coppice.io.Disk;
import io.coppice.io.DiskOp;
import io.coppice.io.ShuffledDisk;
import io.coppice.io.SpoiltDisk;
import io.coppice.io.SpoiltDisk.Manner;
import io.coppice.io.disk.CallSite;
import java.util.Random;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Runs loads on an engine that may be spoilt and explores what a loss of power leaves, until
 * something is wrong. The argument tells what to do: loads, separated by commas; then, after a
 * blank each, the operations of the disk to spoil, as manner, kind, the end of the file's name and
 * the place of the call, each of these {@code *} for any; or {@link #SHUFFLED}.
 *
 * <p>The answer is empty if nothing was wrong, else the {@link CrashViolation.Kind} and what it is.
 */
final class MutantRun implements Function<String, String> {

  /** Stands for a store that fails calls instead of answering wrongly. */
  static final String STOPPED = "STOPPED";

  /** Stands for a disk that is sound, but brings blocks in any order. */
  static final String SHUFFLED = "SHUFFLED";

  @Override
  public String apply(String task) {
    Logger.getLogger("io.coppice").setLevel(Level.OFF);
    String[] words = task.split(" ");
    for (String name : words[0].split(",")) {
      CrashLoad load = CrashLoad.valueOf(name);
      try {
        UnaryOperator<Disk> between = disk -> spoil(disk, words);
        CrashLoad.Trace trace = load.record(new Random(11), between);
        new CrashExplorer(
                trace, between, new CrashCoverage(), new Random(5), 4, words.length > 1 ? 1 : 0)
            .run();
      } catch (CrashViolation e) {
        return e.getMessage();
      } catch (Exception | LinkageError | StackOverflowError e) {
        return STOPPED + ": " + load + ": " + e;
      }
    }
    return "";
  }

  private static Disk spoil(Disk disk, String[] words) {
    if (words.length == 1) {
      return disk;
    }
    if (words[1].equals(SHUFFLED)) {
      return new ShuffledDisk(disk, 11, 100);
    }
    Manner manner = Manner.valueOf(words[1]);
    return new SpoiltDisk(disk, manner, (kind, name, site) -> matches(kind, name, site, words));
  }

  private static boolean matches(DiskOp.Kind kind, String name, CallSite site, String[] words) {
    return (words[2].equals("*") || words[2].equals(kind.name()))
        && (words[3].equals("*") || name.endsWith(words[3]))
        && (words[4].equals("*") || (site.type() + ":" + site.line()).startsWith(words[4]));
  }
}
