// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.bytes.NameText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page in a browser: a person sees tables appear, watches a merge, simulates, applies and takes
 * back. Its pictures are left in {@code target/console}, or where {@code -Dconsole.images} says;
 * those of the documents were made so. On a Cassandra, {@code ConsoleBrowserIT} does the same.
 */
class ConsoleBrowserTest {

  private static final Path IMAGES = Chromium.images();
  private static final double PATIENCE_MILLIS = 180_000;

  /** Options of a call that waits for the answer of the console as long as it takes. */
  private static final Route.FetchOptions NO_LIMIT = new Route.FetchOptions().setTimeout(0);

  @TempDir Path directory;

  private Page page;
  private final List<String> faults = new ArrayList<>();

  @Test
  void aPersonSeesMergesAndTunes() throws Exception {
    Chromium.require();
    try (WatchedStore watched = new WatchedStore(directory.resolve("store"), true);
        Playwright playwright = Chromium.playwright();
        Browser browser = Chromium.browser(playwright, PATIENCE_MILLIS)) {
      open(browser);
      tablesAppear(watched);
      aMergeProgresses(watched);
      theForestIsWalkedByKeys();
      aChangeIsSimulatedAppliedAndTakenBack(watched);
      whatSomebodyElseChangesIsNotOverwritten(watched);
      thePolicyIsChangedAndValuesAreSuggested(watched);
      namesStayText();
      aLostNodeIsTold(watched);
      aConsoleThatDoesNotAnswerIsTold();
      whatAProxyAnswersInItsPlaceIsTold();
      whatIsLostByStoppingATaskOfCassandrasIsSaid(watched);
      assertThat(faults).isEmpty();
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
    Chromium.makePatient(page);
    page.onPageError(faults::add);
    page.onDialog(dialog -> faults.add("a dialog: " + dialog.message()));
    page.onConsoleMessage(
        message -> {
          // Refusals are part of the story, what the page's policy forbids is not.
          if (message.type().equals("error") && !message.text().startsWith("Failed to load")) {
            faults.add(message.text());
          }
        });
  }

  private void tablesAppear(WatchedStore watched) {
    page.navigate(watched.address().toString());
    page.waitForSelector("tr[data-table='" + watched.table() + "']");
    assertThat(page.url()).doesNotContain(watched.address().getFragment());
    watched.write(16_000, 1);
    watched.store.flush();
    watched.store.awaitIdle();
    page.waitForFunction(
        "() => document.querySelector('tr[data-table] td:nth-child(6)').textContent.includes('MB')");
    page.reload();
    page.waitForSelector("tr[data-table='" + watched.table() + "']");
    aClickHoldsThoughThePageIsDrawnMeanwhile(watched);
  }

  private void aClickHoldsThoughThePageIsDrawnMeanwhile(WatchedStore watched) {
    page.hover("tr[data-table='" + watched.table() + "'] a");
    page.mouse().down();
    page.evaluate(
        "async () => { for (let i = 0; i < 3; i++) {"
            + " await Coppice.tick(); await new Promise((next) => setTimeout(next, 300)); } }");
    page.mouse().up();
    page.waitForSelector(".tabs");
    page.keyboard().press("o");
    page.hover("tr[data-table='" + watched.table() + "'] a");
    anyAddressLeadsSomewhere(watched);
  }

  private void anyAddressLeadsSomewhere(WatchedStore watched) {
    String set = "hash => { location.hash = hash; }";
    page.evaluate(set, "#/table/nowhere/nothing");
    page.waitForSelector("text=There is no table");
    page.evaluate(set, "#/table/%");
    page.waitForSelector("h1 >> text=Tables");
    page.evaluate("() => sessionStorage.clear()");
    page.evaluate(set, "#" + watched.address().getFragment());
    page.waitForFunction("() => location.hash === '#/' && sessionStorage.length > 0");
    page.waitForSelector("tr[data-table='" + watched.table() + "']");
  }

  private void aMergeProgresses(WatchedStore watched) throws InterruptedException {
    watched.write(1500, 2);
    // At one byte per second a merge waits for hours after each piece. Each call ends that wait, so
    // the test decides when the merge continues.
    watched.store.compactionRate(1);
    Thread compacting = new Thread(watched.store::compact);
    compacting.start();
    page.click("tr[data-table='" + watched.table() + "']");
    page.waitForSelector("#forest[data-tables]");
    page.waitForFunction("() => document.querySelector('#forest').dataset.merges > 0");
    page.waitForFunction("() => Coppice.state.nodes[0].compactions.some(one => one.done > 0)");
    page.waitForFunction("() => document.querySelector('#forest').dataset.capacities > 1");
    shot("forest", 800);
    int drawn =
        ((Number) page.evaluate("() => Number(document.querySelector('#forest').dataset.tables)"))
            .intValue();
    assertThat(drawn).isGreaterThan(10);
    whyATableIsMergedIsSaidWhereTheMouseIs();
    page.keyboard().press("c");
    while (!Chromium.showsProgress(page)) {
      assertThat(compacting.isAlive()).as("the merge goes on").isTrue();
      watched.store.compactionRate(1);
      awaitNewerSample();
    }
    shot("compactions", 420);
    page.keyboard().press("o");
    page.waitForSelector("#tables");
    assertThat(page.innerText(".room")).contains("merges", "live", "if all", "free");
    shot("overview", 420);
    watched.store.compactionRate(0);
    compacting.join();
    watched.store.awaitIdle();
  }

  /** Waits until the page has drawn the process as it was after this call, or later. */
  private void awaitNewerSample() {
    page.waitForFunction(
        "now => Coppice.state.nodes[0].seen > now", (double) System.currentTimeMillis());
  }

  private void whyATableIsMergedIsSaidWhereTheMouseIs() {
    BoundingBox forest = page.locator("#forest").boundingBox();
    String why = "";
    for (double y = 10; y < forest.height && !why.startsWith("Merging"); y += 12) {
      for (double x = 140; x < forest.width && !why.startsWith("Merging"); x += 130) {
        page.mouse().move(forest.x + x, forest.y + y);
        why =
            (String)
                page.evaluate(
                    "() => document.querySelector('#card:not([hidden]) .why')?.innerText ?? ''");
      }
    }
    assertThat(why).matches("Merging into level \\d: .+");
    page.mouse().move(0, 0);
    assertThat(page.isHidden("#card")).isTrue();
  }

  private void theForestIsWalkedByKeys() {
    page.click("tr[data-table] a");
    page.waitForFunction(
        "now => { const forest = document.querySelector('#forest');"
            + " return forest?.dataset.at > now && forest.dataset.merges === '0'; }",
        (double) System.currentTimeMillis());
    page.focus("#forest");
    page.keyboard().press("ArrowRight");
    page.keyboard().press("ArrowDown");
    page.waitForSelector("#card:not([hidden])");
    assertThat(page.innerText("#card")).contains("entries", "level");
    assertThat(page.innerText("#spoken")).isNotEmpty();
    page.keyboard().press("Escape");
    assertThat(page.isHidden("#card")).isTrue();
    Locator slider = page.locator("#replay");
    slider.focus();
    String live = page.getAttribute("#forest", "data-at");
    page.keyboard().press("Home");
    page.waitForFunction("() => !document.querySelector('output').textContent.includes('live')");
    page.waitForFunction(
        "live => Number(document.querySelector('#forest').dataset.at) < Number(live)", live);
    anAnswerThatComesLateIsNotShownUnderAnotherTime(slider);
    page.click("#live");
    page.focus("#forest");
    for (int i = 0; i < 5; i++) {
      page.keyboard().press("ArrowRight");
    }
    page.waitForSelector("#card:not([hidden])");
    page.keyboard().press("d");
    shot("forest-dark", 800);
    page.keyboard().press("d");
  }

  /** The picture of the oldest time is held back while the slider goes on to the newest. */
  private void anAnswerThatComesLateIsNotShownUnderAnotherTime(Locator slider) {
    String oldest = page.getAttribute("#forest", "data-at");
    List<Route> held = new ArrayList<>();
    page.route(
        "**/api/picture**",
        route -> {
          if (held.isEmpty()) {
            held.add(route);
          } else {
            route.resume();
          }
        });
    slider.press("End");
    page.waitForCondition(() -> held.size() == 1);
    page.waitForResponse("**/api/picture**", () -> slider.press("Home"));
    page.waitForResponse("**/api/picture**", () -> held.get(0).resume());
    page.waitForResponse("**/api/table**", () -> {});
    assertThat(page.getAttribute("#forest", "data-at")).isEqualTo(oldest);
    page.unroute("**/api/picture**");
  }

  private void aChangeIsSimulatedAppliedAndTakenBack(WatchedStore watched) {
    String before = watched.store.family("default").policy();
    page.click(".tabs >> text=Tune");
    assertThat(page.isDisabled("#apply")).isTrue();
    wrongValuesAreMarkedWhileOneTypes();
    page.fill("input[name=vct]", "3");
    assertThat(page.isDisabled("#copy")).as("not simulated").isTrue();
    assertThat(page.getAttribute("#copy", "title")).contains("neither simulated nor applied");
    page.click("#simulate");
    page.waitForSelector("#forecast");
    assertThat(page.innerText("#results"))
        .contains("write amplification", "simulated, changed", "It settles in");
    page.click("#copy");
    page.waitForSelector("#permanent");
    assertThat(page.innerText("#permanent")).contains(".policy(\"delayed,", "vct=3");
    shotWhole("tune");
    aStatementThatANodeMayNotUnderstandIsNotCopied();
    aForecastThatOverfillsTheDiskIsWarnedOf();
    page.click("#apply");
    page.click("#yes");
    page.waitForSelector("tbody >> text=now 3");
    assertThat(watched.store.family("default").policy()).contains("vct=3");
    page.click(".tabs >> text=Amplification");
    page.waitForFunction(
        "() => { const c = document.querySelector('#course'); return c && c.dataset.changes > 0; }");
    shotWhole("amplification");
    watched.write(4000, 5);
    watched.store.flush();
    watched.store.awaitIdle();
    page.click(".tabs >> text=Tune");
    page.waitForFunction(
        "() => parseFloat(document.querySelector('#since td:nth-child(4)')?.textContent) >= 1");
    assertThat(page.innerText("section:has(#since)"))
        .contains("vct 8 → 3", "measured before", "simulated", "measured since");
    assertThat(page.innerText("#since td:nth-child(3)")).as("simulated").matches("\\d+\\.\\d+");
    shotWhole("tuned");
    page.evaluate("() => document.activeElement.blur()");
    page.keyboard().press("h");
    page.waitForSelector("#history >> text=so far");
    page.click("#history >> text=Undo…");
    page.click("#yes");
    page.waitForSelector("#history >> text=undone: vct 3 → 8");
    assertThat(watched.store.family("default").policy()).isEqualTo(before);
    shot("history", 420);
  }

  private void wrongValuesAreMarkedWhileOneTypes() {
    for (String[] wrong :
        new String[][] {
          {"vct", "400", "vct (400) must be in 0..64"},
          {"vct", "-1", "vct (-1) must be in 0..64"},
          {"fanout", "<b>", "fanout (<b>) must be a whole number in 2..32"},
          {"table_size", "1,vct=2", "table_size (1,vct=2) must be one value"},
        }) {
      page.fill("input[name=" + wrong[0] + "]", wrong[1]);
      page.waitForSelector("#fault-" + wrong[0] + " >> text=" + wrong[2]);
      assertThat(page.getAttribute("input[name=" + wrong[0] + "]", "aria-invalid"))
          .isEqualTo("true");
      assertThat(page.isDisabled("#simulate")).as(wrong[2]).isTrue();
      assertThat(page.isDisabled("#apply")).as(wrong[2]).isTrue();
      assertThat(page.isDisabled("#copy")).as(wrong[2]).isTrue();
    }
    page.fill("input[name=vct]", "400");
    page.waitForFunction("() => document.querySelectorAll('[aria-invalid=true]').length === 3");
    page.fill("input[name=fanout]", "10");
    shotWhole("tune-fault");
    page.click("text=Reset");
    page.waitForFunction("() => !document.querySelector('[aria-invalid=true]')");
  }

  /** Another policy is simulated, put in force and taken back; a suggestion fills the form. */
  private void thePolicyIsChangedAndValuesAreSuggested(WatchedStore watched) {
    String before = watched.store.family("default").policy();
    page.keyboard().press("o");
    page.click("tr[data-table='" + watched.table() + "'] a");
    page.click(".tabs >> text=Tune");
    page.click("#suggest");
    page.waitForSelector("#suggestions, #advice .room");
    page.selectOption("#aim", "wa");
    page.waitForSelector("#suggestions tbody tr >> nth=1");
    List<?> ranked =
        (List<?>)
            page.evaluate(
                "() => [...document.querySelectorAll('#suggestions tbody tr')]"
                    + ".map((row) => parseFloat(row.children[1].textContent))");
    assertThat(ranked.subList(1, ranked.size()))
        .as("by write amplification, below that in force")
        .isSortedAccordingTo(Comparator.comparingDouble(one -> ((Number) one).doubleValue()))
        .allSatisfy(
            one ->
                assertThat(((Number) one).doubleValue())
                    .isLessThan(((Number) ranked.get(0)).doubleValue()));
    assertThat(page.innerText("#suggestions tbody tr >> nth=1")).contains("−", "better");
    assertThat(color("#suggestions .better")).isNotEqualTo(color("#suggestions tbody td"));
    shotWhole("suggestions");
    page.click("#suggestions >> text=Use >> nth=0");
    page.waitForSelector("#apply:not(:disabled)");
    page.click("text=Reset");
    page.selectOption("#policy", "split-forest");
    page.fill("input[name=fanout]", "77");
    page.waitForSelector("#fault-fanout >> text=fanout (77) must be in 2..32");
    page.fill("input[name=fanout]", "3");
    page.click("#simulate");
    page.waitForSelector("#results:not(.stale) #forecast");
    page.click("#copy");
    assertThat(page.innerText("#permanent")).contains(".policy(\"split-forest,fanout=3,");
    page.click("#apply");
    page.click("#yes");
    page.waitForSelector(".pill >> text=split-forest");
    assertThat(watched.store.family("default").policy()).startsWith("split-forest,fanout=3,");
    page.waitForFunction("() => document.querySelector('#policy').value === 'split-forest'");
    page.waitForSelector("section:has(#since) >> text=delayed → split-forest");
    page.evaluate("() => document.activeElement.blur()");
    page.keyboard().press("h");
    page.waitForSelector("#history >> text=delayed → split-forest");
    assertThat(page.querySelectorAll("#history button")).as("of the last change alone").hasSize(1);
    page.click("#history >> text=Undo…");
    page.click("#yes");
    page.waitForSelector("#history >> text=undone: split-forest → delayed");
    assertThat(watched.store.family("default").policy()).isEqualTo(before);
    page.waitForSelector("#history >> text=another change has replaced it");
  }

  private String color(String selector) {
    return (String)
        page.evaluate("it => getComputedStyle(document.querySelector(it)).color", selector);
  }

  /** What the dialog asked about is not in force any more when the person says yes. */
  private void whatSomebodyElseChangesIsNotOverwritten(WatchedStore watched) {
    String before = watched.store.family("default").policy();
    page.keyboard().press("o");
    page.click("tr[data-table='" + watched.table() + "'] a");
    page.click(".tabs >> text=Tune");
    page.fill("input[name=vct]", "3");
    assertThat(page.querySelector("#since")).as("it was undone").isNull();
    page.click("#apply");
    page.waitForSelector("#yes");
    watched.store.policy("delayed,table_size=16KiB,vct=5");
    page.waitForSelector("#beneath:not([hidden]) >> text=vct 8 → 5");
    page.click("#yes");
    // The text stays when the message disappears.
    page.waitForFunction(
        "() => document.getElementById('toast').textContent"
            + ".includes('was expected; read the policy')");
    assertThat(watched.store.family("default").policy()).contains("vct=5");
    assertThat(page.inputValue("input[name=vct]")).as("what was typed").isEqualTo("3");
    watched.store.policy(before);
    page.waitForSelector("#beneath >> text=vct 5 → 8");
    assertThat(page.inputValue("input[name=vct]")).isEqualTo("3");
    page.click("#simulate");
    page.waitForSelector("#results:not(.stale) #forecast");
    assertThat(page.isHidden("#beneath")).isTrue();
    bothChangesAreMarkedBesideOnesOwn();
    page.click(".tabs >> text=Tune");
    page.waitForSelector("input[name=vct]");
    assertThat(page.inputValue("input[name=vct]")).as("what was typed").isEqualTo("3");
    page.click("text=Reset");
    commonValuesFollowTheActivePolicy(watched, before);
    page.click(".tabs >> text=Decisions");
    page.click(".tabs >> text=Tune");
    page.waitForSelector("input[name=vct]");
    assertThat(page.inputValue("input[name=vct]")).isEqualTo("8");
  }

  /** Another policy takes the common options from the active one, also if that has changed. */
  private void commonValuesFollowTheActivePolicy(WatchedStore watched, String before) {
    String size = "size => document.querySelector('input[name=table_size]').value === size";
    watched.store.policy("delayed,table_size=32KiB,vct=8");
    page.waitForFunction(size, "32KiB");
    page.selectOption("#policy", "split-forest");
    assertThat(page.inputValue("input[name=table_size]")).isEqualTo("32KiB");
    watched.store.policy("delayed,table_size=64KiB,vct=8");
    page.waitForFunction(size, "64KiB");
    watched.store.policy(before);
    page.waitForFunction(size, "16KiB");
    assertThat(page.inputValue("#policy")).isEqualTo("split-forest");
    page.click("text=Reset");
  }

  private void bothChangesAreMarkedBesideOnesOwn() {
    page.click(".tabs >> text=Amplification");
    page.waitForFunction("() => document.querySelector('#course')?.dataset.changes >= 4");
    assertThat(page.getAttribute("#course", "aria-label"))
        .containsSubsequence(
            "changed here: vct 8 → 3",
            "undone here: vct 3 → 8",
            "changed elsewhere: vct 8 → 5",
            "changed elsewhere: vct 5 → 8");
    assertThat(page.innerText("#course-marks")).contains("changed elsewhere: vct 5 → 8");
    page.hover("#course canvas >> nth=0");
    page.waitForSelector("#card:not([hidden])");
    assertThat(page.innerText("#card")).contains("write amplification", "flushed", "B/s", ":");
    page.mouse().move(0, 0);
    assertThat(page.isHidden("#card")).isTrue();
    page.focus("#course");
    page.keyboard().press("End");
    page.waitForSelector("#card:not([hidden])");
    double last = timeOnTheCard();
    page.keyboard().press("Home");
    assertThat(timeOnTheCard()).isLessThan(last);
    assertThat(page.innerText("#spoken")).contains("still to merge");
    page.keyboard().press("Escape");
    assertThat(page.isHidden("#card")).isTrue();
    page.click(".ranges >> text=10 min");
    page.waitForSelector(".ranges [aria-pressed=true] >> text=10 min");
    String canary = "{\"class\":\"a.UnifiedCompactionStrategy\",\"b\":\"1\"}";
    assertThat(difference(canary, "delayed,vct=8"))
        .isEqualTo("UnifiedCompactionStrategy → delayed");
    assertThat(difference(canary, canary.replace('1', '2'))).isEqualTo("b 1 → 2");
    assertThat(difference("adaptive,rung=4", "adaptive,rung=5")).isEqualTo("rung 4 → 5");
    assertThat(difference("tiered", "tiered,ratio=2")).isEqualTo("ratio standard → 2");
    assertThat(difference("{broken", "tiered")).isEqualTo("{broken → tiered");
  }

  /** Returns the time at the head of the card, in milliseconds since the epoch. */
  private double timeOnTheCard() {
    return ((Number)
            page.evaluate(
                "text => Date.parse(text.replace(',', ''))", page.innerText("#card strong")))
        .doubleValue();
  }

  private String difference(String before, String after) {
    return (String)
        page.evaluate("both => Coppice.difference(both[0], both[1])", List.of(before, after));
  }

  /** With the answers of the console about a table of Cassandra, on a node without the plugin. */
  private void aStatementThatANodeMayNotUnderstandIsNotCopied() {
    page.route(
        "**/api/table**",
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(
                        route
                            .fetch(NO_LIMIT)
                            .text()
                            .replace("\"store\":true", "\"store\":false"))));
    page.waitForSelector("#copy:disabled");
    assertThat(page.getAttribute("#copy", "title"))
        .isEqualTo(WatchedStore.NODE + " is not seen to have the plugin.");
    page.unroute("**/api/table**");
    page.waitForSelector("#copy:not(:disabled)");
    assertThat(page.getAttribute("#copy", "title")).isEmpty();
  }

