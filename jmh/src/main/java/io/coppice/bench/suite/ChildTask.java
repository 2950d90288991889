// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.BenchExitCode;

/** Work of a process of its own: a record, which {@link ChildJava} hands over as JSON. */
public interface ChildTask {

  /** Does the work and reports to the parent. */
  void run(ParentLines parent) throws Exception;

  /** Runs the task whose class and JSON are the arguments; a wrong answer is reported. */
  static void main(String[] args) throws Exception {
    ParentLines parent = new ParentLines(System.out);
    try {
      RecordJson.parse(args[1], Class.forName(args[0]).asSubclass(ChildTask.class)).run(parent);
    } catch (WrongAnswerException e) {
      parent.say("wrong", e.getMessage());
      System.exit(BenchExitCode.WRONG_ANSWERS);
    }
  }
}
