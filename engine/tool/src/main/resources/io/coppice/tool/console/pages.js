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
      el("div.glyph", { "aria-hidden": "true" }, "⑂"),
      el("h1", {}, title),
      ...texts.map((text) => el("p", {}, text)));
  }

  const cell = (text, sub) =>
    el(text === "–" || text === "—" ? "td.unknown" : "td", {}, text, sub ? el("span.sub", {}, sub) : null);

  // ---- overview ----

  class Overview {
    constructor(main) {
      this.main = main;
      this.shown = "";
    }

    update(state) {
      const parts = state.nodes.map((node) => this.node(node, state.nodes.length > 1));
      const focused = document.activeElement && document.activeElement.dataset.key;
      this.main.replaceChildren(
        el("div.head", {}, el("h1", {}, "Tables"),
          el("span.note", {}, "amplification as each host counts it, rates of the last minute")),
        ...parts);
      this.main.querySelectorAll("canvas.spark").forEach((canvas) =>
        Coppice.drawSpark(canvas, JSON.parse(canvas.dataset.values)));
      if (focused) {
        const again = [...this.main.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
        if (again) {
          again.focus();
        }
      }
    }

    node(node, named) {
      if (node.state === "connecting" && !node.tables.length) {
        return empty("Looking for " + node.name, node.message || "No answer yet.",
          "The console goes on trying, once a second.");
      }
      if (!node.tables.length) {
        return empty("No tables on " + node.name,
          node.version
            ? "Cassandra " + node.version + " has no tables of users yet. They appear here as they are created."
            : "This process has no store with beans open. A store shows itself with StoreOptions.builder().jmx(true).");
      }
      const busy = new Set(node.compactions.map((one) => one.table));
      const rows = node.tables.map((table) => this.row(node, table, busy.has(table.id)));
      return el(node.state === "lost" ? "section.sheet.flush.stale" : "section.sheet.flush",
        { "aria-label": "Tables of " + node.name },
        named ? el("h2.code", {}, node.name) : null,
        this.room(node),
        el("table", { id: "tables" },
          el("thead", {}, el("tr", {},
            el("th", {}, "table"),
            el("th.text", {}, "strategy"),
            el("th", { title: "Write amplification since the host's counters began: bytes flushed and merged for each byte flushed" }, "WA"),
            el("th", { title: "Read amplification, tables that a lookup looks into: of a store since it was opened, of Cassandra lately" }, "RA"),
            el("th", { title: "Space amplification is at most this: bytes of all runs for each byte of the largest" }, "SA ≤"),
            el("th", {}, "live"),
            el("th", {}, "runs"),
            el("th", {}, "debt"),
            el("th", {}, "flushed · merged"),
            el("th", {}, "reads · writes"),
            el("th.text", {}, "writes to disk"))),
          el("tbody", {}, rows)));
    }

    /** What the whole process merges, and how full its disk is. */
    room(node) {
      const sum = (name) => {
        const told = node.tables.map((table) => table[name]).filter((one) => one != null);
        return told.length ? told.reduce((all, one) => all + one, 0) : null;
      };
      const texts = [
        "merges " + rate(sum("mergeRate")) +
          (node.throughput == null ? "" : node.throughput === 0 ? ", no limit" : " of at most " + rate(node.throughput)),
        node.compactors == null ? null : count(node.compactors) + " compactors",
        bytes(node.live) + " live",
        node.peak > node.live ? "at most " + bytes(node.peak) + " if all that is wanted ran at once" : node.uncounted ? null : "nothing is wanted",
        node.uncounted ? "what " + count(node.uncounted) + " of the tables want is not told" : null,
        node.free == null ? null : bytes(node.free) + " free",
      ].filter((text) => text);
      return el(node.overfills ? "p.note.room.warn" : "p.note.room", { "data-node": node.name },
        texts.join(" · ") + (node.overfills ? ": more than there is room for" : ""));
    }

    row(node, table, busy) {
      const to = link(node.name, table.id);
      const debt = table.debt == null
        ? (table.pending == null ? "–" : table.pending + " pending")
        : table.debt === 0 ? "none" : bytes(table.debt);
      const rates = perSecond(table.readRate) + " · " + perSecond(table.writeRate);
      // Its link goes there by itself, and perhaps later than the next click; who selects text stays.
      const go = (event) => {
        if (!event.target.closest("a") && getSelection().isCollapsed) {
          location.hash = to;
        }
      };
      return el("tr.link", { click: go, "data-table": table.id },
        el("td", {}, el("a", { href: to, "data-key": node.name + " " + table.id }, table.id),
          busy ? el("span.sub", {}, "◐ merging") : el("span.sub", {}, table.store ? "store" : "Cassandra")),
        el("td.text", {}, table.strategy, el("span.sub", {}, table.ours ? "Coppice" : "stock")),
        cell(number(table.wa), seen(table)),
        cell(number(table.ra)),
        cell(number(table.sa)),
        cell(bytes(table.live), count(table.tables) + " tables"),
        cell(count(table.runs)),
        cell(debt, table.debt ? span(table.debtSeconds) + " left" : ""),
        cell(rate(table.flushRate), rate(table.mergeRate)),
        cell(rates === "– · –" ? "–" : rates),
        el("td.text", {}, table.spark.length > 1
          ? el("canvas.spark", { "data-values": JSON.stringify(table.spark), role: "img", "aria-label": "bytes written lately" })
          : el("span.unknown", {}, "–")));
    }
  }

  // ---- one table ----

  /** Write amplification that this console has measured, with its window. */
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
          (this.strategy = el("span.pill.plain", {}))),
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
      const data = await Coppice.get("/api/table", { node: this.node, table: this.id });
      this.last = data;
      if (!Coppice.drawable(this)) {
        return;
      }
      const row = data.row;
      this.strategy.textContent = row.strategy;
      this.figures.classList.toggle("stale", of.state === "lost");
      this.body.classList.toggle("stale", of.state === "lost");
      this.figures.replaceChildren(
        figure("write amplification, since start", number(row.wa), seen(row)),
        figure(row.store ? "tables a lookup asks, since start" : "tables a lookup asks, lately", number(row.ra)),
        figure("space amplification, at most", number(row.sa)),
        figure("live", bytes(row.live), count(row.tables) + " tables"),
        figure("flushed, last " + span(row.rateSeconds), rate(row.flushRate)),
        figure("merged, last " + span(row.rateSeconds), rate(row.mergeRate)),
        figure("still to merge", row.debt == null ? "–" : row.debt === 0 ? "nothing" : bytes(row.debt),
          row.debt ? span(row.debtSeconds) + " left" : ""));
      this.warn(data.growth, state.allowChanges);
      this.view.update(data, of, state);
    }

    /** Offers to take back the change after which work has piled up. */
    warn(growth, allowChanges) {
      const shown = growth ? growth.change.id : "";
      if (this.guard.dataset.change !== shown) {
        this.guard.dataset.change = shown;
        this.guard.replaceChildren(...(growth ? [el("p.warn", {},
          "What is still to merge has grown for ten minutes since a change was made here: ",
          Coppice.difference(growth.change.before, growth.change.after), ". ",
          el("button", { type: "button", disabled: !allowChanges, click: () => Coppice.undo(growth.change) }, "Undo…"))] : []));
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
      this.play = el("button", { type: "button", title: "Play what was seen", click: () => this.toggle() }, "▶");
      this.live = el("button", { type: "button", id: "live", click: () => this.goLive() }, "Live");
      this.when = el("output", { for: "replay" });
      this.parts = el("select", { "aria-label": "Part", change: () => {
        this.forest.part = this.parts.value;
        this.forest.draw();
      } });
      this.parts.hidden = true;
      this.note = el("div.note", {});
    }

    update(data) {
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
            el("span.passed", {}, "merging, passed"), el("span.virtual", {}, "virtual: a merge put off"),
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
        this.when.textContent = "live, " + Coppice.time(data.map.at);
        this.live.disabled = true;
        this.forest.show(data.map, data.snapshot ? data.snapshot.decisions : [], data.capacity);
        this.note.textContent = data.map.level.length ? "" : "Nothing has been flushed yet.";
      } else {
        // Times go as they grow old, and the picture that is looked at stays.
        const later = this.times.findIndex((at) => at > this.replaying);
        this.slider.value = String(later < 0 ? this.times.length - 1 : Math.max(0, later - 1));
      }
    }

    /** Answers may come out of order: only that to the last question is drawn. */
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
      this.play.textContent = "❚❚";
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
      this.play.textContent = "▶";
    }

    goLive() {
      this.halt();
      this.replaying = null;
      this.update(this.page.last);
    }

    draw() {
      this.forest.draw();
    }

    close() {
      this.halt();
    }
  }

  /** A change made here is seen at the next look, at most so many milliseconds later. */
  const SEEN_WITHIN = 15000;

  class Course {
    constructor(page) {
      this.page = page;
      this.canvas = el("canvas", { id: "course", role: "img", "aria-label": "Amplification over time",
        mousemove: (event) => Coppice.pointAt(this.canvas, event) });
    }

    update(data) {
      this.data = data;
      if (data.series.at.length < 2) {
        this.page.body.replaceChildren(empty("Nothing to draw yet", "Lines appear after a few looks at the node."));
        return;
      }
      if (!this.canvas.isConnected) {
        this.page.body.replaceChildren(el("section.sheet", {}, this.canvas,
          el("p.note", {}, "Write amplification is a mean of five minutes. A dashed line is a change of the policy, by whomever; point at it to read it. What is shown was seen by this console; it ends with it.")));
      }
      this.draw();
    }

    draw() {
      if (!this.data || !this.canvas.isConnected) {
        return;
      }
      const { series } = this.data;
      const plain = (value) => (value >= 10 ? value.toFixed(0) : value.toFixed(1));
      Coppice.drawCharts(this.canvas, series.at, [
        { name: "Write amplification, mean of 5 min", format: plain, floor: 2, lines: [{ colour: "blue", values: series.wa }] },
        { name: "Tables a lookup asks between two looks, and runs", format: plain, floor: 2,
          lines: [{ name: "asked", colour: "blue", values: series.ra }, { name: "runs", colour: "leaf-deep", values: series.runs }] },
        { name: "Space amplification, at most", format: plain, floor: 2, lines: [{ colour: "blue", values: series.sa }] },
        { name: "Bytes of tables", format: bytes, lines: [{ colour: "leaf-deep", values: series.live }] },
        { name: "Written each second", format: bytes,
          lines: [{ name: "flushed", colour: "blue", values: series.flush }, { name: "merged", colour: "amber", values: series.merge }] },
      ], this.marks());
    }

    /**
     * Every change of the policy, oldest first: those made here, and those that were only seen, by
     * ALTER TABLE, another console, a canary, or a policy that moves its options itself.
     */
    marks() {
      const own = this.data.changes.filter((one) => one.what !== "stop");
      // Two made here between two looks are seen as one.
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

  /** A name and options of a policy's text, or of compaction parameters as JSON. */
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

  /** In which options two policies differ, for people. */
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
        : el("section.sheet.flush", {}, el("table", {},
          el("thead", {}, el("tr", {}, el("th", {}, "when"), el("th.text", {}, "plan"), el("th.text", {}, "why"),
            el("th", {}, "inputs"), el("th", {}, "to level"))),
          el("tbody", {}, all.map((one) => el("tr", {},
            el("td", {}, Coppice.time(one.at)), el("td.text", {}, one.kind),
            el("td.text.wrap", {}, one.sentence),
            cell(bytes(one.bytes), one.tables + " tables"), cell("L" + one.level)))))));
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
        return el("tr", {},
          el("td", {}, here ? el("strong", {}, node.name) : node.name, here ? el("span.sub", {}, "this one") : null),
          el("td.text", {}, table ? table.strategy : "–", table && table.tuned ? el("span.sub", {}, "not as the schema says") : null),
          cell(table ? number(table.wa) : "–", table ? seen(table) : ""), cell(table ? number(table.ra) : "–"),
          cell(table ? number(table.sa) : "–"), cell(table ? bytes(table.live) : "–"),
          cell(table && table.readP99 != null ? (table.readP99 / 1000).toFixed(2) + " ms" : "–"),
          cell(table ? count(table.pending) : "–"));
      });
      this.page.body.replaceChildren(
        el("section.sheet.flush", {}, el("table", { id: "nodes" },
          el("thead", {}, el("tr", {}, el("th", {}, "node"), el("th.text", {}, "strategy"), el("th", {}, "WA"), el("th", {}, "RA"),
            el("th", {}, "SA ≤"), el("th", {}, "live"), el("th", {}, "read p99"), el("th", {}, "pending"))),
          el("tbody", {}, rows))),
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
      const all = state.nodes.flatMap((node) => node.compactions.map((one) => ({ ...one, node: node.name, old: node.state === "lost",
        known: node.tables.some((table) => table.id === one.table) })));
      const focused = document.activeElement && document.activeElement.dataset.key;
      this.main.replaceChildren(el("div.head", {}, el("h1", {}, "Compactions"), el("span.note", {}, "under way now")),
        !all.length ? empty("Nothing is being merged", "Compactions appear here with their progress while they run.")
        : el("section.sheet.flush", {}, el("table", { id: "compactions" },
          el("thead", {}, el("tr", {}, el("th", {}, "table"), el("th.text", {}, "why"), el("th.text", {}, "progress"),
            el("th", {}, "left"), el("th", {}, "pace"), el("th", {}, "ETA"), el("th", {}, ""))),
          el("tbody", {}, all.map((one) => this.row(one, state))))));
      if (focused) {
        const again = [...this.main.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
        if (again) {
          again.focus();
        }
      }
    }

    row(one, state) {
      const share = one.total ? one.done / one.total : 0;
      return el(one.old ? "tr.stale" : "tr", {},
        el("td", {}, one.known ? el("a", { href: link(one.node, one.table) }, one.table) : one.table, el("span.sub", {}, one.node)),
        el("td.text.wrap", {}, one.sentence || one.what, el("span.sub", {}, one.level >= 0 ? one.what + " into level " + one.level : one.what)),
        el("td.text", {}, el("progress", { max: "1", value: String(share), "aria-label": "progress" }),
          el("span.sub", {}, Math.floor(share * 100) + " % of " + bytes(one.total))),
        cell(bytes(Math.max(0, one.total - one.done))), cell(rate(one.rate)), cell(span(one.eta)),
        el("td", {}, el("button", { type: "button", "data-key": "stop " + one.id, disabled: !state.allowChanges || !one.known,
          title: !state.allowChanges ? "The console was started without --allow-changes"
            : one.known ? null : "This is no table of users; nodetool stop ends it", click: () => this.stop(one) }, "Stop…")));
    }

    async stop(one) {
      const yes = await Coppice.confirm("Stop this compaction of " + one.table + "?", one.own ? [
        "What it has written and installed stays; of the step under way up to one table a run is done again.",
        "The policy plans the rest anew, perhaps at once. Nothing is lost."] : [
        "What it has not finished is dropped. The SSTables that it reads stay as they are.",
        "A compaction is planned anew, perhaps at once. A repair, cleanup or new index that it is a part of fails, and somebody has to begin that again."], "Stop it");
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
  Coppice.parts = { empty, cell, stock };
})();
