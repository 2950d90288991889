// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Results of the parts of a run, saved in files so that an incomplete run can resume.
 *
 * @param directory directory of the files
 * @param resume whether results of an earlier run count
 * @param mark line that identifies the measured code, such as its commit; results with another line
 *     are ignored
 */
public record SavedResults(Path directory, boolean resume, String mark, ProgressLine progress) {

  /**
   * Measurement of one part of a run. An implementation must first begin a step of {@link
   * SavedResults#progress}; {@link #get} finishes it.
   */
  public interface Measurement<T> {
    T measure() throws IOException, InterruptedException, RunFailedException;
  }

  /**
   * Returns the file of a part.
   *
   * @param load description of the measured load; results of another load are ignored
   */
  public SavedResult file(String name, String load) {
    return new SavedResult(directory.resolve(name + ".txt"), mark + " " + load);
  }

  /**
   * Returns the saved result of a part, or measures it and saves the result.
   *
   * @param weight weight of the part in the progress
   */
  public <T> T get(SavedResult file, double weight, Class<T> type, Measurement<T> measurement)
      throws IOException, InterruptedException, RunFailedException {
    Optional<T> earlier = resume ? file.saved(type) : Optional.empty();
    if (earlier.isPresent()) {
      progress.skip(weight);
      return earlier.get();
    }
    T result = measurement.measure();
    file.save(result);
    progress.finished();
    return result;
  }
}
