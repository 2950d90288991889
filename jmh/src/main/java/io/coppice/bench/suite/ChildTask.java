// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.report.RecordJson;

/** Task of a child process: a record, which {@link ChildJava} passes to the process as JSON. */
public interface ChildTask {

  /**
   * Does the work and reports to the parent.
   *
   * @throws WrongAnswerException if a store returned other data than was written
   * @throws Exception any other failure, which ends the process with its stack trace
   */
  void run(ParentLines parent) throws Exception;

  /**
   * Runs a task in the child process and reports a wrong answer to the parent.
   *
   * @param args class of the task and its JSON
   */
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
