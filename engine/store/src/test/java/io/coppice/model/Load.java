// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.util.List;

/**
 * Operations in order, on keys of one kind.
 *
 * @param name where it came from
 */
public record Load(String name, Keys keys, List<Op> ops) {

  /** Copies the list. */
  public Load {
    ops = List.copyOf(ops);
  }

  /** With values that do not end, and no time that passes. */
  public Load withoutTime() {
    return with(ops.stream().map(Op::withoutTime).toList());
  }

  /** With batches of at most so many changes. */
  public Load withBatchesUpTo(int most) {
    return with(
        ops.stream()
            .map(
                op ->
                    op.writes() && op.changes().size() > most
                        ? op.withChanges(op.changes().subList(0, most))
                        : op)
            .toList());
  }

  /** With other operations. */
  Load with(List<Op> others) {
    return new Load(name, keys, others);
  }

  /** With keys of another kind. */
  Load with(Keys others) {
    return new Load(name, others, ops);
  }
}
