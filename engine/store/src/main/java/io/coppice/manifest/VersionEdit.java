// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.table.TableMeta;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Changes that take effect together, or not at all. They may concern several families.
 *
 * @param ops in the order in which they are applied; what one adds a later one may name
 */
public record VersionEdit(List<EditOp> ops) {

  /** Copies the list. */
  public VersionEdit {
    ops = List.copyOf(ops);
  }

  /**
   * The same changes, made in another family than the default one. An edit that names families
   * itself cannot be moved so.
   */
  public VersionEdit in(int family) {
    return builder().family(family).addAll(ops).build();
  }

  /**
   * Returns true if, were it missing, no file but {@code CURRENT} would tell. Other edits name
   * tables or a log that are removed soon after, or what was before them is as good. A new family
   * is empty, and {@code CURRENT} tells of it before it gets its first entry.
   *
   * @param before the marks that it changes
   */
  boolean leavesNoTrace(Catalogue.Marks before) {
    int number = Catalogue.DEFAULT_FAMILY;
    Set<Integer> created = new HashSet<>();
    for (EditOp op : ops) {
      if (op instanceof EditOp.CreateFamily create) {
        created.add(create.number());
      } else if (op instanceof EditOp.InFamily in) {
        number = in.number();
      } else if (op instanceof EditOp.DropFamily
          || (setsProperty(op) && !created.contains(number))
          || (op instanceof EditOp.WalFloor floor && floor.begun() && !before.floorBegun())) {
        return true;
      }
    }
    return false;
  }

  private static boolean setsProperty(EditOp op) {
    return op instanceof EditOp.KeyOrder
        || op instanceof EditOp.PolicyText
        || op instanceof EditOp.MergeOperatorName;
  }

  /** Starts an edit without changes. */
  public static Builder builder() {
    return new Builder();
  }

  /** Gathers changes; each method is the {@link EditOp} of its name. Not safe to share. */
  public static final class Builder {
    private final List<EditOp> ops = new ArrayList<>();
    private int family = Catalogue.DEFAULT_FAMILY;

    private Builder() {}

    /** The changes added from now on are of this family; see {@link EditOp.InFamily}. */
    public Builder family(int number) {
      return number == family ? this : add(new EditOp.InFamily(number));
    }

    /** See {@link EditOp.CreateFamily}. */
    public Builder createFamily(int number, String name) {
      return add(new EditOp.CreateFamily(number, name));
    }

    /** See {@link EditOp.DropFamily}. */
    public Builder dropFamily(int number) {
      return add(new EditOp.DropFamily(number));
    }

    /** See {@link EditOp.AddTable}. */
    public Builder addTable(int level, long run, long slice, TableMeta table) {
      return add(new EditOp.AddTable(level, run, slice, table));
    }

    /** See {@link EditOp.RemoveSlice}. */
    public Builder removeSlice(long slice) {
      return add(new EditOp.RemoveSlice(slice));
    }

    /** See {@link EditOp.TrimSlice}. */
    public Builder trimSlice(long slice, byte[] newLow) {
      return add(new EditOp.TrimSlice(slice, newLow));
    }

    /** See {@link EditOp.MoveSlice}. */
    public Builder moveSlice(long slice, int level, long run) {
      return add(new EditOp.MoveSlice(slice, level, run));
    }

    /** See {@link EditOp.AddRun}. */
    public Builder addRun(int level, long run, Set<Long> sources) {
      return add(new EditOp.AddRun(level, run, sources));
    }

    /** See {@link EditOp.NextNumber}. */
    public Builder nextNumber(long number) {
      return add(new EditOp.NextNumber(number));
    }

    /** See {@link EditOp.LastSequence}. */
    public Builder lastSequence(long sequence) {
      return add(new EditOp.LastSequence(sequence));
    }

    /** See {@link EditOp.WalFloor}. */
    public Builder walFloor(long number, boolean begun) {
      return add(new EditOp.WalFloor(number, begun));
    }

    /** See {@link EditOp.KeyOrder}. */
    public Builder keyOrder(String name) {
      return add(new EditOp.KeyOrder(name));
    }

    /** See {@link EditOp.PolicyText}. */
    public Builder policyText(String text) {
      return add(new EditOp.PolicyText(text));
    }

    /** See {@link EditOp.MergeOperatorName}. */
    public Builder mergeOperatorName(String name) {
      return add(new EditOp.MergeOperatorName(name));
    }

    /** See {@link EditOp.ClockFloor}. */
    public Builder clockFloor(long millis) {
      return add(new EditOp.ClockFloor(millis));
    }

    /** See {@link EditOp.Regroup}. */
    public Builder regroup(
        int level, long run, long group, List<Long> slices, List<List<EditOp.Piece>> segments) {
      return add(new EditOp.Regroup(level, run, group, slices, segments));
    }

    /** See {@link EditOp.CutSegment}. */
    public Builder cutSegment(long slice, byte[] high, List<Long> above) {
      return add(new EditOp.CutSegment(slice, high, above));
    }

    /** Appends any change. */
    public Builder add(EditOp op) {
      ops.add(op);
      if (op instanceof EditOp.InFamily in) {
        family = in.number();
      }
      return this;
    }

    /** Appends changes as they are, in the family that is in force. */
    public Builder addAll(List<EditOp> changes) {
      for (EditOp change : changes) {
        add(change);
      }
      return this;
    }

    /** Appends a whole edit. */
    public Builder append(VersionEdit edit) {
      return family(Catalogue.DEFAULT_FAMILY).addAll(edit.ops());
    }

    /** The edit so far. */
    public VersionEdit build() {
      return new VersionEdit(ops);
    }
  }
}
