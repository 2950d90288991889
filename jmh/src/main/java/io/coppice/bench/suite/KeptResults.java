// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Results of the parts of a run, kept in files so that an incomplete run can resume.
 *
 * @param directory of the files
 * @param resume whether results of an earlier run count
 * @param mark of the measured code, such as its commit; results under another mark do not count
 */
public record KeptResults(Path directory, boolean resume, String mark, ProgressLine progress) {

  /** Measures one part of a run and begins its step of the progress. */
  public interface Measurement<T> {
    T measure() throws IOException, InterruptedException, RunFailedException;
  }

  /**
   * Returns the file of a part.
   *
   * @param load what is measured; a result of another load does not count
   */
  public KeptFile file(String name, String load) {
    return new KeptFile(directory.resolve(name + ".txt"), mark + " " + load);
  }

  /**
   * Returns the kept result of a part, or measures it and keeps the result.
   *
   * @param weight of the part in the progress
   */
  public <T> T get(KeptFile file, double weight, Class<T> type, Measurement<T> measurement)
      throws IOException, InterruptedException, RunFailedException {
    Optional<T> earlier = resume ? file.kept(type) : Optional.empty();
    if (earlier.isPresent()) {
      progress.skip(weight);
      return earlier.get();
    }
    T result = measurement.measure();
    file.keep(result);
    progress.finished();
    return result;
  }
}
