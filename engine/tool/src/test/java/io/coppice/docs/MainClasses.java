// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The compiled main classes of all modules below {@code engine/}. */
final class MainClasses {

  private MainClasses() {}

  /** Returns the main classes of packages and of those below them. */
  static JavaClasses of(String... packages) {
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        // Maven puts the tests of another module on the class path as a jar.
        .withImportOption(location -> !location.contains("-tests.jar"))
        .withImportOption(location -> !location.contains("jdk"))
        .importPackages(packages);
  }
}
