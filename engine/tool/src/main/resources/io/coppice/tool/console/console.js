// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
// Chooses the page by the address and asks once a second while somebody looks.
"use strict";

(function () {
  const { el } = Coppice;
  const EACH_MILLIS = 1000;
  const main = document.getElementById("main");
  const PAGES = [["", "Overview", "o"], ["compactions", "Compactions", "c"], ["history", "History", "h"]];
  let page = null;
  let shown = null;
  let timer = 0;
  let asking = false;
  let pressedAt = null;

  function address() {
    try {
      return location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
    } catch (e) {
      return [""];
    }
  }

  function route(change) {
    if (change && /^#[\w-]{32}(\/|$)/.test(location.hash)) {
      // Somebody pasted the printed address into an open page, and the token is read at the start
      // only.
      location.reload();
      return;
    }
    const words = address();
    const key = words.join("/");
    if (key === shown) {
      return;
    }
    shown = key;
    pressedAt = null;
    if (page && page.view && page.view.close) {
      page.view.close();
    }
    document.getElementById("card").hidden = true;
    main.replaceChildren();
    const { pages } = Coppice;
    if (words[0] === "table" && words.length >= 3) {
      page = new pages.Table(main, words[1], words[2], words[3] || "forest");
    } else if (words[0] === "compactions") {
      page = new pages.Compactions(main);
    } else if (words[0] === "history" && pages.History) {
      page = new pages.History(main);
    } else {
      page = new pages.Overview(main);
    }
    document.getElementById("pages").replaceChildren(
      ...PAGES.filter(([path]) => path !== "history" || pages.History).map(([path, name, letter]) =>
        el("a", { href: "#/" + path, title: name + " (" + letter + ")", "aria-current": (words[0] || "") === path ? "page" : null }, name)));
    document.title = (words[2] || "Coppice") + " · console";
    tick();
  }

  function status(state) {
    const pills = state.nodes.map((node) => {
      const text = node.state === "up" ? node.name : node.state === "lost" ? node.name + " lost" : "looking for " + node.name;
      return el("span.pill." + node.state, { title: node.version ? "Cassandra " + node.version : "" }, Coppice.icon(node.state), text);
    });
    const busy = state.nodes.filter((node) => node.state === "up").reduce((sum, node) => sum + node.compactions.length, 0);
    if (busy) {
      pills.unshift(el("a.pill.busy", { href: "#/compactions" }, Coppice.icon("merge"), busy === 1 ? "1 merge" : busy + " merges"));
    }
    if (!state.allowChanges) {
      pills.push(el("span.pill.plain", { id: "read-only", title: "Started without --allow-changes" }, "read only"));
    }
    document.getElementById("status").replaceChildren(...pills);
    const lost = state.nodes.filter((node) => node.state === "lost");
    banner(lost.map((node) => node.name + " stopped answering " + Coppice.age(node.seen) + "; its figures are from " +
      Coppice.time(node.seen) + ". (" + node.message + ")").join(" "));
  }

  function banner(text) {
    const place = document.getElementById("banner");
    place.textContent = text;
    place.hidden = !text;
  }

  Coppice.pressed = () => pressedAt != null && performance.now() - pressedAt < Coppice.patience.pressed;
  function press() {
    pressedAt = performance.now();
  }
  function release() {
    // The click event follows this one.
    setTimeout(() => (pressedAt = null));
  }
  document.addEventListener("pointerdown", (event) => event.button === 0 && press(), true);
  document.addEventListener("pointerup", release, true);
  document.addEventListener("pointercancel", release, true);
  document.addEventListener("keydown", (event) => event.key === " " && event.target.tagName === "BUTTON" && press(), true);
  document.addEventListener("keyup", (event) => event.key === " " && release(), true);

  const KEYS = [
    ["o, c, h", "Overview, Compactions, History"],
    ["1 to 5", "views of a table"],
    ["/", "search the overview"],
    ["d", "light or dark"],
    ["?", "these keys"],
    ["Tab, Enter", "go to the next control, use it"],
    ["arrows", "in the forest: the next table; in charts: an earlier or a later time"],
    ["Home, End", "in charts: the first and the last time"],
    ["Esc", "close, or leave the forest and charts"],
  ];

  function keys() {
    const dialog = document.getElementById("ask");
    const close = el("button.main", { type: "button", click: () => dialog.close() }, "Close");
    dialog.oncancel = null;
    dialog.replaceChildren(el("h2", {}, "Keys"),
      el("dl.facts", { id: "keys" }, KEYS.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])),
      el("div.row.end", {}, close));
    dialog.showModal();
    close.focus();
  }

  async function tick() {
    clearTimeout(timer);
    if (document.hidden || asking) {
      return;
    }
    asking = true;
    const asked = page;
    try {
      Coppice.state = await Coppice.get("/api/state");
      if (!Coppice.pressed()) {
        status(Coppice.state);
        main.classList.remove("stale");
        await page.update(Coppice.state);
      }
    } catch (e) {
      if (!(e instanceof Error) || e.status === undefined) {
        console.error(e);
      }
      if (e.status !== 404) {
        banner(e.message);
        main.classList.add("stale");
      }
      if (!Coppice.state && !main.children.length) {
        main.replaceChildren(Coppice.parts.empty("No answer", e.message));
      }
    } finally {
      asking = false;
    }
    timer = setTimeout(tick, asked === page ? EACH_MILLIS : 0);
  }

  Coppice.tick = tick;
  /** Returns whether an answer may be drawn: its page is still shown, and nothing is pressed. */
  Coppice.drawable = (of) => of === page && !Coppice.pressed();
  window.addEventListener("hashchange", route);
  document.addEventListener("visibilitychange", tick);
  document.getElementById("theme").append(Coppice.icon("theme"));
  document.getElementById("theme").addEventListener("click", Coppice.otherTheme);
  document.getElementById("help").append(Coppice.icon("help"));
  document.getElementById("help").addEventListener("click", keys);
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  const redraw = () => {
    if (page && page.draw) {
      page.draw();
    } else if (Coppice.state && page instanceof Coppice.pages.Overview) {
      page.update(Coppice.state);
    }
  };
  document.addEventListener("coppice-theme", redraw);
  window.addEventListener("resize", redraw);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
      return;
    }
    if (document.querySelector("dialog[open]")) {
      return;
    }
    const to = PAGES.find(([, , letter]) => letter === event.key);
    if (to) {
      location.hash = "#/" + to[0];
    } else if (event.key === "d") {
      Coppice.otherTheme();
    } else if (event.key === "?") {
      keys();
    } else if (event.key === "/" && document.getElementById("search")) {
      event.preventDefault();
      document.getElementById("search").focus();
    } else if (/^[1-9]$/.test(event.key)) {
      const tab = document.querySelectorAll(".tabs a")[Number(event.key) - 1];
      if (tab) {
        location.hash = tab.getAttribute("href");
      }
    }
  });
  route();
})();
