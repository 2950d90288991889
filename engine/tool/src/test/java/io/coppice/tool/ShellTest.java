// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output for shells: completion, the manual page, and colors. */
class ShellTest {

  @TempDir Path directory;

  private String shell(String script, String... environment) throws Exception {
    Path file = Files.writeString(directory.resolve("script.sh"), script);
    ProcessBuilder builder = new ProcessBuilder("bash", file.toString()).redirectErrorStream(true);
    builder.environment().remove("NO_COLOR");
    builder.environment().put("TERM", "xterm");
    for (String each : environment) {
      builder.environment().put(each.split("=")[0], each.split("=")[1]);
    }
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }

  private static boolean has(String program) {
    return List.of(System.getenv("PATH").split(":")).stream()
        .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
  }

  private String completed(String... words) throws Exception {
    Path script = directory.resolve("completion");
    Files.writeString(script, ToolRun.of("completion").out());
    String typed = String.join("\" \"", words);
    return shell(
        "source "
            + script
            + "\nCOMP_WORDS=(\""
            + typed
            + "\")\nCOMP_CWORD="
            + (words.length - 1)
            + "\n_complete_coppice-tool 2>/dev/null\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  }

  @Test
  void bashCompletesCommandsVerbsAndOptions() throws Exception {
    assertThat(completed("coppice-tool", "sim").strip()).isEqualTo("simulate");
    assertThat(completed("coppice-tool", "store", "ver").strip()).isEqualTo("verify");
    assertThat(completed("coppice-tool", "store", "scan", "--re").strip()).isEqualTo("--reverse");
    assertThat(completed("coppice-tool", "preflight", "--").lines())
        .contains("--jmx", "--user", "--json");
  }

  @Test
  void theScriptSetsUpZshToo() {
    assertThat(ToolRun.of("completion").out()).contains("ZSH_VERSION", "bashcompinit");
  }

  @Test
  void theManualPageNamesEveryCommandAndTheFormatterFindsNoFault() throws Exception {
    ToolRun run = ToolRun.of("man");
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .startsWith(".TH COPPICE-TOOL 1")
        .contains(".SS coppice\\-tool store verify", ".SH EXIT STATUS", "NO_COLOR");
    assumeTrue(has("groff"), "no groff");
    Path page = Files.writeString(directory.resolve("page.1"), run.out());
    assertThat(shell("groff -man -Tascii -ww -z " + page)).isEmpty();
    String text = shell("groff -man -Tascii -P-cbou " + page);
    assertThat(text).contains("coppice-tool canary", "--password-file=FILE", "Exit codes: 0 done");
  }

  private String help(String... environment) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String command =
        java
            + " -XX:TieredStopAtLevel=1 -cp "
            + System.getProperty("java.class.path")
            + " "
            + Main.class.getName()
            + " store get --help";
    return shell("script -qec '" + command + "' /dev/null < /dev/null", environment);
  }

  @Test
  void colorsAreForTerminalsAndNotWithNoColor() throws Exception {
    String escape = "\u001b[";
    assertThat(ToolRun.of("store", "get", "--help").out()).doesNotContain(escape);
    assumeTrue(has("script"), "no script");
    assertThat(help()).contains(escape);
    assertThat(help("NO_COLOR=1")).contains("store get").doesNotContain(escape);
  }

  /** The tool has colors from the parser alone; its other sequences move the cursor. */
  @Test
  void noOtherCodeHasColors() throws IOException {
    try (var files = Files.walk(Path.of("src", "main", "java"))) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        assertThat(Files.readString(file))
            .as(file.toString())
            .doesNotContainPattern("(u001b|033|x1b)\\[[0-9;]*m");
      }
    }
  }
}
