// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.coppice.io.Disk;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;

/**
 * A line of the engine that calls the disk.
 *
 * @param type the class, without its package
 * @param method of the class; a lambda has a name that the compiler gave it
 * @param line in the source
 */
public record CallSite(String type, String method, int line) implements Comparable<CallSite> {

  private static final StackWalker WALKER = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

  private static final ClassValue<Boolean> PASSES_ON =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          Class<?> outer = type;
          while (outer.getEnclosingClass() != null) {
            outer = outer.getEnclosingClass();
          }
          return outer == CallSite.class
              || outer == OwnershipCheck.class
              || Disk.class.isAssignableFrom(outer)
              || Disk.OutputFile.class.isAssignableFrom(outer)
              || Disk.InputFile.class.isAssignableFrom(outer);
        }
      };

  /** True for a disk, or a part of one, that passes on what others ask for. */
  public static boolean passesOn(Class<?> type) {
    return PASSES_ON.get(type);
  }

  /** The nearest caller that is no disk. */
  public static CallSite ofCaller() {
    return WALKER.walk(
        frames ->
            frames
                .filter(frame -> !PASSES_ON.get(frame.getDeclaringClass()))
                .findFirst()
                .map(CallSite::of)
                .orElseThrow());
  }

  private static CallSite of(StackFrame frame) {
    String name = frame.getClassName();
    return new CallSite(
        name.substring(name.lastIndexOf('.') + 1), frame.getMethodName(), frame.getLineNumber());
  }

  @Override
  public int compareTo(CallSite other) {
    int order = type.compareTo(other.type);
    return order != 0 ? order : Integer.compare(line, other.line);
  }

  @Override
  public String toString() {
    return type + "." + method + ":" + line;
  }
}
