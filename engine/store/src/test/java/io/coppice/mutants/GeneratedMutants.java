// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import io.coppice.crash.CrashViolation;
import io.coppice.io.Disk;
import io.coppice.io.DiskOp;
import io.coppice.io.SpoiltDisk;
import io.coppice.io.disk.CallSite;
import io.coppice.manifest.FieldSpoiler;
import io.coppice.mutants.MutantScenario.Effort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Defects of the protocol that nobody thought of one by one: each call of the disk in the engine
 * that changes something, for each kind of file, left out or exchanged with its successor; and each
 * field of the manifest, as it was the time before, one too high, or one too low. The calls are
 * those that sound scenarios make, the fields those of {@link CodecFields}.
 *
 * <p>Runs by itself in an engine without assertions whose codecs call {@link FieldSpoiler}. A
 * defect is tried by its {@link KnownKillers known killer}. If that does not catch it, the
 * scenarios that meet it try it, the cheapest first but those that have just caught others before
 * these: by each a little, then, if it was not caught, by each a lot. One that should do no harm is
 * tried a little by a few; under {@code -Plong} as much as the others, and more.
 *
 * <p>{@code -Dmutants=regex} tries some only.
 */
final class GeneratedMutants implements Function<String, String> {

  /** What became of a defect. */
  enum Verdict {
    /** An answer was wrong. */
    CAUGHT,
    /** No answer was wrong, but a call failed, or nothing went on. */
    STOPPED,
    /** Nothing was wrong. */
    MISSED,
    /** It was none: what comes next had to wait for the call, or the field is always the same. */
    NONE,
    /** No scenario makes the call, or writes the field. */
    UNMET
  }

  /** For a defect that does no harm a few scenarios are enough in a build. */
  private static final int HARMLESS_SCENARIOS = 3;

  /** One that has made no difference in so many does not. */
  private static final int IDLE_SCENARIOS = 8;

  private static final boolean LONG = Boolean.getBoolean("coppice.long");

  private static final String ONLY = System.getProperty("mutants", ".*");

  /** Calls of the disk at one line for one kind of file. */
  private record Call(CallSite site, DiskOp.Kind kind, String ending) implements Comparable<Call> {
    @Override
    public int compareTo(Call other) {
      return Comparator.comparing(Call::site)
          .thenComparing(Call::kind)
          .thenComparing(Call::ending)
          .compare(this, other);
    }

    boolean is(DiskOp.Kind otherKind, String name, CallSite other) {
      return kind == otherKind
          && site.line() == other.line()
          && site.type().equals(other.type())
          && ending.equals(endingOf(name));
    }

    @Override
    public String toString() {
      String file = ending.isEmpty() ? "" : " " + ending;
      return site.type() + "." + site.method() + " " + kind + file;
    }
  }

  private record Mutant(
      String name, boolean written, Set<MutantScenario> met, MutantScenario.Defect defect) {}

  /** By what they caught last, then by cost. */
  private final List<MutantScenario> scenarios = new ArrayList<>();

  private final Map<Call, Set<MutantScenario>> calls = new TreeMap<>();

  private KnownKillers known;

  /** What catches each defect now. */
  private final KnownKillers found = new KnownKillers();

  private int searched;

  /** By the manner in which they can be spoilt, the fields and the scenarios that write them. */
  private final Map<FieldSpoiler.Manner, Map<Integer, Set<MutantScenario>>> fields =
      new EnumMap<>(FieldSpoiler.Manner.class);

  private final Set<Integer> writtenFields = new HashSet<>();

