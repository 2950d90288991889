// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import io.coppice.policy.spec.ScriptQuestion;

/** A host that can build a drawn tree its own way and put a question to a policy about it. */
public interface ScriptHost {

  /**
   * The answer, as lines without the leading {@code >}. A host builds the tree, takes its Shape as
   * it does in production, and prints with {@link ScriptQuestion#answer}.
   */
  String answer(DrawnTree tree, ScriptQuestion question);

  /** False for a drawing that the host cannot build, such as one of the other merge rule. */
  boolean canDraw(DrawnTree tree);
}
