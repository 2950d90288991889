// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.CommandTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command {@code page}: fills the tables of a benchmark page from the report files in the
 * page's directory.
 */
@Command(name = "page", mixinStandardHelpOptions = true, modelTransformer = CommandTable.class)
public final class PageCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PAGE", description = "A page with markers.")
  private Path page;

  @Option(names = "--write", description = "Change the page.")
  private boolean write;

  @Override
  public Integer call() throws IOException {
    if (!Files.isRegularFile(page)) {
      spec.commandLine().getErr().println("There is no page " + page);
      return BenchExitCode.USAGE;
    }
    String filled = BenchmarkPage.filled(page);
    if (write) {
      Files.writeString(page, filled);
    } else {
      spec.commandLine().getOut().print(filled);
      spec.commandLine().getOut().flush();
    }
    return BenchExitCode.DONE;
  }
}
