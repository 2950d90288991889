// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.coppice.base.bytes.NameText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page at three sizes, light and dark, by keyboard alone: every page is reached and nothing
 * falls outside. Pictures of all are left in {@link Chromium#images}.
 */
class ConsoleSizesTest {

  private static final double PATIENCE_MILLIS = 180_000;
  private static final int MOST_TABS = 60;
  private static final String ODD_FAMILY = "<b>&amp;\u202e\"'`日本/\uD83C\uDF33".repeat(4);
  private static final int[][] SIZES = {{1400, 900}, {800, 900}, {390, 844}};

  @TempDir Path directory;

  private final List<String> faults = new ArrayList<>();
  private Page page;
  private String picture;

  @Test
  void everyPageIsReachedByKeysAtEverySize() throws Exception {
    Chromium.require();
    try (WatchedStore watched = new WatchedStore(directory.resolve("store"), true)) {
      watched.store.createFamily(ODD_FAMILY);
      watched.write(6000, 1);
      watched.store.flush();
      watched.store.awaitIdle();
      String odd = watched.name + "/" + NameText.pathPart(ODD_FAMILY);
      watched.await(
          "/api/state",
          state ->
              state
                  .at("/nodes/0/tables")
                  .findValuesAsText("id")
                  .containsAll(List.of(watched.table(), odd)));
      try (Playwright playwright = Chromium.playwright();
          Browser browser = Chromium.browser(playwright, PATIENCE_MILLIS)) {
        for (int[] size : SIZES) {
          for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            open(browser, watched, size, scheme);
            walk(watched);
            page.close();
          }
        }
      }
      assertThat(faults).isEmpty();
    }
  }

  private void open(Browser browser, WatchedStore watched, int[] size, ColorScheme scheme) {
    picture = "size-" + size[0] + "-" + scheme.name().toLowerCase(Locale.ROOT);
    page =
        browser.newPage(
            new Browser.NewPageOptions()
                .setViewportSize(size[0], size[1])
                .setReducedMotion(ReducedMotion.REDUCE)
                .setColorScheme(scheme));
    page.setDefaultTimeout(PATIENCE_MILLIS);
    Chromium.makePatient(page);
    page.onPageError(faults::add);
    page.onDialog(dialog -> faults.add("a dialog: " + dialog.message()));
    page.navigate(watched.address().toString());
    page.waitForSelector("tr[data-table='" + watched.table() + "']");
    assertThat(page.getAttribute("html", "data-theme"))
        .isEqualTo(scheme == ColorScheme.DARK ? "dark" : "light");
  }

  private void walk(WatchedStore watched) {
    fits("overview");
    page.keyboard().press("?");
    page.waitForSelector("dialog[open] #keys");
    fits("keys");
    page.keyboard().press("Escape");
    page.waitForSelector("dialog:not([open])", hidden());
    overviewIsSearchedAndSorted(watched);
    tabTo("a[data-key$='" + watched.table() + "']");
    page.keyboard().press("Enter");
    page.waitForSelector("#forest[data-tables]");
    fits("forest");
    tabTo("#forest");
    pressUntilShown("ArrowRight", "#card:not([hidden])");
    fits("forest-card");
    page.keyboard().press("Escape");
    page.keyboard().press("2");
    page.waitForSelector("#course");
    tabTo("[data-seconds='600']");
    page.keyboard().press("Enter");
    page.waitForSelector("[data-seconds='600'][aria-pressed=true]");
    tabTo("#course");
    pressUntilShown("End", "#card:not([hidden]) >> text=write amplification");
    fits("amplification");
    page.keyboard().press("Escape");
    page.keyboard().press("3");
    valuesAreTypedAndJudged();
    page.keyboard().press("4");
    page.waitForSelector("#decisions");
    fits("decisions");
    page.keyboard().press("5");
    page.waitForSelector("#nodes");
    fits("nodes");
    page.keyboard().press("c");
    page.waitForSelector("h1 >> text=Compactions");
    fits("compactions");
    page.keyboard().press("h");
    page.waitForSelector("h1 >> text=History");
    fits("history");
    assertThat(page.querySelectorAll("main b, main img, main script")).isEmpty();
  }

  /** Presses a key until an element shows. A key that arrives while the page is drawn is lost. */
  private void pressUntilShown(String key, String selector) {
    for (int i = 0; i < MOST_TABS && !page.isVisible(selector); i++) {
      page.keyboard().press(key);
      page.waitForTimeout(200);
    }
    page.waitForSelector(selector);
  }

  private void overviewIsSearchedAndSorted(WatchedStore watched) {
    List<?> shown =
        (List<?>)
            page.evaluate(
                "() => [document.querySelectorAll('#tables tr.link').length,"
                    + " document.querySelector('#totals').innerText]");
    int rows = (int) shown.get(0);
    assertThat(rows).isGreaterThan(1);
    assertThat(shown.get(1).toString()).contains(rows + " tables");
    page.keyboard().press("/");
    page.keyboard().type("default " + watched.name);
    page.waitForFunction("() => document.querySelectorAll('#tables tr.link').length === 1");
    assertThat(page.innerText("#totals")).contains("1 table");
    page.keyboard().type("nothing like it");
    page.waitForSelector("text=No table matches");
    page.keyboard().press("Escape");
    page.waitForFunction(
        "rows => document.querySelectorAll('#tables tr.link').length === rows", rows);
    boolean narrow = page.viewportSize().width <= 860;
    if (narrow) {
      tabTo("#order");
      for (int i = 0; i < MOST_TABS && !"live".equals(page.inputValue("#order")); i++) {
        page.keyboard().press("ArrowDown");
      }
    } else {
      tabTo("button[data-key='sort live']");
      page.keyboard().press("Enter");
      page.waitForSelector("th[aria-sort=descending] >> text=live");
    }
    page.waitForFunction(
        "first => document.querySelector('#tables tr.link').dataset.table === first",
        watched.table());
  }

  private void valuesAreTypedAndJudged() {
    page.waitForSelector("input[name=vct]");
    tabTo("input[name=vct]");
    page.keyboard().press("Control+a");
    page.keyboard().type("99");
    page.waitForSelector("#fault-vct >> text=vct (99) must be in 0..64");
    fits("tune-fault");
    List<Route> checks = new ArrayList<>();
    page.route("**/api/validate", checks::add);
    page.keyboard().press("Control+a");
    page.keyboard().type("3");
    page.waitForCondition(() -> !checks.isEmpty());
    tabTo("#apply");
    page.keyboard().press("Shift+Tab");
    assertThat(page.evaluate("() => document.activeElement.id"))
        .as("reached while the values are checked")
        .isEqualTo("simulate");
    page.unroute("**/api/validate");
    checks.forEach(Route::resume);
    page.keyboard().press("Enter");
    page.waitForSelector("#results:not(.stale) #forecast");
    page.locator("#results").scrollIntoViewIfNeeded();
    fits("tune");
    assertThat(page.isEnabled("#apply")).isTrue();
    page.evaluate("() => document.activeElement.blur()");
  }

  private static Page.WaitForSelectorOptions hidden() {
    return new Page.WaitForSelectorOptions().setState(WaitForSelectorState.ATTACHED);
  }

  /** Presses Tab until that element has the focus. */
  private void tabTo(String selector) {
    for (int i = 0; i < MOST_TABS; i++) {
      if ((boolean) page.evaluate("it => document.activeElement?.matches(it) ?? false", selector)) {
        return;
      }
      page.keyboard().press("Tab");
    }
    throw new AssertionError(selector + " is not reached by Tab");
  }

  /** Nothing is wider than the window or cut off at its right side, and a picture is taken. */
  private void fits(String name) {
    int wide = ((Number) page.evaluate("() => document.documentElement.scrollWidth")).intValue();
    assertThat(wide).as(name + " of " + picture).isLessThanOrEqualTo(page.viewportSize().width);
    List<?> outside =
        (List<?>)
            page.evaluate(
                "() => [...document.querySelectorAll('main button, main input, main select, main td,"
                    + " header a, header button, dialog[open] *, #card:not([hidden])')]"
                    + ".filter((one) => one.getClientRects().length"
                    + " && one.getBoundingClientRect().right > innerWidth + 1"
                    + " && !one.closest('#status'))"
                    + ".map((one) => one.outerHTML.slice(0, 80))");
    assertThat(outside).as(name + " of " + picture).isEmpty();
    page.screenshot(
        new Page.ScreenshotOptions()
            .setPath(Chromium.images().resolve(picture + "-" + name + ".png")));
  }
}