  /** With the answer of the console to a node whose disk is nearly full. */
  private void aForecastThatOverfillsTheDiskIsWarnedOf() {
    assertThat(page.querySelector("#overfills")).isNull();
    page.route(
        "**/api/simulate",
        route -> {
          String said = route.fetch(NO_LIMIT).text();
          route.fulfill(
              new Route.FulfillOptions()
                  .setContentType("application/json")
                  .setBody(
                      said.replaceFirst("\"free\":\\d+", "\"free\":1234")
                          .replaceFirst("\"overfills\":false", "\"overfills\":true")));
        });
    page.click("#simulate");
    page.waitForSelector("#overfills");
    assertThat(page.innerText("#overfills")).contains("1.23 kB are free");
    page.unroute("**/api/simulate");
    page.click("#simulate");
    page.waitForFunction("() => !document.querySelector('#overfills')");
  }

  private void namesStayText() {
    String name = "<img src=\"x/*?\" onerror=alert(1)>";
    try (Store odd =
        Store.open(
            directory.resolve("odd"),
            StoreOptions.builder().name(name).jmx(true).durability(Durability.NONE).build())) {
      assertThat(odd.families()).hasSize(1);
      page.keyboard().press("o");
      page.waitForSelector("text=" + name + "/default");
      assertThat(page.querySelectorAll("main img")).isEmpty();
      String path = "#/table/this%20process/" + encoded(name + "/default");
      page.evaluate("path => { location.hash = path; }", path);
      page.waitForSelector("h1 >> text=" + name);
      assertThat(page.querySelectorAll("main img")).isEmpty();
      for (String family :
          List.of("<script>alert(1)</script>", "a\"b'c/d\\e", "\u202e\n&lt;%2F日本 \uD83C\uDF33")) {
        odd.createFamily(family);
        String id = name + "/" + NameText.pathPart(family);
        page.keyboard().press("o");
        page.waitForFunction(
            "id => [...document.querySelectorAll('tr[data-table]')]"
                + ".some((row) => row.dataset.table === id && row.textContent.includes(id))",
            id);
        page.evaluate("path => { location.hash = path; }", "#/table/this%20process/" + encoded(id));
        page.waitForFunction(
            "id => [...document.querySelectorAll('h1')].some((one) => one.textContent.includes(id))",
            id);
        assertThat(page.querySelectorAll("main script, main img")).isEmpty();
      }
    }
    page.waitForSelector("text=There is no table");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void aLostNodeIsTold(WatchedStore watched) {
    watched.reachable = false;
    page.keyboard().press("o");
    page.waitForSelector("#banner:not([hidden])");
    assertThat(page.innerText("#banner")).contains("stopped answering", "nobody is there");
    assertThat(page.querySelectorAll("#tables tbody tr.old")).isNotEmpty();
    assertThat(page.innerText("#tables tr.group.lost"))
        .containsPattern("lost, figures from \\d\\d:\\d\\d:\\d\\d, \\d+ (s|min|min \\d+ s) ago");
    assertThat(page.innerText("#totals")).contains("without 1 lost node");
    shot("lost", 800);
    page.click("tr[data-table='" + watched.table() + "'] a");
    page.waitForSelector("#age:not([hidden]) >> text=lost, figures from");
    page.waitForSelector("output >> text=last seen");
    page.click(".tabs >> text=Amplification");
    page.waitForSelector(".old #course");
    shotWhole("lost-amplification");
    page.click(".tabs >> text=Nodes");
    page.waitForSelector("#nodes tr.old >> text=lost,");
    page.click(".tabs >> text=Tune");
    page.waitForSelector("text=This node does not answer, so nothing can be applied.");
    page.evaluate("() => document.activeElement.blur()");
    page.keyboard().press("h");
    page.waitForSelector("#history >> text=does not answer");
    assertThat(page.querySelectorAll("#history button")).isEmpty();
    page.keyboard().press("o");
    watched.reachable = true;
    page.waitForSelector(
        "#banner[hidden]",
        new Page.WaitForSelectorOptions().setState(WaitForSelectorState.ATTACHED));
  }

  /** Nothing is refused and nothing comes, as behind a tunnel whose other end is gone. */
  private void aConsoleThatDoesNotAnswerIsTold() {
    page.evaluate("() => { Coppice.patience.question = 100; }");
    page.route("**/api/state", route -> {});
    page.waitForFunction(
        "() => document.getElementById('banner').textContent.includes('does not answer')");
    page.unroute("**/api/state");
    page.evaluate("() => { Coppice.patience.question = Coppice.patience.order; }");
    page.waitForSelector(
        "#banner[hidden]",
        new Page.WaitForSelectorOptions().setState(WaitForSelectorState.ATTACHED));
  }

  private void whatAProxyAnswersInItsPlaceIsTold() {
    page.route(
        "**/api/st*",
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setStatus(504)
                    .setContentType("text/html")
                    .setBody("<html>Gateway Time-out</html>")));
    page.waitForFunction(
        "() => document.getElementById('banner').textContent.includes('does not answer (504)')");
    String said =
        (String) page.evaluate("() => Coppice.post('/api/stop', {}).catch(e => e.message)");
    assertThat(said).contains("does not answer (504)", "may have taken effect");
    page.unroute("**/api/st*");
    page.waitForSelector(
        "#banner[hidden]",
        new Page.WaitForSelectorOptions().setState(WaitForSelectorState.ATTACHED));
  }

  /** With the answer of the console to a node that anticompacts. */
  private void whatIsLostByStoppingATaskOfCassandrasIsSaid(WatchedStore watched) {
    page.keyboard().press("c");
    anticompacts("system.local");
    page.waitForSelector("text=system.local");
    assertThat(page.isDisabled("text=Stop…")).isTrue();
    assertThat(page.getAttribute("text=Stop…", "title")).contains("nodetool stop");
    page.unroute("**/api/state");
    anticompacts(watched.table());
    page.click("text=Stop…");
    assertThat(page.innerText("#ask"))
        .contains("Its unfinished output is dropped", "repair")
        .doesNotContain("Nothing is lost");
    page.click("#ask >> text=Cancel");
    page.unroute("**/api/state");
  }

  private void anticompacts(String table) {
    String task =
        "{\"id\":\"1\",\"table\":\""
            + table
            + "\",\"what\":\"Anticompaction\",\"sentence\":\"\",\"done\":1,"
            + "\"total\":2,\"level\":-1,\"own\":false,\"rate\":null,\"eta\":null}";
    page.route(
        "**/api/state",
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(
                        route
                            .fetch(NO_LIMIT)
                            .text()
                            .replace("\"compactions\":[]", "\"compactions\":[" + task + "]"))));
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
