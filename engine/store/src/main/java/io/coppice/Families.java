// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MergeOperator;
import io.coppice.base.VersionException;
import io.coppice.base.bytes.NameText;
import io.coppice.manifest.Manifest;
import io.coppice.memtable.FamilyMemtables;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.version.ManifestState;
import io.coppice.version.VersionEdit;
import java.io.Closeable;
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
 * Living families of an open store, with the policy of each. In an open store, only this class
 * creates and drops families in the manifest and sets their options there. Safe to share between
 * threads; only one thread at a time may make changes.
 */
final class Families {

  /**
   * Longest time in nanoseconds that {@link #closeMemtables} waits for reads. After it, the memory
   * that a read may use stays allocated.
   */
  private static final long MAX_NANOS_FOR_READERS = 5_000_000_000L;

  /** Name of the only supported key order. It is stored so that another order can be refused. */
  private static final String KEY_ORDER = "unsigned-bytes";

  private final Manifest manifest;
  private final Map<Integer, FamilyParts> parts = new ConcurrentSkipListMap<>();
  private final Map<Integer, PolicySpec> policies = new ConcurrentHashMap<>();

  /** Policies of families whose policy was changed for this opening only, by family number. */
  private final Map<Integer, PolicySpec> tuned = new ConcurrentHashMap<>();

  /** Memtables of dropped families that readers may still hold. */
  private final Queue<FamilyMemtables> dropped = new ConcurrentLinkedQueue<>();

  /** Whether reads were still running when the memtables were closed. */
  private volatile boolean readersLeft;

  private Families(Manifest manifest) {
    this.manifest = manifest;
  }

