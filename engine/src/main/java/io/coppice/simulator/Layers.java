// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.Target;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** How a store keeps its levels; what differs between the two merge rules. */
interface Layers<C> {

  /** Level 0 first, in a level the newest run first. */
  List<List<Run<C>>> levels();

  /** The same as policies see it. */
  List<LevelFacts> facts();

  /** Tables of a flush, by ascending rank. */
  void flush(List<Segment<C>> tables);

  /** The run of a target, made if it is new; a plan without sources feeds it from its inputs. */
  Run<C> run(Target target, Set<Run<C>> inputs);

  /** Adds segments to a run, by ascending rank. */
  void add(Run<C> run, List<Segment<C>> segments);

  /** Takes segments out of their runs. */
  void remove(Collection<Segment<C>> segments);

  /** Takes slices out of a segment that keeps others. */
  void shrink(Segment<C> segment, Set<Slice<C>> gone);

  /** Lets go of runs that are used up; called at the end of each plan. */
  void tidy();
}
