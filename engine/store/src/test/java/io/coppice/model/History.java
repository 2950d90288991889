// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

/**
 * What the model says to a load: the answer to each operation, and what the store holds after it.
 */
public final class History {

  private final Load load;
  private final long[] answers;
  private final long[] contents;

  private History(Load load) {
    this.load = load;
    this.answers = new long[load.ops().size()];
    this.contents = new long[load.ops().size()];
  }

  /** Asks the model. */
  public static History of(Load load) {
    History history = new History(load);
    Model model = new Model(load.keys());
    Answer answer = Answer.hashing();
    for (int i = 0; i < history.answers.length; i++) {
      answer.clear();
      model.apply(i, load.ops().get(i), answer);
      history.answers[i] = answer.hash();
      history.contents[i] = model.contents();
    }
    return history;
  }

  /** The load. */
  public Load load() {
    return load;
  }

  /** The hash of the answer to an operation. */
  public long answer(int index) {
    return answers[index];
  }

  /** The sum of the entries after so many operations. */
  public long contentsAfter(int operations) {
    return operations == 0 ? 0 : contents[operations - 1];
  }

  /** A hash of all answers. */
  public long hash() {
    long hash = 0;
    for (long answer : answers) {
      hash = Hash.mix(hash, answer);
    }
    return hash;
  }

  /** The answer to an operation in words. */
  String words(int index) {
    Model model = new Model(load.keys());
    Answer answer = Answer.inWords();
    for (int i = 0; i <= index; i++) {
      answer.clear();
      model.apply(i, load.ops().get(i), answer);
    }
    return answer.toString();
  }
}
