// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import static io.coppice.version.VersionBuilder.check;

import io.coppice.base.bytes.NameText;
import io.coppice.version.ManifestState.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Builder of a manifest state: applies one edit to one base. It collects level changes by family
 * and thus passes over each family's slices once. Used by one thread, once.
 */
final class ManifestStateBuilder {

  private final TreeMap<Integer, Family> families = new TreeMap<>();
  private final TreeMap<Integer, List<EditOp>> pending = new TreeMap<>();
  private long nextNumber;
  private long lastSequence;
  private long walFloor;
  private boolean floorBegun;
  private int nextFamily;
  private long clockFloor;
  private int number = ManifestState.DEFAULT_FAMILY;

  ManifestStateBuilder(ManifestState base) {
    ManifestState.Marks marks = base.marks();
    nextNumber = marks.nextNumber();
    lastSequence = marks.lastSequence();
    walFloor = marks.walFloor();
    floorBegun = marks.floorBegun();
    nextFamily = marks.nextFamily();
    clockFloor = marks.clockFloor();
    for (ManifestState.Family family : base.families()) {
      families.put(family.number(), family);
    }
  }

  /**
   * Applies the edit to the base. Called once, before {@link #build}.
   *
   * @throws IllegalArgumentException if the edit is illegal; the builder is then useless
   */
  ManifestStateBuilder apply(VersionEdit edit) {
    for (EditOp op : edit.ops()) {
      apply(op);
    }
    pending.forEach(this::changeLevels);
    return this;
  }

  ManifestState build() {
    return new ManifestState(
        new ManifestState.Marks(
            nextNumber, lastSequence, walFloor, floorBegun, nextFamily, clockFloor),
        List.copyOf(families.values()));
  }

  private void apply(EditOp op) {
    if (op instanceof EditOp.NextNumber next) {
      nextNumber = raise("next number", nextNumber, next.number());
    } else if (op instanceof EditOp.LastSequence last) {
      lastSequence = raise("last sequence", lastSequence, last.sequence());
    } else if (op instanceof EditOp.WalFloor floor) {
      walFloor = raise("log floor", walFloor, floor.number());
      floorBegun = floor.begun();
    } else if (op instanceof EditOp.ClockFloor floor) {
      // Merges of several families may end in another order than they began.
      clockFloor = Math.max(clockFloor, floor.millis());
    } else if (op instanceof EditOp.InFamily in) {
      number = in.number();
      family();
    } else if (op instanceof EditOp.CreateFamily create) {
      create(create);
    } else if (op instanceof EditOp.DropFamily drop) {
      drop(drop);
    } else if (op instanceof EditOp.KeyOrder order) {
      order(order.name());
    } else if (op instanceof EditOp.PolicyText text) {
      families.put(number, family().withPolicy(text.text()));
    } else if (op instanceof EditOp.MergeOperatorName operator) {
      operator(operator.name());
    } else {
      family();
      pending.computeIfAbsent(number, x -> new ArrayList<>()).add(op);
    }
  }

  private Family family() {
    Family family = families.get(number);
    check(family != null, "there is no family " + number);
    return family;
  }

  private void create(EditOp.CreateFamily op) {
    check(
        op.number() >= nextFamily,
        "family " + op.number() + " is not new: numbers up to " + (nextFamily - 1) + " were given");
    for (Family family : families.values()) {
      if (family.name().equals(op.name())) {
        throw new IllegalArgumentException(
            "there is a family " + NameText.quoted(op.name()) + " already");
      }
    }
    families.put(op.number(), Family.created(op.number(), op.name()));
    nextFamily = op.number() + 1;
  }

  private void drop(EditOp.DropFamily op) {
    check(op.number() != ManifestState.DEFAULT_FAMILY, "the default family cannot be dropped");
    check(families.containsKey(op.number()), "there is no family " + op.number());
    List<EditOp> before = pending.remove(op.number());
    if (before != null) {
      changeLevels(op.number(), before);
    }
    families.remove(op.number());
  }

  private void order(String name) {
    Family old = family();
    check(
        old.keyOrder().isEmpty() || old.keyOrder().equals(name),
        "the key order is " + old.keyOrder() + " and cannot become " + name);
    families.put(number, old.withKeyOrder(name));
  }

  private void operator(String name) {
    Family old = family();
    check(
        old.mergeOperator().isEmpty() || old.mergeOperator().equals(name),
        "the merge operator is " + old.mergeOperator() + " and cannot become " + name);
    families.put(number, old.withMergeOperator(name));
  }

  private void changeLevels(int of, List<EditOp> ops) {
    Family old = families.get(of);
    checkTables(of, ops);
    VersionBuilder draft = new VersionBuilder(old.version(), ops);
    families.put(of, old.withVersion(draft.build()));
    nextNumber = Math.max(nextNumber, draft.nextNumber());
    lastSequence = Math.max(lastSequence, draft.lastSequence());
  }

  /**
   * Checks that no other family has the added tables; the builder of a version knows only the
   * tables of its own family.
   *
   * @param of number of the family
   * @throws IllegalArgumentException if one has
   */
  private void checkTables(int of, List<EditOp> ops) {
    SortedLongSet numbers = new SortedLongSet();
    for (EditOp op : ops) {
      if (op instanceof EditOp.AddTable add) {
        numbers.add(add.table().number());
      }
    }
    if (numbers.isEmpty() || families.size() == 1) {
      return;
    }
    for (Map.Entry<Integer, Family> other : families.entrySet()) {
      if (other.getKey() != of) {
        other
            .getValue()
            .version()
            .forEachRun(
                run ->
                    numbers.forEachIn(
                        run.tableNumbers(),
                        place ->
                            check(
                                false,
                                "table %s is in family %s"
                                    .formatted(run.tableNumbers()[place], other.getKey()))));
      }
    }
  }

  private static long raise(String what, long from, long to) {
    check(to >= from, "the " + what + " is " + from + " and cannot fall to " + to);
    return to;
  }
}
