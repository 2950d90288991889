// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.util.Optional;

/** One load on one subject, compared with the model answer by answer. */
public final class Trial {

  /** Makes a subject for a load. */
  public interface Maker {
    /** Makes it; the history is for its own checks after a loss of power. */
    Subject make(Config config, History history) throws Exception;
  }

  private Trial() {}

  /** Runs all of it, or up to the first difference. */
  public static Optional<Difference> run(Maker maker, Config config, History history) {
    int index = 0;
    Op op = Op.of(Op.Kind.REOPEN);
    try (Subject subject = maker.make(config, history)) {
      Answer answer = Answer.hashing();
      for (; index < history.load().ops().size(); index++) {
        op = history.load().ops().get(index);
        answer.clear();
        subject.apply(index, op, answer);
        if (answer.hash() != history.answer(index)) {
          Answer again = Answer.inWords();
          subject.apply(index, op, again);
          return Optional.of(
              Difference.answered(index, op, again.toString(), history.words(index)));
        }
      }
      op = Op.of(Op.Kind.CLOSE);
    } catch (Exception | AssertionError | StackOverflowError e) {
      return Optional.of(Difference.thrown(index, op, e));
    }
    return Optional.empty();
  }
}
