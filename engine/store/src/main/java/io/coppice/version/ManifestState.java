// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.base.Limits;
import io.coppice.base.bytes.NameText;
import io.coppice.io.FileKind;
import io.coppice.table.TableMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Manifest state: the families of a store at one instant and the marks that recovery needs. It
 * never changes; applying an edit creates a new one. Safe to share between threads.
 *
 * @param marks counters of recovery
 * @param families by ascending number; the first is the default one, which always exists
 */
public record ManifestState(Marks marks, List<Family> families) {

  /** Number of the family that exists in every store. */
  public static final int DEFAULT_FAMILY = 0;

  /** Name of the family {@link #DEFAULT_FAMILY}. */
  public static final String DEFAULT_NAME = "default";

  /** State of a newly created store. */
  public static final ManifestState EMPTY =
      new ManifestState(Marks.NONE, List.of(Family.created(DEFAULT_FAMILY, DEFAULT_NAME)));

  /**
   * Counters that never decrease, and a flag.
   *
   * @param nextNumber all smaller numbers are in use or were; files, runs, slices and groups share
   *     them
   * @param lastSequence largest sequence number of any entry in a table, or a larger number
   * @param walFloor logs with a smaller number contain only entries that are also in tables
   * @param floorBegun whether a log of that number exists; otherwise no log contains entries
   * @param nextFamily larger than the number of every family, living or dropped
   * @param clockFloor the latest clock time of a dropped expired entry, in milliseconds since 1970
   */
  public record Marks(
      long nextNumber,
      long lastSequence,
      long walFloor,
      boolean floorBegun,
      int nextFamily,
      long clockFloor) {
    /** Marks of a new store. */
    public static final Marks NONE = new Marks(1, 0, 0, false, 1, 0);

    /**
     * Checks the bounds of the marks.
     *
     * @throws IllegalArgumentException if a mark is negative or above its limit
     */
    public Marks {
      if ((nextNumber | lastSequence | walFloor | clockFloor) < 0
          || nextNumber > FileKind.MAX_NUMBER
          || lastSequence > Limits.MAX_SEQUENCE) {
        throw new IllegalArgumentException(
            String.format(
                "no store can have the next number %s, the last sequence %s, the log floor"
                    + " %s and the clock floor %s",
                nextNumber, lastSequence, walFloor, clockFloor));
      }
    }
  }

  /**
   * A family: a named key space with its own levels.
   *
   * @param number unique among all families, including dropped ones
   * @param name unique among the living families
   * @param keyOrder the name of the key order, or "" if none was set
   * @param policy the compaction policy's text, or "" if none was set
   * @param mergeOperator the name of the merge operator, or "" if none was set
   * @param version its levels
   */
  public record Family(
      int number,
      String name,
      String keyOrder,
      String policy,
      String mergeOperator,
      Version version) {

    /** Returns a new family, which has neither tables nor properties. */
    public static Family created(int number, String name) {
      return new Family(number, name, "", "", "", Version.EMPTY);
    }

    Family withKeyOrder(String order) {
      return new Family(number, name, order, policy, mergeOperator, version);
    }

    Family withPolicy(String text) {
      return new Family(number, name, keyOrder, text, mergeOperator, version);
    }

    Family withMergeOperator(String operator) {
      return new Family(number, name, keyOrder, policy, operator, version);
    }

    /** Returns this family with other levels. */
    public Family withVersion(Version next) {
      return new Family(number, name, keyOrder, policy, mergeOperator, next);
    }
  }

  /**
   * Copies the list of families and checks its order.
   *
   * @throws IllegalArgumentException if the default family is missing, or numbers or names collide
   */
  public ManifestState {
    families = List.copyOf(families);
    if (families.isEmpty() || families.get(0).number() != DEFAULT_FAMILY) {
      throw new IllegalArgumentException("the default family is missing");
    }
    Map<String, Family> names = new HashMap<>();
    int last = -1;
    for (Family family : families) {
      if (family.number() <= last || family.number() >= marks.nextFamily()) {
        throw new IllegalArgumentException(
            "a family number from %s to %s was expected, found %s"
                .formatted(last + 1, marks.nextFamily() - 1, family.number()));
      }
      last = family.number();
      if (names.put(family.name(), family) != null) {
        throw new IllegalArgumentException(
            "two families are named " + NameText.quoted(family.name()));
      }
    }
  }

  /**
   * Returns the state after an edit.
   *
   * @throws IllegalArgumentException if the edit is illegal by {@link Version#apply}, names an
   *     unknown family, or lowers a mark; the state is unchanged then
   */
  public ManifestState apply(VersionEdit edit) {
    return new ManifestStateBuilder(this).apply(edit).build();
  }

  /**
   * Returns the state with {@link Version#withoutEmptyRuns} applied to each family; the same object
   * if nothing changes.
   *
   * @param filling ids of the runs that running merges fill
   */
  public ManifestState withoutEmptyRuns(Collection<Long> filling) {
    List<Family> settled = new ArrayList<>(families.size());
    boolean same = true;
    for (Family family : families) {
      Version version = family.version().withoutEmptyRuns(filling);
      same &= version == family.version();
      settled.add(family.withVersion(version));
    }
    return same ? this : new ManifestState(marks, settled);
  }

  /** Returns the living family with this number, or null. */
  public Family family(int number) {
    int low = 0;
    int high = families.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Family family = families.get(middle);
      if (family.number() == number) {
        return family;
      }
      if (family.number() < number) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return null;
  }

  /** Returns the living family with this name, or null. */
  public Family family(String name) {
    for (Family family : families) {
      if (family.name().equals(name)) {
        return family;
      }
    }
    return null;
  }

  /**
   * Returns the levels of a living family.
   *
   * @throws NullPointerException if there is none with this number
   */
  public Version version(int number) {
    return family(number).version();
  }

  /**
   * Returns the tables of all families, each once, in no particular order. The caller owns the
   * collection.
   */
  public Collection<TableMeta> tables() {
    List<TableMeta> tables = new ArrayList<>();
    for (Family family : families) {
      tables.addAll(family.version().tables());
    }
    return tables;
  }
}
