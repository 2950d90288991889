// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs a class that starts a Cassandra node only where one starts, and says loudly when it does
 * not.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnJdk17.Condition.class)
public @interface OnJdk17 {

  /** Cassandra 5.0 starts on 17; from 24 on there is no security manager, which it needs. */
  final class Condition implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      int jdk = Runtime.version().feature();
      if (jdk == 17) {
        return ConditionEvaluationResult.enabled("a node starts on JDK 17");
      }
      String reason =
          "SKIPPED: "
              + context.getDisplayName()
              + " starts a Cassandra node, which needs JDK 17;"
              + " this is JDK "
              + jdk;
      System.out.println(reason);
      return ConditionEvaluationResult.disabled(reason);
    }
  }
}
