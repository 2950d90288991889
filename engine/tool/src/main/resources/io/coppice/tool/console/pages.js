// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
// The pages. Each is made once for its address and then given what is new, once a second.
"use strict";

(function () {
  const { el, bytes, rate, number, count, perSecond, span } = Coppice;

  const link = (node, table, tab) =>
    "#/table/" + encodeURIComponent(node) + "/" + encodeURIComponent(table) + (tab ? "/" + tab : "");
  Coppice.link = link;

  function empty(title, ...texts) {
    return el("div.sheet.empty", {},
      el("div.glyph", {}, Coppice.icon("tree")),
      el("h1", {}, title),
      ...texts.map((text) => el("p", {}, text)));
  }

  const cell = (text, sub) =>
    el(text === "–" || text === "—" ? "td.unknown" : "td", {}, text, sub ? el("span.sub", {}, sub) : null);

  /**
   * Creates a table whose cells know the name of their column, because a narrow screen shows each
   * row as a card.
   */
  function grid(id, heads, rows, foot) {
    const names = heads.map((head) => head.dataset.name || head.textContent);
    for (const row of [...rows, ...(foot ? [foot] : [])]) {
      [...row.children].forEach((one, index) => names[index] && (one.dataset.name = names[index]));
    }
    return el("table.cards", { id }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows), foot ? el("tfoot", {}, foot) : null);
  }

  const head = (name, left, title) => el(left ? "th.text" : "th", { title, scope: "col" }, name);

  /** Replaces the content of a place, as happens once per second, and keeps the focus. */
  function redraw(place, ...content) {
    const focused = document.activeElement && document.activeElement.dataset.key;
    place.replaceChildren(...content);
    if (focused) {
      const again = [...place.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
      if (again) {
        again.focus();
      }
    }
  }

  // ---- overview ----

  const sum = (some) => {
    const told = some.filter((one) => one != null);
    return told.length ? told.reduce((all, one) => all + one, 0) : null;
  };

  /** Columns of the overview: name, value to sort by, and whether the largest comes first. */
  const COLUMNS = [
    ["table", (row) => row.id, false],
    ["strategy", (row) => row.strategy, false],
    ["WA", (row) => row.wa, true, "Write amplification since the host's counters began: bytes flushed and merged for each byte flushed"],
    ["RA", (row) => row.ra, true, "Read amplification, tables that a lookup looks into: of a store since it was opened, of Cassandra lately"],
    ["SA ≤", (row) => row.sa, true, "Space amplification is at most this: bytes of all runs for each byte of the largest"],
    ["live", (row) => row.live, true, "Bytes of all tables"],
    ["runs", (row) => row.runs, true],
    ["backlog", (row) => row.backlog ?? row.pending, true, "Input bytes of the merges that the policy wants"],
    ["flushed · merged", (row) => sum([row.flushRate, row.mergeRate]), true, "Bytes written each second, last minute"],
    ["reads · writes", (row) => sum([row.readRate, row.writeRate]), true, "Each second, last minute"],
    ["writes to disk", null],
  ];

  /** Sorting and filter, kept while other pages are shown. */
  const view = { by: null, down: false, query: "" };

  class Overview {
    constructor(main) {
      this.search = el("input", { type: "search", id: "search", placeholder: "Search tables", "aria-label": "Search tables",
        value: view.query, autocomplete: "off", spellcheck: "false", maxlength: "200",
        input: () => this.seek(this.search.value),
        keydown: (event) => event.key === "Escape" && this.seek((this.search.value = "")) });
      this.order = el("select", { id: "order", "aria-label": "Sort by", change: () => this.sortBy(this.order.value, true) },
        el("option", { value: "" }, "as the node lists them"),
        COLUMNS.filter(([, by]) => by).map(([name]) => el("option", { value: name }, "by " + name)));
      this.place = el("div", {});
      main.replaceChildren(
        el("div.head", {}, el("h1", {}, "Tables"),
          el("span.note", {}, "amplification as each host counts it, rates of the last minute"),
          el("div.find", {}, this.search, this.order)),
        this.place);
    }

    seek(query) {
      view.query = query;
      this.update(Coppice.state);
    }

    /** Sorts by a column, then in the other direction, then not at all. */
    sortBy(name, chosen) {
      const first = (COLUMNS.find((one) => one[0] === name) || [])[2];
      if (view.by !== name) {
        Object.assign(view, { by: name || null, down: first });
      } else if (!chosen && view.down === first) {
        view.down = !view.down;
      } else if (!chosen) {
        view.by = null;
      }
      this.update(Coppice.state);
    }

    update(state) {
      if (!state) {
        return;
      }
      this.order.value = view.by || "";
      const alone = state.nodes.length === 1 && !state.nodes[0].tables.length ? state.nodes[0] : null;
      redraw(this.place, alone ? this.nothing(alone) : this.table(state));
      this.place.querySelectorAll("canvas.spark").forEach((canvas) =>
        Coppice.drawSpark(canvas, JSON.parse(canvas.dataset.values)));
    }

    nothing(node) {
      const [title, ...texts] = nothingOn(node);
      return empty(title, ...texts);
    }

    shown(node) {
      const words = view.query.trim().toLowerCase().split(/\s+/).filter((word) => word);
      const rows = node.tables.filter((row) => {
        const text = (row.id + " " + row.strategy + " " + node.name).toLowerCase();
        return words.every((word) => text.includes(word));
      });
      const by = (COLUMNS.find((one) => one[0] === view.by) || [])[1];
      if (by) {
        const value = new Map(rows.map((row) => [row, by(row)]));
        rows.sort((a, b) => {
          const [x, y] = [value.get(a), value.get(b)];
          // Unknown values come last in both directions.
          if (x == null || y == null) {
            return (x == null) - (y == null);
          }
          const order = typeof x === "string" ? x.localeCompare(y) : x - y;
          return view.down ? -order : order;
        });
      }
      return rows;
    }

    table(state) {
      const shown = state.nodes.map((node) => ({ node, rows: this.shown(node) }));
      const found = shown.flatMap((one) => one.rows);
      if (view.query.trim() && !found.length) {
        return empty("No table matches “" + view.query.trim() + "”", "The search looks at names of tables, strategies and nodes.");
      }
      const rows = shown.filter((one) => one.rows.length || !view.query.trim()).flatMap(({ node, rows }) => {
        const busy = new Set(node.compactions.map((one) => one.table));
        const lost = node.state === "lost";
        return [this.group(node, state),
          ...rows.map((table) => this.row(node, table, busy.has(table.id) && !lost, lost)),
          ...(node.tables.length ? [] : [el("tr", {}, el("td.text.wrap.note", { colspan: COLUMNS.length }, nothingOn(node).join(". ")))])];
      });
      return el("section.sheet.flush", { "aria-label": "Tables" },
        grid("tables", COLUMNS.map((column) => this.head(column)), rows, this.totals(shown)));
    }

    head([name, by, , title]) {
      const left = ["table", "strategy", "writes to disk"].includes(name);
      if (!by) {
        return head(name, left);
      }
      const here = view.by === name;
      const th = el(left ? "th.text" : "th", { title, scope: "col", "aria-sort": here ? (view.down ? "descending" : "ascending") : null },
        el("button.sort", { type: "button", "data-key": "sort " + name, click: () => this.sortBy(name) },
          name, here ? Coppice.icon(view.down ? "less" : "more") : null));
      th.dataset.name = name;
      return th;
    }

    /** Returns the line above a node's tables: its state, its merges, and how full its disk is. */
    group(node, state) {
      const lost = node.state === "lost";
      return el(lost ? "tr.group.lost" : "tr.group", {}, el("th", { colspan: COLUMNS.length, scope: "rowgroup" },
        state.nodes.length > 1 || lost ? el("strong.node", {}, lost ? Coppice.icon("lost") : null, node.name) : null,
        lost ? el("span.warn", {}, "lost, figures from " + Coppice.time(node.seen) + ", " + Coppice.age(node.seen)) : null,
        node.tables.length ? this.room(node) : null));
    }

    /** Returns the texts about the merges and the disk of the whole process. */
    room(node) {
      const texts = [
        "merges " + rate(sum(node.tables.map((table) => table.mergeRate))) +
          (node.throughput == null ? "" : node.throughput === 0 ? ", no limit" : " of at most " + rate(node.throughput)),
        node.compactors == null ? null : count(node.compactors) + " compactors",
        bytes(node.live) + " live",
        node.peak > node.live ? "worst case " + bytes(node.peak) + " if all merges ran at once" : node.uncounted ? null : "no merge is pending",
        node.uncounted ? count(node.uncounted) + (node.uncounted === 1 ? " table does not report its merges" : " tables do not report their merges") : null,
        node.free == null ? null : bytes(node.free) + " free",
      ].filter((text) => text);
      return el(node.overfills ? "span.note.room.warn" : "span.note.room", { "data-node": node.name },
        node.overfills ? Coppice.icon("warn") : null,
        texts.join(" · ") + (node.overfills ? ": more than there is room for" : ""));
    }

    row(node, table, busy, lost) {
      const to = link(node.name, table.id);
      const backlog = table.backlog == null
        ? (table.pending == null ? "–" : table.pending + " pending")
        : table.backlog === 0 ? "none" : bytes(table.backlog);
      const rates = perSecond(table.readRate) + " · " + perSecond(table.writeRate);
      // The link itself opens the page, perhaps after the next click. A click that selects text
      // opens nothing.
      const go = (event) => {
        if (!event.target.closest("a") && getSelection().isCollapsed) {
          location.hash = to;
        }
      };
      return el(lost ? "tr.link.old" : "tr.link", { click: go, "data-table": table.id },
        el("td", {}, el("a", { href: to, "data-key": node.name + " " + table.id }, table.id),
          busy ? el("span.sub.busy", {}, Coppice.icon("merge"), "merging")
            : el("span.sub", {}, lost ? Coppice.age(node.seen) : table.store ? "store" : "Cassandra")),
        el("td.text", {}, table.strategy, el("span.sub", {}, table.ours ? "Coppice" : "stock")),
        cell(number(table.wa), seen(table)),
        cell(number(table.ra)),
        cell(number(table.sa)),
        cell(bytes(table.live), count(table.tables) + " tables"),
        cell(count(table.runs)),
        cell(backlog, table.backlog ? span(table.backlogSeconds) + " left" : ""),
        cell(rate(table.flushRate), rate(table.mergeRate)),
        cell(rates === "– · –" ? "–" : rates, table.store && rates !== "– · –" ? "whole store" : ""),
        el("td.text", {}, table.spark.length > 1
          ? el("canvas.spark", { "data-values": JSON.stringify(table.spark), role: "img", "aria-label": "bytes written lately" })
          : el("span.unknown", {}, "–")));
    }

    /** Returns sums over the shown tables whose node answers. Means would hide a bad table. */
    totals(shown) {
      const up = shown.filter((one) => one.node.state !== "lost");
      const rows = up.flatMap((one) => one.rows);
      const away = shown.length - up.length;
      // Each family of a store reports the reads of the whole store.
      const stores = new Set();
      const reads = up.flatMap(({ node, rows }) => rows.filter((row) => {
        const store = node.name + "/" + row.id.split("/")[0];
        const again = row.store && stores.has(store);
        stores.add(store);
        return !again;
      }).map((row) => row.readRate));
      const rates = perSecond(sum(reads)) + " · " + perSecond(sum(rows.map((row) => row.writeRate)));
      const backlog = sum(rows.map((row) => row.backlog));
      return el("tr", { id: "totals" },
        el("td", {}, rows.length === 1 ? "1 table" : count(rows.length) + " tables", away ? el("span.sub.warn", {}, "without " + away + (away === 1 ? " lost node" : " lost nodes")) : null),
        el("td.text", {}), el("td", {}), el("td", {}), el("td", {}),
        cell(bytes(sum(rows.map((row) => row.live))), rows.length ? count(sum(rows.map((row) => row.tables))) + " tables" : ""),
        cell(count(sum(rows.map((row) => row.runs)))),
        cell(backlog == null ? "–" : backlog === 0 ? "none" : bytes(backlog)),
        cell(rate(sum(rows.map((row) => row.flushRate))), rows.length ? rate(sum(rows.map((row) => row.mergeRate))) : ""),
        cell(rates === "– · –" ? "–" : rates), el("td", {}));
    }
  }

  function nothingOn(node) {
    if (node.state === "connecting") {
      return ["Looking for " + node.name, node.message || "No answer yet", "The console goes on trying, once a second."];
    }
    return ["No tables on " + node.name,
      node.version
        ? "Cassandra " + node.version + " has no tables of users yet. They appear here as they are created."
        : "This process has no store with beans open. A store shows itself with StoreOptions.builder().jmx(true)."];
  }

  // ---- one table ----

  /** Returns the write amplification that this console has measured, with its window. */
  const seen = (row) => (row.seenWa == null ? "" : number(row.seenWa) + " in " + span(row.seenSeconds));

  const figure = (name, value, unit) =>
    el("div.figure", {}, el("div.name", {}, name),
      el("div.value", {}, value, unit ? el("small", {}, " " + unit) : null));

  class Table {
    constructor(main, node, table, tab) {
      Object.assign(this, { node, id: table, tab });
      const tabs = [["forest", "Forest"], ["course", "Amplification"], ["tune", "Tune"], ["decisions", "Decisions"], ["nodes", "Nodes"]];
      this.figures = el("div.figures", {});
      this.body = el("div", {});
      this.guard = el("div", { role: "status" });
      main.replaceChildren(
        el("div.head", {}, el("h1", {}, table), el("span.note", {}, node),
          (this.strategy = el("span.pill.plain", {})), (this.age = el("span.pill.lost", { hidden: true, id: "age" }))),
        this.figures,
        this.guard,
        el("div.tabs", { role: "navigation", "aria-label": "Views of the table" }, tabs.map(([key, name]) =>
          el("a", { href: link(node, table, key), "aria-current": key === tab ? "page" : null }, name))),
        this.body);
      this.view = new (VIEWS[tab] || Trees)(this);
      this.last = null;
    }

    async update(state) {
      const of = state.nodes.find((one) => one.name === this.node);
      const known = of && of.tables.find((one) => one.id === this.id);
      if (!known) {
        this.figures.replaceChildren();
        this.body.replaceChildren(of && of.state === "connecting"
          ? empty("Looking for " + this.node, of.message || "No answer yet.")
          : empty("There is no table " + this.id, "It was dropped, or its node does not know it (any more)."));
        this.view = null;
        return;
      }
      if (!this.view) {
        this.view = new (VIEWS[this.tab] || Trees)(this);
      }
      const data = await Coppice.get("/api/table", { node: this.node, table: this.id, ...(this.view.query ? this.view.query() : {}) });
      this.last = data;
      if (!Coppice.drawable(this)) {
        return;
      }
      const row = data.row;
      this.strategy.textContent = row.strategy;
      const lost = of.state === "lost";
      this.age.hidden = !lost;
      this.age.replaceChildren(Coppice.icon("lost"), "lost, figures from " + Coppice.time(of.seen) + ", " + Coppice.age(of.seen));
      this.figures.classList.toggle("old", lost);
      this.body.classList.toggle("old", lost);
      this.figures.replaceChildren(
        figure("write amplification, since start", number(row.wa), seen(row)),
        figure(row.store ? "tables per lookup, since start" : "tables per lookup, recent", number(row.ra)),
        figure("space amplification, at most", number(row.sa)),
        figure("live", bytes(row.live), count(row.tables) + " tables"),
        figure("flushed, last " + span(row.rateSeconds), rate(row.flushRate)),
        figure("merged, last " + span(row.rateSeconds), rate(row.mergeRate)),
        figure("still to merge", row.backlog == null ? "–" : row.backlog === 0 ? "nothing" : bytes(row.backlog),
          row.backlog ? span(row.backlogSeconds) + " left" : ""));
      this.warn(data.growth, state.allowChanges);
      this.view.update(data, of, state);
    }

    /** Offers to undo the change after which the backlog has grown. */
    warn(growth, allowChanges) {
      const shown = growth ? growth.change.id + growth.change.undoFault : "";
      if (this.guard.dataset.change !== shown) {
        this.guard.dataset.change = shown;
        this.guard.replaceChildren(...(growth ? [el("p.warn", {},
          "What is still to merge has grown for ten minutes since a change was made here: ",
          Coppice.difference(growth.change.before, growth.change.after), ". ",
          allowChanges && !growth.change.undoFault
            ? el("button", { type: "button", click: () => Coppice.undo(growth.change) }, "Undo…") : null)] : []));
      }
    }

    draw() {
      if (this.view && this.view.draw) {
        this.view.draw();
      }
    }
  }

  const stock = (id) => empty("No picture of " + id,
    "Its compaction strategy is one of Cassandra's own, which tell figures but not where their SSTables lie.",
    "Amplification, compactions and the view of all nodes work as for every table.");

  class Trees {
    constructor(page) {
      this.page = page;
      this.forest = new Coppice.Forest();
      this.times = [];
      this.replaying = null;
      this.timer = 0;
      this.slider = el("input", { type: "range", id: "replay", min: "0", max: "0", value: "0", step: "1",
        "aria-label": "Replay of the last 24 hours", input: () => this.seek() });
      this.play = el("button", { type: "button", title: "Play what was seen", "aria-label": "Play what was seen", click: () => this.toggle() }, Coppice.icon("play"));
      this.live = el("button", { type: "button", id: "live", click: () => this.goLive() }, "Live");
      this.when = el("output", { for: "replay" });
      this.parts = el("select", { "aria-label": "Part", change: () => {
        this.forest.part = this.parts.value;
        this.forest.draw();
      } });
      this.parts.hidden = true;
      this.note = el("div.note", {});
    }

    update(data, of) {
      this.of = of;
      if (!data.map) {
        if (!data.row.ours) {
          this.page.body.replaceChildren(stock(this.page.id));
        }
        return;
      }
      if (!this.forest.canvas.isConnected) {
        this.page.body.replaceChildren(el("section.sheet", { "aria-label": "The forest" },
          this.parts,
          this.forest.canvas,
          el("div.legend", {}, el("span", {}, "table"), el("span.merging", {}, "merging, still to read"),
            el("span.passed", {}, "merging, passed"), el("span.virtual", {}, "virtual: a deferred merge"),
            el("span.dead", {}, "mostly deletions"), el("span.capacity", {}, "how full a level is; at the dashed line its policy asks for a merge")),
          el("div.replay", {}, this.play, this.slider, this.when, this.live), this.note));
      }
      const names = data.map.parts;
      if (this.parts.dataset.names !== names.join("\n")) {
        this.parts.dataset.names = names.join("\n");
        this.parts.replaceChildren(el("option", { value: "" }, "all parts"),
          ...names.map((name) => el("option", { value: name }, name)));
        this.parts.hidden = names.length < 2;
      }
      this.times = data.times;
      this.slider.max = String(Math.max(0, this.times.length - 1));
      this.slider.disabled = this.times.length < 2;
      this.play.disabled = this.times.length < 2;
      if (this.replaying == null) {
        this.slider.value = this.slider.max;
        const lost = of.state === "lost";
        this.when.textContent = lost ? "last seen " + Coppice.time(data.map.at) + ", " + Coppice.age(data.map.at)
          : "live, " + Coppice.time(data.map.at);
        this.live.disabled = true;
        this.live.textContent = lost ? "Latest" : "Live";
        this.forest.show(data.map, data.snapshot ? data.snapshot.decisions : [], data.capacity);
        this.note.textContent = data.map.level.length ? "" : "Nothing has been flushed yet.";
      } else {
        // Old times disappear from the list, but the shown one stays.
        const later = this.times.findIndex((at) => at > this.replaying);
        this.slider.value = String(later < 0 ? this.times.length - 1 : Math.max(0, later - 1));
      }
    }

    /**
     * Shows the map of the chosen time. Answers may arrive out of order; only the last question's
     * is drawn.
     */
    async seek() {
      const at = this.times[Number(this.slider.value)];
      this.replaying = at;
      this.live.disabled = false;
      this.when.textContent = Coppice.day(at);
      try {
        const then = await Coppice.get("/api/picture", { node: this.page.node, table: this.page.id, at });
        if (this.replaying === at) {
          this.forest.show(then.map, then.decisions);
        }
      } catch (e) {
        if (this.replaying === at) {
          Coppice.toast(e.message);
        }
      }
    }

    toggle() {
      if (this.timer) {
        this.halt();
        return;
      }
      if (Number(this.slider.value) >= Number(this.slider.max)) {
        this.slider.value = "0";
      }
      this.play.replaceChildren(Coppice.icon("pause"));
      this.timer = setInterval(() => {
        if (Number(this.slider.value) >= Number(this.slider.max)) {
          this.halt();
          return;
        }
        this.slider.value = String(Number(this.slider.value) + 1);
        this.seek();
      }, 200);
    }

    halt() {
      clearInterval(this.timer);
      this.timer = 0;
      this.play.replaceChildren(Coppice.icon("play"));
    }

    goLive() {
      this.halt();
      this.replaying = null;
      this.update(this.page.last, this.of);
    }

    draw() {
      this.forest.draw();
    }

    close() {
      this.halt();
    }
  }

  /** Longest time, in milliseconds, until a sample shows a change made here. */
  const SEEN_WITHIN = 15000;

  const RANGES = [["10 min", 600], ["1 h", 3600], ["6 h", 21600], ["24 h", 86400]];

  /** Range of the history in seconds, kept while other tables are shown. */
  let range = 3600;

  class Course {
    constructor(page) {
      this.page = page;
      this.charts = new Coppice.Charts("course", "Amplification over time");
      this.ranges = el("div.ranges", { role: "group", "aria-label": "Time range" }, RANGES.map(([name, seconds]) =>
        el("button", { type: "button", "aria-pressed": String(seconds === range), "data-seconds": seconds, click: () => this.choose(seconds) }, name)));
    }

    query() {
      return { seconds: range };
    }

    choose(seconds) {
      range = seconds;
      this.ranges.querySelectorAll("button").forEach((one) =>
        one.setAttribute("aria-pressed", String(Number(one.dataset.seconds) === seconds)));
      Coppice.tick();
    }

    update(data, of, state) {
      Object.assign(this, { data, of, now: state.now });
      if (data.series.at.length < 2) {
        this.page.body.replaceChildren(empty("Nothing to draw yet", "Lines appear after a few looks at the node."));
        return;
      }
      if (!this.charts.root.isConnected) {
        this.page.body.replaceChildren(el("section.sheet", {},
          el("div.row", {}, this.ranges, el("span.note", {}, "Shown since this console started. The data end with it.")),
          this.charts.root, this.charts.marks,
          el("p.note", {}, "A dashed line marks a change of the policy by any operator. Point at a chart, or use the arrow keys, to read all values at a time.")));
      }
      this.show();
    }

    show() {
      const { series } = this.data;
      const plain = (value) => (value >= 10 ? value.toFixed(0) : value.toFixed(1));
      this.charts.show(series.at, [
        { name: "Write amplification, mean of 5 min", format: plain, floor: 2, lines: [{ label: "write amplification", colour: "blue", values: series.wa }] },
        { name: "Tables per lookup, and runs", format: plain, floor: 2,
          lines: [{ name: "asked", colour: "blue", values: series.ra }, { name: "runs", colour: "leaf-deep", values: series.runs, dash: [6, 3] }] },
        { name: "Space amplification, at most", format: plain, floor: 2, lines: [{ label: "space amplification", colour: "blue", values: series.sa }] },
        { name: "Bytes of tables", format: bytes, lines: [{ label: "live", colour: "leaf-deep", values: series.live }] },
        { name: "Written each second", format: rate,
          lines: [{ name: "flushed", colour: "blue", values: series.flush }, { name: "merged", colour: "amber", values: series.merge, dash: [6, 3] }] },
        { name: "Still to merge", format: bytes, lines: [{ label: "still to merge", colour: "violet", values: series.backlog }] },
      ], this.marks(), this.now, this.of.state === "lost");
    }

    draw() {
      this.charts.draw();
    }

    close() {
      Coppice.card(null);
    }

    /**
     * Returns every change of the policy, oldest first: those made here, and those observed, for
     * example by ALTER TABLE, another console, a canary, or a policy that changes its own options.
     */
    marks() {
      const own = this.data.changes.filter((one) => one.what !== "stop");
      // Two changes made here between two samples are observed as one.
      const seen = this.data.policies.filter((one) => {
        const near = own.filter((mine) => Math.abs(mine.at - one.at) < SEEN_WITHIN);
        return !near.some((mine) => mine.before === one.before) || !near.some((mine) => mine.after === one.after);
      });
      return [
        ...own.map((one) => ({ at: one.at, by: one.what === "undo" ? "undone here" : "changed here", one })),
        ...seen.map((one) => ({ at: one.at, by: "changed elsewhere", one })),
      ].sort((a, b) => a.at - b.at).map(({ at, by, one }) => {
        const label = Coppice.difference(one.before, one.after);
        return { at, label, title: Coppice.time(at) + ", " + by + ": " + label };
      });
    }
  }

  /** Returns the name and the options of a policy text, or of compaction parameters as JSON. */
  function policyParts(text) {
    if (text.startsWith("{")) {
      try {
        const { class: name, ...options } = JSON.parse(text);
        return { name: String(name).split(".").pop(), options: new Map(Object.entries(options)) };
      } catch (e) {
        return { name: text, options: new Map() };
      }
    }
    const [name, ...options] = text.split(",");
    return { name, options: new Map(options.map((part) => part.split("="))) };
  }

  /** Returns, for people, the options in which two policies differ. */
  Coppice.difference = function (before, after) {
    const [a, b] = [policyParts(before), policyParts(after)];
    if (a.name !== b.name) {
      return a.name + " → " + b.name;
    }
    const told = (value) => value ?? "standard";
    return [...new Set([...b.options.keys(), ...a.options.keys()])]
      .filter((name) => a.options.get(name) !== b.options.get(name))
      .map((name) => name + " " + told(a.options.get(name)) + " → " + told(b.options.get(name)))
      .join(", ") || after;
  };

  class Decisions {
    constructor(page) {
      this.page = page;
    }

    update(data) {
      const all = data.snapshot ? data.snapshot.decisions : [];
      this.page.body.replaceChildren(!data.snapshot ? stock(this.page.id)
        : !all.length ? empty("Nothing was decided yet", "The last hundred plans appear here, with the reason of each.")
        : el("section.sheet.flush", {}, grid("decisions",
          [head("when", true), head("plan", true), head("why", true), head("inputs"), head("to level")],
          all.map((one) => el("tr", {},
            el("td", {}, Coppice.time(one.at)), el("td.text", {}, one.kind),
            el("td.text.wrap", {}, Coppice.sentence(one.sentence)),
            cell(bytes(one.bytes), one.tables + " tables"), cell("L" + one.level))))));
    }
  }

  class Nodes {
    constructor(page) {
      this.page = page;
    }

    update(data, of, state) {
      const rows = state.nodes.map((node) => {
        const table = node.tables.find((one) => one.id === this.page.id);
        const here = node.name === this.page.node;
        const lost = node.state === "lost";
        const under = lost ? el("span.sub.warn", {}, "lost, " + Coppice.age(node.seen)) : here ? el("span.sub", {}, "this one") : null;
        return el(lost ? "tr.old" : "tr", {},
          el("td", {}, here ? el("strong", {}, node.name) : node.name, under),
          el("td.text", {}, table ? table.strategy : "–", table && table.tuned ? el("span.sub", {}, "not as the schema says") : null),
          cell(table ? number(table.wa) : "–", table ? seen(table) : ""), cell(table ? number(table.ra) : "–"),
          cell(table ? number(table.sa) : "–"), cell(table ? bytes(table.live) : "–"),
          cell(table && table.readP99 != null ? (table.readP99 / 1000).toFixed(2) + " ms" : "–"),
          cell(table ? count(table.pending) : "–"));
      });
      this.page.body.replaceChildren(
        el("section.sheet.flush", {}, grid("nodes",
          [head("node", true), head("strategy", true), head("WA"), head("RA"), head("SA ≤"), head("live"), head("read p99"), head("pending")], rows)),
        el("p.note", {}, state.nodes.length > 1
          ? "One node with another strategy or other options is a canary: judge it beside the others before the schema is changed."
          : "Start the console with --jmx host1:port,host2:port to see a canary beside the other nodes of its cluster."));
    }
  }

  const VIEWS = { forest: Trees, course: Course, tune: null, decisions: Decisions, nodes: Nodes };
  Coppice.views = VIEWS;

  // ---- compactions ----

  class Compactions {
    constructor(main) {
      this.main = main;
    }

    update(state) {
      const all = state.nodes.flatMap((node) => node.compactions.map((one) => ({ ...one, node: node.name,
        old: node.state === "lost" ? Coppice.age(node.seen) : null,
        known: node.tables.some((table) => table.id === one.table) })));
      redraw(this.main, el("div.head", {}, el("h1", {}, "Compactions"), el("span.note", {}, "under way now")),
        !all.length ? empty("Nothing is being merged", "Compactions appear here with their progress while they run.")
        : el("section.sheet.flush", {}, grid("compactions",
          [head("table", true), head("why", true), head("progress", true), head("left"), head("pace"), head("ETA"), head("")],
          all.map((one) => this.row(one, state)))));
    }

    row(one, state) {
      const share = one.total ? one.done / one.total : 0;
      return el(one.old ? "tr.old" : "tr", {},
        el("td", {}, one.known ? el("a", { href: link(one.node, one.table), "data-key": "to " + one.id }, one.table) : one.table,
          el("span.sub", {}, one.node), one.old ? el("span.sub.warn", {}, "lost, " + one.old) : null),
        el("td.text.wrap", {}, Coppice.sentence(one.sentence || one.what), el("span.sub", {}, one.level != null && one.level >= 0 ? one.what + " into level " + one.level : one.what)),
        el("td.text", {}, el("progress", { max: "1", value: String(share), "aria-label": "progress" }),
          el("span.sub", {}, Math.floor(share * 100) + " % of " + bytes(one.total))),
        cell(bytes(Math.max(0, one.total - one.done))), cell(one.old ? "–" : rate(one.rate)), cell(one.old ? "—" : span(one.eta)),
        el("td", {}, el("button", { type: "button", "data-key": "stop " + one.id, disabled: !state.allowChanges || !one.known || one.old,
          title: !state.allowChanges ? "The console was started without --allow-changes"
            : one.old ? "Its node does not answer"
            : one.known ? null : "This is no table of users; nodetool stop ends it", click: () => this.stop(one) }, "Stop…")));
    }

    async stop(one) {
      const yes = await Coppice.confirm("Stop this compaction of " + one.table + "?", one.own ? [
        "Its installed output stays. At most one table per run of the present step is merged again.",
        "The policy plans the rest again, perhaps at once. No data is lost."] : [
        "Its unfinished output is dropped. The SSTables that it reads stay as they are.",
        "Cassandra plans a compaction again, perhaps at once. If it is part of a repair, cleanup or index build, that fails; start it again."], "Stop it");
      if (yes) {
        try {
          await Coppice.post("/api/stop", { node: one.node, table: one.table, compaction: one.id });
          Coppice.toast(one.own ? "It ends at its next table." : "Cassandra was told to end it.");
        } catch (e) {
          Coppice.toast(e.message);
        }
      }
    }
  }

  Coppice.pages = { Overview, Table, Compactions };
  Coppice.parts = { empty, cell, grid, head, redraw, stock };
})();
