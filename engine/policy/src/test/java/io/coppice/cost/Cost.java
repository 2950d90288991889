// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cost;

/**
 * Processor time of a test class. A class may have several records in a build.
 *
 * @param build the build that ran it
 * @param millis milliseconds, child processes included
 * @param name the class
 */
record Cost(String build, long millis, String name) {

  String line() {
    return build + "\t" + millis + "\t" + name + "\n";
  }

  static Cost parse(String line) {
    String[] fields = line.split("\t");
    return new Cost(fields[0], Long.parseLong(fields[1]), fields[2]);
  }
}
