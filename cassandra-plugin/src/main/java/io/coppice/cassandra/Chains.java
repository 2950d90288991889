// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * The merges of one strategy instance that have begun and not ended. A chain enters when its first
 * task runs, and stays between its steps, so that its inputs and outputs are planned by nobody
 * else; it leaves when it has finished or is given up, and with its strategy. Thread-safe.
 */
final class Chains {

  /** Whose merges they are. Told while no lock of this class is held. */
  interface Owner {

    /** A chain comes, pauses or goes, or something else has changed what merges may begin. */
    void changed();

    /**
     * A task has done its work. Not told when it failed or was stopped: what made it fail is still
     * there, and to plan it again at once would go round and round; Cassandra asks again by itself
     * after a flush, or every minute.
     */
    void progressed();

    /** A chain cannot go on for the moment. */
    void waits();

    /** How often tasks of one of these have failed, the most of any. */
    int failures(Collection<SSTableReader> inputs);

    /**
     * A task has failed, and was not just stopped.
     *
     * @param earlier how often tasks of what it began with had failed
     */
    void failed(Collection<SSTableReader> inputs, int level, int earlier, Throwable why);
  }

  private final Owner owner;
  private final SpaceLedger space;
  private final List<Chain> chains = new ArrayList<>();
  private boolean ended;

  Chains(SpaceLedger space, Owner owner) {
    this.space = space;
    this.owner = owner;
  }

  Owner owner() {
    return owner;
  }

  /** Something else has changed what merges may begin or go on. */
  void changed() {
    owner.changed();
    owner.progressed();
  }

  /** A task of the chain runs. */
  void starts(Chain chain) {
    chain.run(true);
    if (chain.steps() == 0) {
      chain.failedBefore(owner.failures(chain.inputs()));
    }
    synchronized (this) {
      if (!ended && !chains.contains(chain)) {
        chains.add(chain);
      }
    }
    owner.changed();
  }

  /** A task of the chain has run, and has let go of its inputs; so the next one may run already. */
  void pauses(Chain chain) {
    if (ended()) {
      chain.giveUp();
      if (!chain.running()) {
        space.release(chain);
      }
    }
    synchronized (this) {
      if (chain.finished() || chain.givenUp()) {
        chains.remove(chain);
      }
    }
    chain
        .takeFailure()
        .ifPresent(
            why ->
                owner.failed(chain.inputs(), chain.order().level(), chain.earlierFailures(), why));
    owner.changed();
    if (chain.finished() || !chain.givenUp()) {
      owner.progressed();
    }
  }

  /** All of them. */
  synchronized List<Chain> all() {
    chains.removeIf(chain -> chain.givenUp() && !chain.running());
    return List.copyOf(chains);
  }

  /** Those between two steps: first what has waited long, then what has the shallowest outputs. */
  List<Chain> resting() {
    List<Chain> resting = new ArrayList<>(all());
    resting.removeIf(Chain::running);
    resting.sort(
        Comparator.comparing((Chain chain) -> !chain.due())
            .thenComparingInt(chain -> chain.order().level()));
    return resting;
  }

  /** Notes that all that rest had to wait for something else, but for the one that did not. */
  void passOver(Chain first) {
    resting().stream().filter(chain -> chain != first).forEach(Chain::passOver);
  }

  /** Gives up what rests, because something wants all inputs or none is left. */
  void giveUp(List<Chain> resting) {
    for (Chain chain : resting) {
      if (!chain.running()) {
        chain.giveUp();
        space.release(chain);
      }
    }
    synchronized (this) {
      chains.removeIf(chain -> chain.givenUp() && !chain.running());
    }
    owner.changed();
  }

  /**
   * Gives up what rests and has no input any more, as something else has taken all of them. Nobody
   * may come to ask for its next step, and until then it would hold its outputs and its space.
   *
   * @param has whether the strategy has an SSTable
   */
  void giveUpGone(Predicate<SSTableReader> has) {
    List<Chain> gone = resting();
    gone.removeIf(chain -> chain.hasAny(has));
    if (!gone.isEmpty()) {
      giveUp(gone);
      owner.progressed();
    }
  }

  /**
   * Gives up all of them while no SSTable of the strategy is claimed; also one whose task has let
   * go of its claim and is about to say so.
   */
  void giveUpAll() {
    for (Chain chain : all()) {
      chain.giveUp();
      space.release(chain);
    }
    synchronized (this) {
      chains.removeIf(Chain::givenUp);
    }
    owner.changed();
  }

  /** The strategy ends: what rests is given up, what runs ends at the next boundary. */
  void end() {
    synchronized (this) {
      ended = true;
    }
    giveUp(all());
  }

  synchronized boolean ended() {
    return ended;
  }
}
