// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MergeOperator;
import io.coppice.base.NameText;
import io.coppice.base.VersionException;
import io.coppice.manifest.Catalogue;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.VersionEdit;
import io.coppice.memtable.Memtables;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The living families of an open store, and the policy of each. What the manifest says of them is
 * changed here and nowhere else. Safe to share between threads; changes are made by one at a time.
 */
final class Families {

  /** Longest wait of a closing store for reads, in nanoseconds. */
  private static final long MOST_NANOS_FOR_READERS = 5_000_000_000L;

  /** The only key order there is; its name is kept so that another one is refused. */
  private static final String KEY_ORDER = "unsigned-bytes";

  private final Manifest manifest;
  private final Map<Integer, FamilyParts> parts = new ConcurrentSkipListMap<>();
  private final Map<Integer, PolicySpec> policies = new ConcurrentHashMap<>();

  /** Of families that were tuned live: what decides instead, until it is taken back. */
  private final Map<Integer, PolicySpec> tuned = new ConcurrentHashMap<>();

  /** Of dropped families, perhaps still held by readers. */
  private final Queue<Memtables> dropped = new ConcurrentLinkedQueue<>();

  /** True once reads were left when the memtables were closed. */
  private volatile boolean readersLeft;

  private Families(Manifest manifest) {
    this.manifest = manifest;
  }

  /**
   * Brings the manifest to what the options say: families that they name exist, with the policy
   * that they name; others keep theirs.
   *
   * @param store a name for messages
   * @throws VersionException if a family has a key order that is not known
   */
  static Families settle(Manifest manifest, StoreOptions options, String store) throws IOException {
    Families families = new Families(manifest);
    Catalogue catalogue = manifest.catalogue();
    VersionEdit.Builder edit = VersionEdit.builder();
    for (Catalogue.Family family : catalogue.families()) {
      PolicySpec given = options.policy(family.name());
      PolicySpec policy = given == null ? kept(family, options) : given;
      checkKeyOrder(family, store);
      checkOperator(family, options.mergeOperator(family.name()));
      settle(family.number(), family.keyOrder(), family.policy(), policy, edit);
      if (family.mergeOperator().isEmpty()) {
        noteOperator(family.number(), options.mergeOperator(family.name()), edit);
      }
      families.policies.put(family.number(), policy);
    }
    int next = catalogue.marks().nextFamily();
    for (String name : options.families()) {
      if (catalogue.family(name) == null) {
        edit.createFamily(next, name);
        settle(next, "", "", options.policy(name), edit);
        noteOperator(next, options.mergeOperator(name), edit);
        families.policies.put(next, options.policy(name));
        next++;
      }
    }
    VersionEdit whole = edit.build();
    if (!whole.ops().isEmpty()) {
      manifest.install(whole);
    }
    return families;
  }

  /**
   * The families as the manifest describes them, with nothing changed.
   *
   * @param store a name for messages
   * @param options of which the policy stands for one that this version does not know
   * @throws VersionException if a family has a key order that is not known
   */
  static Families asTheyAre(Manifest manifest, StoreOptions options, String store) {
    Families families = new Families(manifest);
    for (Catalogue.Family family : manifest.catalogue().families()) {
      checkKeyOrder(family, store);
      checkOperator(family, options.mergeOperator(family.name()));
      families.policies.put(family.number(), known(family.policy(), options));
    }
    return families;
  }

  /** Of a family that repair found in logs alone nothing is known; it gets the default one's. */
  private static PolicySpec kept(Catalogue.Family family, StoreOptions options) {
    try {
      return family.policy().isEmpty() ? options.policy() : options.spec(family.policy());
    } catch (PolicySpecException e) {
      throw new InvalidOptionsException(
          e.errors().stream()
              .map(error -> "family " + NameText.quoted(family.name()) + ": " + error)
              .toList());
    }
  }

  private static PolicySpec known(String text, StoreOptions options) {
    try {
      return text.isEmpty() ? options.policy() : options.spec(text);
    } catch (PolicySpecException e) {
      return options.policy();
    }
  }

  private static void checkKeyOrder(Catalogue.Family family, String store) {
    if (!family.keyOrder().isEmpty() && !family.keyOrder().equals(KEY_ORDER)) {
      throw new VersionException(
          store,
          "key order '" + family.keyOrder() + "' of family " + NameText.quoted(family.name()),
          "'" + KEY_ORDER + "'");
    }
  }

  private static void checkOperator(Catalogue.Family family, MergeOperator given) {
    String known = family.mergeOperator();
    if (given != null && !known.isEmpty() && !known.equals(given.name())) {
      throw new InvalidOptionsException(
          List.of(
              "mergeOperator ("
                  + given.name()
                  + ") of family "
                  + NameText.quoted(family.name())
                  + " must be "
                  + known
                  + ", with which it was written"));
    }
  }

