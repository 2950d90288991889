// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import com.microsoft.playwright.Page;
import java.nio.file.Path;

/** Where the browser of tests is, and where they leave pictures. Safe to share between threads. */
public final class Chromium {

  private Chromium() {}

  /** As {@code -Dconsole.browser} says, else where systems have it. */
  public static Path path() {
    return Path.of(System.getProperty("console.browser", "/usr/bin/chromium"));
  }

  /** As {@code -Dconsole.images} says, else in {@code target}. */
  public static Path images() {
    return Path.of(System.getProperty("console.images", "target/console"));
  }

  /**
   * Waits on the page of compactions until one that was seen there is seen further on. Each is
   * compared with itself on the same node: beside one that is nearly done, no other could be
   * further than it was.
   */
  public static void awaitProgress(Page page) {
    page.waitForFunction(
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
        """);
  }
}
