// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

/** What a command of the tool jar ends with. */
final class ExitCode {

  /** All done. */
  static final int DONE = 0;

  /** It failed, or the answer is no: a journal replays differently. */
  static final int FAILED = 1;

  /** Wrong usage; every fault is named, and nothing was started. */
  static final int USAGE = 2;

  private ExitCode() {}
}
