// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.table.TableMeta;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Edit: changes that take effect together or not at all. They may concern several families.
 *
 * @param ops changes in the order of application; a change may name objects that an earlier one
 *     added
 */
public record VersionEdit(List<EditOp> ops) {

  /** Copies the list of changes. */
  public VersionEdit {
    ops = List.copyOf(ops);
  }

  /**
   * Returns an edit that makes the changes of this one in another family. This edit must concern
   * the default family alone, because a change without a family follows the family named before it.
   */
  public VersionEdit in(int family) {
    return builder().family(family).addAll(ops).build();
  }

  /**
   * Returns whether only the file {@code CURRENT} could reveal the loss of this edit, so that the
   * edit must be recorded there. Other edits name tables or a log that are removed soon after, or
   * the state without them is equally valid. A new family is empty, and {@code CURRENT} records it
   * before it gets its first entry.
   *
   * @param before the marks that the edit changes
   */
  public boolean leavesNoTrace(ManifestState.Marks before) {
    int number = ManifestState.DEFAULT_FAMILY;
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

  /** Returns a builder of an edit without changes. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Builder of an edit; each method adds the {@link EditOp} of its name. Not safe to share between
   * threads.
   */
  public static final class Builder {
    private final List<EditOp> ops = new ArrayList<>();
    private int family = ManifestState.DEFAULT_FAMILY;

    private Builder() {}

    /** Applies the following changes to this family; see {@link EditOp.InFamily}. */
    public Builder family(int number) {
      return number == family ? this : add(new EditOp.InFamily(number));
    }

    /** Adds {@link EditOp.CreateFamily} to the edit. */
    public Builder createFamily(int number, String name) {
      return add(new EditOp.CreateFamily(number, name));
    }

    /** Adds {@link EditOp.DropFamily} to the edit. */
    public Builder dropFamily(int number) {
      return add(new EditOp.DropFamily(number));
    }

    /** Adds {@link EditOp.AddTable} to the edit. */
    public Builder addTable(int level, long run, long slice, TableMeta table) {
      return add(new EditOp.AddTable(level, run, slice, table));
    }

    /** Adds {@link EditOp.RemoveSlice} to the edit. */
    public Builder removeSlice(long slice) {
      return add(new EditOp.RemoveSlice(slice));
    }

    /** Adds {@link EditOp.TrimSlice} to the edit. */
    public Builder trimSlice(long slice, byte[] newLow) {
      return add(new EditOp.TrimSlice(slice, newLow));
    }

    /** Adds {@link EditOp.MoveSlice} to the edit. */
    public Builder moveSlice(long slice, int level, long run) {
      return add(new EditOp.MoveSlice(slice, level, run));
    }

    /** Adds {@link EditOp.AddRun} to the edit. */
    public Builder addRun(int level, long run, Set<Long> sources) {
      return add(new EditOp.AddRun(level, run, sources));
    }

    /** Adds {@link EditOp.NextNumber} to the edit. */
    public Builder nextNumber(long number) {
      return add(new EditOp.NextNumber(number));
    }

    /** Adds {@link EditOp.LastSequence} to the edit. */
    public Builder lastSequence(long sequence) {
      return add(new EditOp.LastSequence(sequence));
    }

    /** Adds {@link EditOp.WalFloor} to the edit. */
    public Builder walFloor(long number, boolean begun) {
      return add(new EditOp.WalFloor(number, begun));
    }

    /** Adds {@link EditOp.KeyOrder} to the edit. */
    public Builder keyOrder(String name) {
      return add(new EditOp.KeyOrder(name));
    }

    /** Adds {@link EditOp.PolicyText} to the edit. */
    public Builder policyText(String text) {
      return add(new EditOp.PolicyText(text));
    }

    /** Adds {@link EditOp.MergeOperatorName} to the edit. */
    public Builder mergeOperatorName(String name) {
      return add(new EditOp.MergeOperatorName(name));
    }

    /** Adds {@link EditOp.ClockFloor} to the edit. */
    public Builder clockFloor(long millis) {
      return add(new EditOp.ClockFloor(millis));
    }

    /** Adds {@link EditOp.Regroup} to the edit. */
    public Builder regroup(
        int level, long run, long group, List<Long> slices, List<List<EditOp.Piece>> segments) {
      return add(new EditOp.Regroup(level, run, group, slices, segments));
    }

    /** Adds {@link EditOp.CutSegment} to the edit. */
    public Builder cutSegment(long slice, byte[] high, List<Long> above) {
      return add(new EditOp.CutSegment(slice, high, above));
    }

    /** Adds any change to the edit. */
    public Builder add(EditOp op) {
      ops.add(op);
      if (op instanceof EditOp.InFamily in) {
        family = in.number();
      }
      return this;
    }

    /**
     * Adds changes as they are. They apply to the family that the builder named last, until one of
     * them names another.
     */
    public Builder addAll(List<EditOp> changes) {
      for (EditOp change : changes) {
        add(change);
      }
      return this;
    }

    /** Adds all changes of an edit, starting in the default family. */
    public Builder append(VersionEdit edit) {
      return family(ManifestState.DEFAULT_FAMILY).addAll(edit.ops());
    }

    /** Returns the edit with all changes added up to now. */
    public VersionEdit build() {
      return new VersionEdit(ops);
    }
  }
}
