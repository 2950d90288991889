// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import picocli.CommandLine.Option;

/** The option of commands that say how far they are; picocli fills it in. */
public final class ProgressOption {

  @Option(
      names = "--progress",
      paramLabel = "HOW",
      description = "bar, plain (a line every 10 s), or auto: a bar on a terminal only.")
  private String how;

  /** What was typed; null if nothing was. */
  public String how() {
    return how;
  }
}