  /**
   * Runs them.
   *
   * @param task the names of all fields; then, behind an empty line, regular expressions for the
   *     names of defects that should do no harm, or seldom
   * @return a line for each defect: its name, the {@link Verdict} and more, separated by tabs; and
   *     before these one for each call site that was met, {@code site} and its place
   */
  @Override
  public String apply(String task) {
    Logger.getLogger("io.coppice").setLevel(Level.OFF);
    String[] parts = task.split("\n\n");
    StringBuilder lines = new StringBuilder();
    try {
      known = KnownKillers.committed();
      meet();
      Set<String> sites = new TreeSet<>();
      calls.keySet().forEach(call -> sites.add(call.site.type() + ":" + call.site.line()));
      sites.forEach(site -> lines.append("site\t").append(site).append('\n'));
      String harmless = parts[1].replace("\n", "|");
      for (Mutant mutant : mutants(List.of(parts[0].split("\n")))) {
        if (mutant.name.matches(ONLY)) {
          String verdict = run(mutant, mutant.name.matches(harmless));
          lines.append(mutant.name).append('\t').append(verdict).append('\n');
        }
      }
      found.write();
      if (searched > 0) {
        System.out.printf(
            "%d generated mutants had no known killer: commit engine/store/%s as engine/store/%s%n",
            searched, KnownKillers.FOUND, KnownKillers.COMMITTED);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return lines.toString();
  }

  /** Runs all scenarios on a sound engine and notes what they meet. */
  private void meet() throws IOException {
    scenarios.addAll(MutantScenario.all());
    for (MutantScenario scenario : scenarios) {
      FieldSpoiler.choose(-1, null, () -> {});
      SpoiltDisk.Choice noting =
          (kind, name, site) -> {
            Call call = new Call(site, kind, endingOf(name));
            calls.computeIfAbsent(call, x -> new LinkedHashSet<>()).add(scenario);
            return false;
          };
      scenario.run(
          effect -> disk -> new SpoiltDisk(disk, SpoiltDisk.Manner.DROPPED, noting), Effort.SKETCH);
      writtenFields.addAll(FieldSpoiler.written());
      for (FieldSpoiler.Manner manner : FieldSpoiler.Manner.values()) {
        for (int field : FieldSpoiler.changeable(manner)) {
          fields
              .computeIfAbsent(manner, x -> new HashMap<>())
              .computeIfAbsent(field, x -> new LinkedHashSet<>())
              .add(scenario);
        }
      }
    }
  }

  /** A file's name without its number. */
  private static String endingOf(String name) {
    return name.replaceAll("^[0-9]+", "");
  }

  private List<Mutant> mutants(List<String> fieldNames) {
    List<Mutant> all = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    calls.forEach(
        (call, met) -> {
          int count = seen.merge(call.toString(), 1, Integer::sum);
          for (SpoiltDisk.Manner manner : SpoiltDisk.Manner.values()) {
            String name = manner + " " + call + (count == 1 ? "" : " " + count);
            all.add(new Mutant(name, true, met, effect -> spoilt(call, manner, effect)));
          }
        });
    for (int i = 0; i < fieldNames.size(); i++) {
      int field = i;
      for (FieldSpoiler.Manner manner : FieldSpoiler.Manner.values()) {
        String name = manner + " " + fieldNames.get(field);
        Set<MutantScenario> met =
            fields.getOrDefault(manner, Map.of()).getOrDefault(field, Set.of());
        boolean written = writtenFields.contains(field);
        all.add(new Mutant(name, written, met, effect -> spoilt(field, manner, effect)));
      }
    }
    return all;
  }

  private String run(Mutant mutant, boolean harmless) {
    if (mutant.met.isEmpty()) {
      return (mutant.written ? Verdict.NONE : Verdict.UNMET) + "\t\t";
    }
    List<MutantScenario> order = new ArrayList<>(scenarios);
    order.retainAll(mutant.met);
    String caught = LONG ? "" : byKnownKiller(mutant, order);
    if (!caught.isEmpty()) {
      return caught;
    }
    String stopped = "";
    int effects = 0;
    int tried = 0;
    for (Effort effort : efforts(harmless)) {
      int most = harmless && !LONG ? HARMLESS_SCENARIOS : order.size();
      for (MutantScenario scenario : order.subList(0, Math.min(most, order.size()))) {
        try {
          scenario.run(mutant.defect, effort);
        } catch (CrashViolation e) {
          scenarios.remove(scenario);
          scenarios.add(0, scenario);
          searched++;
          return caught(mutant, scenario, effort, e);
        } catch (Exception | LinkageError | StackOverflowError e) {
          stopped = Verdict.STOPPED + "\t" + scenario + "\t" + line(e.toString());
        }
        effects += scenario.effects();
        tried++;
        if (effects == 0 && tried == IDLE_SCENARIOS && !LONG) {
          break;
        }
      }
      if (effects == 0) {
        return Verdict.NONE + "\t\t";
      }
    }
    return stopped.isEmpty() ? Verdict.MISSED + "\t" + order + "\t" + effects : stopped;
  }

  /** Returns how the known killer caught a defect; an empty text if it has none, or did not. */
  private String byKnownKiller(Mutant mutant, List<MutantScenario> met) {
    KnownKillers.Killer killer = known.of(mutant.name);
    for (MutantScenario scenario : met) {
      if (killer != null && scenario.toString().equals(killer.scenario())) {
        try {
          scenario.run(mutant.defect, killer.effort());
        } catch (CrashViolation e) {
          return caught(mutant, scenario, killer.effort(), e);
        } catch (Exception | LinkageError | StackOverflowError e) {
          return "";
        }
      }
    }
    return "";
  }

  private String caught(Mutant mutant, MutantScenario by, Effort effort, CrashViolation how) {
    found.put(mutant.name, new KnownKillers.Killer(by.toString(), effort));
    return Verdict.CAUGHT + "\t" + by + "\t" + line(how.getMessage());
  }

  private static List<Effort> efforts(boolean harmless) {
    return LONG
        ? List.of(Effort.values())
        : harmless ? List.of(Effort.SKETCH) : List.of(Effort.SKETCH, Effort.NEAR);
  }

  private static String line(String text) {
    return text.replace('\n', ' ').replace('\t', ' ');
  }

  private static UnaryOperator<Disk> spoilt(
      int field, FieldSpoiler.Manner manner, Runnable effect) {
    FieldSpoiler.choose(field, manner, effect);
    return disk -> disk;
  }

  private static UnaryOperator<Disk> spoilt(Call call, SpoiltDisk.Manner manner, Runnable effect) {
    FieldSpoiler.choose(-1, null, () -> {});
    return disk -> new SpoiltDisk(disk, manner, call::is, effect);
  }
}