  private static void noteOperator(int number, MergeOperator given, VersionEdit.Builder edit) {
    if (given != null) {
      edit.family(number).mergeOperatorName(given.name());
    }
  }

  private static void settle(
      int number, String keyOrder, String text, PolicySpec policy, VersionEdit.Builder edit) {
    if (keyOrder.isEmpty()) {
      edit.family(number).keyOrder(KEY_ORDER);
    }
    if (!text.equals(policy.toString())) {
      edit.family(number).policyText(policy.toString());
    }
  }

  /**
   * Makes a family durable.
   *
   * @return its number
   * @throws IllegalArgumentException if the name is taken
   */
  int create(String name, PolicySpec policy, MergeOperator operator) throws IOException {
    Catalogue catalogue = manifest.catalogue();
    if (catalogue.family(name) != null) {
      throw new IllegalArgumentException(
          "there is a family "
              + NameText.quoted(name)
              + " already; open it with family, or drop it first");
    }
    int number = catalogue.marks().nextFamily();
    VersionEdit.Builder edit = VersionEdit.builder().createFamily(number, name);
    settle(number, "", "", policy, edit);
    noteOperator(number, operator, edit);
    manifest.install(edit.build());
    policies.put(number, policy);
    return number;
  }

  /** Makes the drop of a family durable. */
  void drop(FamilyParts family) throws IOException {
    manifest.install(VersionEdit.builder().dropFamily(family.number()).build());
    parts.remove(family.number());
    policies.remove(family.number());
    tuned.remove(family.number());
    dropped.removeIf(Memtables::released);
    dropped.add(family.written().memtables());
  }

  /** Makes another policy of a family durable. */
  void policy(int number, PolicySpec policy) throws IOException {
    manifest.install(VersionEdit.builder().family(number).policyText(policy.toString()).build());
    policies.put(number, policy);
    tuned.remove(number);
  }

  /** Lets another policy of a family decide while the store is open; the manifest keeps its own. */
  void tune(int number, PolicySpec policy) {
    if (policy.equals(policies.get(number))) {
      tuned.remove(number);
    } else {
      tuned.put(number, policy);
    }
  }

  /** The policy of a living family, as the manifest has it. */
  PolicySpec policy(int number) {
    return policies.get(number);
  }

  /** The policy that decides over a living family. */
  PolicySpec inForce(int number) {
    PolicySpec live = tuned.get(number);
    return live == null ? policies.get(number) : live;
  }

  /** The size at which merges cut the tables of the family whose tables are largest. */
  long largestTableBytes() {
    // A family that is dropped meanwhile still counts by the policy that was seen of it.
    return policies.entrySet().stream()
        .map(family -> tuned.getOrDefault(family.getKey(), family.getValue()))
        .mapToLong(PolicySpec::tableBytes)
        .max()
        .orElse(0);
  }

  /** Gives a family what it holds while the store is open. */
  void add(FamilyParts family) {
    parts.put(family.number(), family);
  }

  /** All, by ascending number. */
  Collection<FamilyParts> all() {
    return parts.values();
  }

  /** The living family of this number, or null. */
  @Nullable FamilyParts get(int number) {
    return parts.get(number);
  }

  FamilyParts defaultOne() {
    return parts.get(Catalogue.DEFAULT_FAMILY);
  }

  /** The family of this name, or null. */
  @Nullable FamilyParts find(String name) {
    for (FamilyParts family : parts.values()) {
      if (family.name().equals(name)) {
        return family;
      }
    }
    return null;
  }

  List<String> names() {
    return parts.values().stream().map(FamilyParts::name).toList();
  }

  /**
   * Closes all memtables. Returns when no reader holds any, at the latest after five seconds. A
   * reader that is left may still use tables, so {@link #unlessRead} closes none then.
   */
  void closeMemtables() {
    for (FamilyParts family : parts.values()) {
      family.written().memtables().close("the store");
    }
    long end = System.nanoTime() + MOST_NANOS_FOR_READERS;
    boolean released = true;
    for (FamilyParts family : parts.values()) {
      released &= family.written().memtables().awaitReleased(end - System.nanoTime());
    }
    for (Memtables memtables : dropped) {
      released &= memtables.awaitReleased(end - System.nanoTime());
    }
    readersLeft = !released;
    if (readersLeft) {
      System.getLogger("io.coppice.Store")
          .log(
              System.Logger.Level.WARNING,
              "a read still runs 5 s after the store was closed; memory of its memtables, indexes,"
                  + " filters and cached blocks stays allocated until the process ends");
    }
  }

  /**
   * Returns a part that is closed only if {@link #closeMemtables} found all reads ended. Freed
   * memory under a read could end the JVM.
   */
  AutoCloseable unlessRead(AutoCloseable part) {
    return () -> {
      if (!readersLeft) {
        part.close();
      }
    };
  }
}