  /**
   * Brings the manifest in line with the options by one durable edit: creates the families that the
   * options name, and stores the policies and merge operators that they name. Other families keep
   * their policies. After an exception the manifest is unchanged.
   *
   * @param store name of the store for messages
   * @throws VersionException if a family has an unknown key order
   * @throws InvalidOptionsException if a stored policy is unknown, or a family was written with
   *     another merge operator
   * @throws IOException if the edit cannot be written
   */
  static Families settle(Manifest manifest, StoreOptions options, String store) throws IOException {
    Families families = new Families(manifest);
    ManifestState state = manifest.state();
    VersionEdit.Builder edit = VersionEdit.builder();
    for (ManifestState.Family family : state.families()) {
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
    int next = state.marks().nextFamily();
    for (String name : options.families()) {
      if (state.family(name) == null) {
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
   * Returns the families that the manifest describes, and changes nothing.
   *
   * @param store name of the store for messages
   * @param options options of the store. Their policy applies to a family whose stored policy is
   *     missing or unknown to this version. Their merge operators are compared with those of the
   *     families
   * @throws VersionException if a family has an unknown key order
   * @throws InvalidOptionsException if a family was written with another merge operator
   */
  static Families asTheyAre(Manifest manifest, StoreOptions options, String store) {
    Families families = new Families(manifest);
    for (ManifestState.Family family : manifest.state().families()) {
      checkKeyOrder(family, store);
      checkOperator(family, options.mergeOperator(family.name()));
      families.policies.put(family.number(), known(family.policy(), options));
    }
    return families;
  }

  /**
   * Returns the stored policy of a family. A family that repair found in logs alone has none and
   * gets that of the default family.
   *
   * @throws InvalidOptionsException naming each fault if the stored text is no known policy
   */
  private static PolicySpec kept(ManifestState.Family family, StoreOptions options) {
    try {
      return family.policy().isEmpty() ? options.policy : options.spec(family.policy());
    } catch (PolicySpecException e) {
      throw new InvalidOptionsException(
          e.errors().stream()
              .map(error -> "family " + NameText.quoted(family.name()) + ": " + error)
              .toList());
    }
  }

  private static PolicySpec known(String text, StoreOptions options) {
    try {
      return text.isEmpty() ? options.policy : options.spec(text);
    } catch (PolicySpecException e) {
      return options.policy;
    }
  }

  private static void checkKeyOrder(ManifestState.Family family, String store) {
    if (!family.keyOrder().isEmpty() && !family.keyOrder().equals(KEY_ORDER)) {
      throw new VersionException(
          store,
          "key order '" + family.keyOrder() + "' of family " + NameText.quoted(family.name()),
          "'" + KEY_ORDER + "'");
    }
  }

  private static void checkOperator(ManifestState.Family family, MergeOperator given) {
    String known = family.mergeOperator();
    if (given != null && !known.isEmpty() && !known.equals(given.name())) {
      throw new InvalidOptionsException(
          List.of(
              "mergeOperator (%s) of family %s must be %s, with which it was written"
                  .formatted(given.name(), NameText.quoted(family.name()), known)));
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
   * Creates a family durably in the manifest; {@link #add} then makes it living.
   *
   * @return its number
   * @throws IllegalArgumentException if the name is taken
   * @throws IOException if the manifest cannot be written
   */
  int create(String name, PolicySpec policy, MergeOperator operator) throws IOException {
    ManifestState state = manifest.state();
    if (state.family(name) != null) {
      throw new IllegalArgumentException(
          "there is a family "
              + NameText.quoted(name)
              + " already; open it with family, or drop it first");
    }
    int number = state.marks().nextFamily();
    VersionEdit.Builder edit = VersionEdit.builder().createFamily(number, name);
    settle(number, "", "", policy, edit);
    noteOperator(number, operator, edit);
    manifest.install(edit.build());
    policies.put(number, policy);
    return number;
  }

  /**
   * Drops a family durably. Its memtables stay until the last reader releases them.
   *
   * @throws IOException if the manifest cannot be written; the family then lives on
   */
  void drop(FamilyParts family) throws IOException {
    manifest.install(VersionEdit.builder().dropFamily(family.number()).build());
    parts.remove(family.number());
    policies.remove(family.number());
    tuned.remove(family.number());
    dropped.removeIf(FamilyMemtables::released);
    dropped.add(family.writeState().memtables());
  }

  /**
   * Changes the policy of a family durably, which ends a change by {@link #tune}.
   *
   * @throws IOException if the manifest cannot be written; the policy in force then stays
   */
  void policy(int number, PolicySpec policy) throws IOException {
    manifest.install(VersionEdit.builder().family(number).policyText(policy.toString()).build());
    policies.put(number, policy);
    tuned.remove(number);
  }

  /**
   * Changes the policy of a family until the store is closed. The manifest keeps the stored policy.
   */
  void tune(int number, PolicySpec policy) {
    if (policy.equals(policies.get(number))) {
      tuned.remove(number);
    } else {
      tuned.put(number, policy);
    }
  }

  /**
   * Returns the policy of a family as stored in the manifest, or null if the family was dropped.
   */
  @Nullable PolicySpec policy(int number) {
    return policies.get(number);
  }

  /**
   * Returns the policy that a family uses now: the one set by {@link #tune}, or else the stored
   * one; null if the family was dropped.
   */
  @Nullable PolicySpec inForce(int number) {
    PolicySpec live = tuned.get(number);
    return live == null ? policies.get(number) : live;
  }

  /** Returns the largest target table size in bytes among the policies of all families. */
  long largestTableBytes() {
    // A family that is dropped during this call still counts with its last policy.
    return policies.entrySet().stream()
        .map(family -> tuned.getOrDefault(family.getKey(), family.getValue()))
        .mapToLong(PolicySpec::tableBytes)
        .max()
        .orElse(0);
  }

  /** Registers the parts of a living family. */
  void add(FamilyParts family) {
    parts.put(family.number(), family);
  }

  /** Returns all living families by ascending number. */
  Collection<FamilyParts> all() {
    return parts.values();
  }

  /** Returns the living family of this number, or null. */
  @Nullable FamilyParts get(int number) {
    return parts.get(number);
  }

  FamilyParts defaultOne() {
    return parts.get(ManifestState.DEFAULT_FAMILY);
  }

  /** Returns the living family of this name, or null. */
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
   * Closes all memtables. Returns when no reader holds any, or after five seconds. A remaining
   * reader may still use tables, so {@link #unlessRead} then closes none.
   */
  void closeMemtables() {
    for (FamilyParts family : parts.values()) {
      family.writeState().memtables().close("the store");
    }
    long end = System.nanoTime() + MAX_NANOS_FOR_READERS;
    boolean released = true;
    for (FamilyParts family : parts.values()) {
      released &= family.writeState().memtables().awaitReleased(end - System.nanoTime());
    }
    for (FamilyMemtables memtables : dropped) {
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
   * Wraps a part: closing the result closes the part only if {@link #closeMemtables} found all
   * reads ended. Memory freed during a read could end the JVM.
   */
  Closeable unlessRead(Closeable part) {
    return () -> {
      if (!readersLeft) {
        part.close();
      }
    };
  }
}
