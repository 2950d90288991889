// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import io.coppice.testing.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The browser of the console's tests. {@code .ci/browser} fetches the driver, the part of
 * Playwright that controls the browser. Tests leave pictures in {@link #images}. Safe to share
 * between threads.
 */
public final class Chromium {

  private static final String VERSION = Playwright.class.getPackage().getImplementationVersion();

  private static final String PROGRESS =
      """
      () => {
        const seen = (window.seenCompactions ??= new Map());
        return [...document.querySelectorAll("#compactions tbody tr")].some((row) => {
          const node = row.querySelector(".sub").textContent;
          const id = node + " " + row.querySelector("[data-key]").dataset.key;
          const done = row.querySelector("progress").value;
          if (!seen.has(id)) {
            seen.set(id, done);
          }
          return done > seen.get(id);
        });
      }
      """;

  private Chromium() {}

  /** Skips the calling test where the machine lacks Chromium or Playwright's driver. */
  public static void require() {
    Needs.that(
        Files.isExecutable(path()),
        "there is no Chromium at " + path() + "; install it, or pass -Dconsole.browser=FILE");
    Needs.that(
        Files.isExecutable(driver().resolve("node")),
        "there is no driver of Playwright " + VERSION + " in " + driver() + "; run .ci/browser");
  }

  /** Starts the driver; the caller closes it. */
  public static Playwright playwright() {
    System.setProperty("playwright.cli.dir", driver().toString());
    return Playwright.create(
        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
  }

  /** Starts the browser and waits up to {@code patienceMillis} for it; the caller closes it. */
  public static Browser browser(Playwright playwright, double patienceMillis) {
    return playwright
        .chromium()
        .launch(
            new BrowserType.LaunchOptions()
                .setExecutablePath(path())
                .setTimeout(patienceMillis)
                .setArgs(List.of("--no-sandbox")));
  }

  /**
   * Makes the page of a console wait for answers as long as they take, and for the release of a
   * pressed button, so that a slow machine sees what a fast one sees. Called before the page opens.
   */
  public static void makePatient(Page page) {
    page.addInitScript(
        """
        addEventListener("DOMContentLoaded", () => {
          const weeks = 2 ** 31 - 1;
          Object.assign(Coppice.patience, { question: weeks, order: weeks, pressed: weeks });
        });
        """);
  }

  private static Path path() {
    return Path.of(System.getProperty("console.browser", "/usr/bin/chromium"));
  }

  /** The directory that {@code .ci/browser} prints, unless {@code -Dplaywright.cli.dir} is set. */
  private static Path driver() {
    String given = System.getProperty("playwright.cli.dir");
    return given != null
        ? Path.of(given)
        : Path.of(System.getProperty("user.home"), ".cache/coppice/playwright-" + VERSION);
  }

  /** As {@code -Dconsole.images} says, else in {@code target}. */
  public static Path images() {
    return Path.of(System.getProperty("console.images", "target/console"));
  }

  /** Waits until a compaction on the page has progressed. */
  public static void awaitProgress(Page page) {
    page.waitForFunction(PROGRESS);
  }

  /**
   * Returns whether some compaction on the page has progressed since an earlier call, or the start
   * of a wait, saw it. Each is compared with itself on the same node.
   */
  static boolean showsProgress(Page page) {
    return (boolean) page.evaluate(PROGRESS);
  }
}
