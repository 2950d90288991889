// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import io.coppice.cassandra.node.OnJdk17;
import io.coppice.tool.console.Chromium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The console's page in a browser, on a real Cassandra: a person sees tables appear, watches a
 * merge, simulates, applies and takes back. Its pictures are left in {@code target/console}, or
 * where {@code -Dconsole.images} says; those of the documents were made so.
 */
@OnJdk17
final class ConsoleBrowserIT {

  private static final Path IMAGES = Chromium.images();
  private static final String TABLE = "ks.orders";
  private static final double PATIENCE_MILLIS = 600_000;

  private final List<String> faults = new ArrayList<>();
  private Page page;

  @Test
  void aPersonSeesMergesAndTunes() throws Exception {
    Chromium.require();
    try (ConsoleNode node = ConsoleNode.start("console-browser");
        Playwright playwright = Chromium.playwright();
        Browser browser = Chromium.browser(playwright, PATIENCE_MILLIS)) {
      open(browser);
      page.navigate(node.address().toString());
      tablesAppear();
      aMergeShowsAndAnOperationProgresses();
      aDelayIsHatched();
      aStrategyOfCassandraHasNoPicture();
      aChangeIsSimulatedAppliedAndTakenBack();
      assertThat(faults).isEmpty();
      assertThat(node.end()).isZero();
    }
  }

  private void open(Browser browser) {
    page =
        browser.newPage(
            new Browser.NewPageOptions()
                .setViewportSize(1280, 800)
                .setReducedMotion(ReducedMotion.REDUCE)
                .setColorScheme(ColorScheme.LIGHT));
    page.setDefaultTimeout(PATIENCE_MILLIS);
    page.onPageError(faults::add);
    page.onDialog(dialog -> faults.add("a dialog: " + dialog.message()));
  }

  private String row() {
    return "tr[data-table='" + TABLE + "'] >> nth=0";
  }

  private void tablesAppear() {
    page.waitForSelector(row());
    page.waitForFunction(
        "() => Coppice.state.nodes[0].tables.length === 5"
            + " && Coppice.state.nodes[0].tables.every(one => one.live > 2e6)");
    for (String strategy :
        List.of("SizeTieredCompactionStrategy", "LeveledCompactionStrategy", "split-forest")) {
      page.waitForFunction(
          "strategy => document.querySelector('#tables').innerText.includes(strategy)", strategy);
    }
    shot("cassandra-overview", 640);
  }

  private void aMergeShowsAndAnOperationProgresses() {
    page.click(row() + " >> a");
    page.waitForFunction("() => document.querySelector('#forest')?.dataset.merges > 0");
    shot("cassandra-merging", 800);
    page.keyboard().press("c");
    Chromium.awaitProgress(page);
    shot("cassandra-compactions", 420);
  }

  private void aDelayIsHatched() {
    page.keyboard().press("o");
    page.click(row() + " >> a");
    page.waitForFunction("() => document.querySelector('#forest')?.dataset.virtual > 1");
    shot("cassandra-forest", 800);
  }

  private void aStrategyOfCassandraHasNoPicture() {
    page.keyboard().press("o");
    page.click("tr[data-table='ks.by_level'] >> nth=0 >> a");
    page.waitForSelector("text=No picture of ks.by_level");
    page.click(".tabs >> text=Amplification");
    page.waitForSelector("#course");
    page.click(".tabs >> text=Nodes");
    page.waitForSelector("#nodes tbody tr >> nth=1");
    assertThat(page.innerText("main")).contains("is a canary");
  }

  private void aChangeIsSimulatedAppliedAndTakenBack() {
    page.keyboard().press("o");
    page.click(row() + " >> a");
    page.click(".tabs >> text=Tune");
    String old = page.inputValue("input[name=vct]");
    page.fill("input[name=vct]", "4");
    assertThat(page.isDisabled("#copy")).as("not simulated").isTrue();
    page.click("#simulate");
    page.waitForSelector("#forecast");
    assertThat(page.innerText("#results")).contains("write amplification", "simulated, changed");
    page.click("#copy");
    page.waitForSelector("#permanent");
    assertThat(page.innerText("#permanent"))
        .contains("ALTER TABLE " + TABLE + " WITH compaction", "'vct': '4'");
    shotWhole("cassandra-tune");
    page.click("#apply");
    page.click("#yes");
    page.waitForSelector("tbody >> text=now 4");
    page.waitForSelector("section:has(#since) >> text=vct " + old + " → 4");
    page.click(".tabs >> text=Amplification");
    page.waitForFunction("() => document.querySelector('#course')?.dataset.changes > 0");
    // Made here, so what the next look sees is no other.
    awaitSamples();
    assertThat(page.getAttribute("#course", "aria-label"))
        .contains("changed here: vct " + old + " → 4")
        .doesNotContain("elsewhere");
    page.click(".tabs >> text=Nodes");
    page.waitForSelector("#nodes >> text=not as the schema says");
    shot("cassandra-nodes", 420);
    page.evaluate("() => document.activeElement.blur()");
    page.keyboard().press("h");
    page.click("#history >> text=Undo…");
    page.click("#yes");
    page.waitForSelector("#history >> text=undone: vct 4 → " + old);
  }

  /** Waits until the page has drawn two looks that the console takes from now on. */
  private void awaitSamples() {
    long seen = newestSample();
    for (int samples = 0; samples < 2; ) {
      long newest = newestSample();
      samples += newest > seen ? 1 : 0;
      seen = newest;
    }
    // The page draws an answer before it asks again.
    newestSample();
  }

  /** When the newest look of the page's next answer was taken. */
  private long newestSample() {
    Response answer = page.waitForResponse(one -> one.url().contains("/api/table?"), () -> {});
    try {
      JsonNode samples = new ObjectMapper().readTree(answer.body()).at("/series/at");
      return samples.get(samples.size() - 1).asLong();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void shot(String name, int height) {
    page.evaluate("() => { document.getElementById('toast').hidden = true; }");
    page.screenshot(
        new Page.ScreenshotOptions()
            .setPath(IMAGES.resolve("console-" + name + ".png"))
            .setClip(0, 0, 1280, height));
  }

  private void shotWhole(String name) {
    page.evaluate(
        "() => { document.getElementById('toast').hidden = true; window.scrollTo(0, 0); }");
    page.screenshot(
        new Page.ScreenshotOptions()
            .setPath(IMAGES.resolve("console-" + name + ".png"))
            .setFullPage(true));
  }
}
