// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
// Tuning: change a value, see what the simulator says of it, put it in force on this node, take it
// back. And the page of all changes.
"use strict";

(function () {
  const { el, bytes, number, span } = Coppice;
  const { empty, cell, stock } = Coppice.parts;

  /** By node and table what was typed and is not in force: another view, or a look without an answer, loses nothing. */
  const drafts = new Map();

  class Tune {
    constructor(page) {
      this.page = page;
      this.draft = page.node + "\n" + page.id;
      this.inputs = new Map();
      this.forecast = null;
    }

    update(data, node, state) {
      if (!data.snapshot) {
        this.page.body.replaceChildren(stock(this.page.id),
          el("section.sheet", {}, el("h2", {}, "Try a strategy of Coppice on this node alone"),
            el("p", {}, "The canary command gives this one table another strategy until the node restarts, without a change of the schema:"),
            el("code.code", {}, "java -jar coppice-tool.jar canary --jmx " + node.name + " " + this.page.id +
              " \"{'class': 'DelayedCompactionStrategy'}\"")));
        this.policy = undefined;
        return;
      }
      this.data = data;
      this.state = state;
      this.lost = node.state !== "up";
      const policy = data.snapshot.policy;
      if (this.policy === undefined) {
        this.policy = policy;
        this.build();
      } else if (this.policy !== policy) {
        this.adopt(policy);
      }
      this.buttons();
      this.beside();
    }

    build() {
      const { tunables } = this.data.snapshot;
      this.inputs.clear();
      this.forecast = null;
      const rows = tunables.map((one) => {
        const input = el("input", { value: one.current, name: one.name, "aria-label": one.name, autocomplete: "off",
          spellcheck: "false", maxlength: "40", input: () => this.edited() });
        const configured = el("td.text", {}, this.configured(one));
        this.inputs.set(one.name, { input, one, configured });
        return el("tr", {},
          el("td", {}, el("span.code-name", {}, one.name), el("span.sub", {}, one.unit)),
          el("td.text", {}, input),
          configured,
          el("td.text.unknown", {}, one.range),
          el("td.text.wrap.note", {}, one.effect + (one.needsRewrite ? " Tables take it when they are next rewritten." : "")));
      });
      this.simulate = el("button.main", { type: "button", id: "simulate", click: () => this.trial() }, "Simulate");
      this.apply = el("button", { type: "button", id: "apply", click: () => this.put() }, "Apply on this node…");
      this.copy = el("button", { type: "button", id: "copy", click: () => this.permanent() }, this.data.row.store ? "Copy for StoreOptions" : "Copy ALTER TABLE");
      this.reset = el("button.quiet", { type: "button", click: () => this.clear() }, "Reset");
      this.hint = el("span.note", {});
      this.beneath = el("p.warn", { id: "beneath", role: "status", hidden: true });
      this.results = el("section", { id: "results", "aria-live": "polite" });
      this.text = el("div", {});
      this.since = el("div", {});
      this.page.body.replaceChildren(
        el("section.sheet.flush", {}, el("table", { id: "tunables" },
          el("thead", {}, el("tr", {}, el("th", {}, "option"), el("th.text", {}, "value"), el("th.text", {}, "configured"),
            el("th.text", {}, "range"), el("th.text", {}, "what it does"))),
          el("tbody", {}, rows))),
        el("div.row", {}, this.simulate, this.apply, this.copy, this.reset, this.hint),
        this.beneath, this.text, this.results, this.since);
      const draft = drafts.get(this.draft);
      if (draft) {
        this.type(draft.values);
        this.edited();
        this.warn(draft.policy);
      }
    }

    type(typed) {
      for (const [name, value] of typed) {
        if (this.inputs.has(name)) {
          this.inputs.get(name).input.value = value;
        }
      }
    }

    typed() {
      return new Map([...this.inputs].filter(([, { input, one }]) => input.value.trim() !== one.current)
        .map(([name, { input }]) => [name, input.value]));
    }

    configured(one) {
      return [one.configured, one.configured !== one.current ? el("span.sub", {}, "now " + one.current) : null];
    }

    /**
     * Another policy is in force than the form shows, by this page, by somebody else, or by the
     * policy itself: the form takes its values, and leaves what the person has typed.
     */
    adopt(policy) {
      const before = this.policy;
      const own = policy === this.applied;
      // Of what was sent nothing is left to do, but more may have been typed while it was under way.
      const typed = new Map([...this.typed()].filter(([name, value]) => !own || value !== this.sent.get(name)));
      const { tunables } = this.data.snapshot;
      this.policy = policy;
      this.applied = null;
      if (tunables.map((one) => one.name).join() === [...this.inputs.keys()].join()) {
        for (const one of tunables) {
          const row = this.inputs.get(one.name);
          row.one = one;
          row.input.value = typed.get(one.name) ?? one.current;
          row.configured.replaceChildren(...this.configured(one).filter((child) => child != null));
        }
      } else {
        this.build();
        this.type(typed);
      }
      this.edited();
      if (own) {
        // Beside what is measured it stands now.
        this.results.replaceChildren();
      }
      this.warn(before);
    }

    /** What somebody typed over another policy than the one in force has to be thought over. */
    warn(before) {
      this.beneath.hidden = before === this.policy || !this.wanted();
      this.beneath.textContent = "What is in force has changed meanwhile: " + Coppice.difference(before, this.policy) +
        ". What you typed stays; what was simulated before does not hold any more.";
    }

    /** What is not as it is in force, as name=value,name=value. */
    wanted() {
      return [...this.inputs.values()]
        .filter(({ input, one }) => input.value.trim() !== one.current)
        .map(({ input, one }) => one.name + "=" + input.value.trim())
        .join(",");
    }

    edited() {
      for (const { input, one } of this.inputs.values()) {
        input.classList.toggle("changed", input.value.trim() !== one.current);
      }
      const typed = this.typed();
      if (typed.size) {
        drafts.set(this.draft, { policy: this.policy, values: typed });
      } else {
        drafts.delete(this.draft);
      }
      this.forecast = null;
      this.results.classList.add("stale");
      this.text.replaceChildren();
      this.beneath.hidden = this.beneath.hidden || !this.wanted();
      this.buttons();
    }

    forget(sent) {
      const draft = drafts.get(this.draft);
      for (const [name, value] of draft ? sent : []) {
        if (draft.values.get(name) === value) {
          draft.values.delete(name);
        }
      }
      if (draft && !draft.values.size) {
        drafts.delete(this.draft);
      }
    }

    /** What was sent is in force, however it reads there. */
    settle() {
      for (const [name, value] of this.sent) {
        const row = this.inputs.get(name);
        if (row && row.input.value === value) {
          row.input.value = row.one.current;
        }
      }
      this.edited();
    }

    clear() {
      for (const { input, one } of this.inputs.values()) {
        input.value = one.current;
      }
      this.edited();
    }

    buttons() {
      const wanted = this.wanted();
      const may = this.state.allowChanges && !this.lost;
      this.simulate.disabled = !wanted || this.busy;
      this.apply.disabled = !wanted || !may;
      this.reset.disabled = !wanted;
      const against = this.against(wanted);
      this.copy.disabled = against.length > 0;
      this.copy.title = against.join(" ");
      this.hint.textContent = !this.state.allowChanges
        ? "Read only: the console was started without --allow-changes."
        : this.busy ? "Simulating…"
        : "Applied, it holds on this node until it restarts" + (this.data.row.store ? " (here: until the store is closed)." : "; the schema stays as it is.");
    }

    /**
     * What speaks against making it permanent, as far as this console can see: an ALTER TABLE is
     * judged by one node and then holds for all.
     */
    against(wanted) {
      const against = [];
      if (wanted && !this.forecast) {
        against.push("These values were neither simulated nor put in force here, so nobody has judged them.");
      }
      for (const node of this.data.row.store ? [] : this.state.nodes) {
        if (node.state !== "up") {
          against.push(node.name + " does not answer.");
        } else if (!node.tables.some((one) => one.id === this.page.id)) {
          against.push(node.name + " has no such table (yet).");
        } else if (!node.plugin) {
          against.push(node.name + " is not seen to have the plugin.");
        }
      }
      return against;
    }

    async trial() {
      this.busy = true;
      this.beneath.hidden = true;
      this.buttons();
      const { policy } = this;
      const options = this.wanted();
      try {
        const forecast = await Coppice.post("/api/simulate", { node: this.page.node, table: this.page.id, options });
        this.show(forecast);
        // It is of what was asked, which may have been changed while it went on.
        const holds = policy === this.policy && options === this.wanted();
        this.forecast = holds ? forecast : null;
        this.results.classList.toggle("stale", !holds);
      } catch (e) {
        this.results.classList.remove("stale");
        this.results.replaceChildren(el("div.sheet.warn", {}, ...e.message.split("\n").map((line) => el("p", {}, line))));
      }
      this.busy = false;
      this.buttons();
    }

    show(forecast) {
      const { present, proposed, measured, error, notes, overfills } = forecast;
      const row = (name, key, form, explain) => {
        const now = present[key];
        const then = proposed[key];
        const better = now != null && then != null && now > 0 ? then / now - 1 : 0;
        const change = Math.abs(better) < 0.02 ? "" : (better < 0 ? "▼ " : "▲ ") + Math.abs(100 * better).toFixed(0) + " %";
        return el("tr", {}, el("td", {}, name, el("span.sub", {}, explain)),
          cell(measured[key] == null ? "–" : form(measured[key])), cell(form(now)),
          el("td", {}, el("strong", {}, form(then)),
            el(better < 0 ? "span.sub.better" : "span.sub.worse", {}, change)));
      };
      const off = error && error.share != null
        ? "Simulated from where the table lay " + span(error.seconds) + " ago, write amplification came out as " +
          number(error.simulated) + "; measured were " + number(error.measured) + ": off by " +
          (Math.abs(error.share) < 0.005 ? "less than 1" : (error.share > 0 ? "+" : "−") + Math.abs(100 * error.share).toFixed(0)) +
          " % on this table."
        : "Unverified: the console has not seen enough flushes yet to say how far the simulator is off on this table.";
      this.results.replaceChildren(
        el("section.sheet.flush", {}, el("table", { id: "forecast" },
          el("thead", {}, el("tr", {}, el("th", {}, "once settled"), el("th", {}, "measured, last " + span(measured.seconds)),
            el("th", {}, "simulated, as it is"), el("th", {}, "simulated, changed"))),
          el("tbody", {},
            row("write amplification", "wa", number, "bytes written for each byte flushed"),
            row("runs over a key", "runs", number, "what a lookup may have to ask, filters aside"),
            row("space amplification", "sa", number, "bytes on disk for each byte of distinct keys"),
            row("transient space", "transient", bytes, "by how much a merge fills the disk for a moment"),
            row("merged at once", "settle", bytes, "before it has settled")))),
        ...(overfills ? [el("p.warn", { id: "overfills" }, this.overfills(forecast))] : []),
        el("div.sheet", {},
          el("p", {}, "It settles in " + (forecast.settleSeconds == null ? "a time that is not known" : span(forecast.settleSeconds)) +
            "; the forecast covers " + proposed.flushes + " flushes" +
            (forecast.horizonSeconds == null ? "." : ", about " + span(forecast.horizonSeconds) + " at the present rate.")),
          el("p", { id: "error" }, off),
          ...notes.map((note) => el("p.note", {}, note))));
    }

    /** A merge under what is proposed has no room. */
    overfills(forecast) {
      return "A merge would fill the disk by " + bytes(forecast.proposed.transient) + " for a moment, and " +
        bytes(forecast.free) + " are free.";
    }

    /**
     * Before, simulated and measured, side by side, while the change that was made here last is what
     * is in force: one that was taken back or overtaken has no doings any more.
     */
    beside() {
      const { since, changes } = this.data;
      const change = since && changes.find((one) => one.id === since.change);
      if (!change) {
        this.since.replaceChildren();
        return;
      }
      const said = Coppice.forecast(change);
      const most = (value) => [number(value), value == null ? "" : "at most"];
      const row = (name, key, form) => el("tr", {}, el("td", {}, name), cell(...form(said.before[key])),
        cell(number(said[key])), cell(...form(since[key])));
      this.since.replaceChildren(el("section.sheet.flush", {},
        el("h2", {}, "Since the change of " + Coppice.time(change.at) + ": " + Coppice.difference(change.before, change.after)),
        el("table", { id: "since" },
          el("thead", {}, el("tr", {}, el("th", {}, ""), el("th", {}, "measured before"), el("th", {}, "simulated"),
            el("th", {}, "measured since, " + span(since.seconds)))),
          el("tbody", {},
            row("write amplification", "wa", (value) => [number(value)]),
            row("runs over a key", "runs", (value) => [number(value)]),
            row("space amplification", "sa", most)))));
    }

    /** What is asked for is what was shown when the button was pressed, whatever ticks bring meanwhile. */
    async put() {
      const wanted = this.wanted();
      const sent = this.typed();
      const { policy, forecast } = this;
      const said = forecast ? JSON.stringify({
        wa: forecast.proposed.wa, runs: forecast.proposed.runs, sa: forecast.proposed.sa,
        before: { wa: forecast.measured.wa, runs: forecast.measured.runs, sa: this.data.row.sa },
      }) : "";
      const yes = await Coppice.confirm("Put this in force on " + this.page.node + "?", [
        this.page.id + ": " + wanted.replaceAll(",", ", "),
        this.data.row.store
          ? "It holds until the store is closed. Its options stay as they are."
          : "It holds on this node until it restarts or the table is altered. The schema and the other nodes stay as they are.",
        forecast ? "Simulated: write amplification " + number(forecast.proposed.wa) + "." : "It was not simulated.",
        ...(forecast && forecast.overfills ? [this.overfills(forecast)] : [])], "Apply");
      if (!yes) {
        return;
      }
      try {
        const change = await Coppice.post("/api/apply", { node: this.page.node, table: this.page.id, options: wanted,
          expected: policy, forecast: said });
        this.applied = change.after;
        this.sent = sent;
        this.forget(sent);
        if (this.policy === this.applied) {
          this.settle();
        }
        Coppice.toast("In force on " + this.page.node + (change.fault ? ", but " + change.fault : ". History takes it back."));
        Coppice.tick();
      } catch (e) {
        Coppice.toast(e.message);
      }
    }

    async permanent() {
      const values = new Map([...this.inputs].map(([name, { input }]) => [name, input.value.trim()]));
      let text;
      if (this.data.row.store) {
        const name = this.data.snapshot.policy.split(",")[0];
        const policy = name + [...values].map(([option, value]) => "," + option + "=" + value).join("");
        const family = this.page.id.slice(this.page.id.lastIndexOf("/") + 1);
        text = family === "default" ? '.policy("' + policy + '")' : '.family("' + family + '", "' + policy + '")';
      } else {
        const map = JSON.parse(this.data.parameters || "{}");
        for (const { input, one } of this.inputs.values()) {
          if (input.value.trim() !== one.standard || one.name in map) {
            map[one.name] = input.value.trim();
          }
        }
        const [keyspace, table] = this.page.id.split(".");
        const name = (word) => /^[a-z][a-z0-9_]*$/.test(word) ? word : '"' + word.replaceAll('"', '""') + '"';
        const literal = (value) => "'" + String(value).replaceAll("'", "''") + "'";
        text = "ALTER TABLE " + name(keyspace) + "." + name(table) + " WITH compaction = {" +
          Object.entries(map).map(([key, value]) => literal(key) + ": " + literal(value)).join(", ") + "};";
      }
      this.text.replaceChildren(el("code.code", { id: "permanent" }, text),
        el("p.note", {}, this.data.row.store
          ? "For StoreOptions.builder(); from the next opening on it holds for good."
          : "The console runs no CQL, and knows no other nodes than it looks at. Run preflight against every node first, then this statement once: it changes the schema of the whole cluster."));
      try {
        await navigator.clipboard.writeText(text);
        Coppice.toast("Copied.");
      } catch (e) {
        Coppice.toast("The browser does not let pages copy; the text is below.");
      }
    }
  }

  class History {
    constructor(main) {
      this.main = main;
      this.shown = "";
    }

    async update(state) {
      const { changes } = await Coppice.get("/api/changes");
      if (!Coppice.drawable(this)) {
        return;
      }
      const key = JSON.stringify([changes, state.allowChanges]);
      if (key === this.shown) {
        return;
      }
      this.shown = key;
      const focused = document.activeElement && document.activeElement.dataset.key;
      const here = new Set(state.nodes.map((node) => node.name));
      this.main.replaceChildren(el("div.head", {}, el("h1", {}, "History"),
        el("span.note", {}, "what was changed from consoles of this user; undo works while nothing else was put in force since")),
        !changes.length ? empty("Nothing was changed yet", "Every change made here is kept, with what the simulator had said.")
        : el("section.sheet.flush", {}, el("table", { id: "history" },
          el("thead", {}, el("tr", {}, el("th", {}, "when"), el("th.text", {}, "who"), el("th.text", {}, "where"),
            el("th.text", {}, "what"), el("th", {}, "simulated WA"), el("th", {}, "measured WA, first hour"), el("th", {}, ""))),
          el("tbody", {}, changes.map((one) => el("tr", { "data-change": one.id },
            el("td", {}, Coppice.day(one.at)), el("td.text", {}, one.who),
            el("td.text", {}, el("a", { href: Coppice.link(one.node, one.table, "course") }, one.table), el("span.sub", {}, one.node)),
            el("td.text.wrap", {}, one.what === "stop" ? "stopped: " + (one.after || one.before)
              : (one.what === "undo" ? "undone: " : "") + Coppice.difference(one.before, one.after)),
            cell(number(Coppice.forecast(one).wa)),
            this.measured(one),
            el("td", {}, one.what === "stop" ? null : el("button", { type: "button", disabled: !state.allowChanges || !here.has(one.node),
              "data-key": "undo " + one.id, click: () => Coppice.undo(one) }, "Undo…"))))))));
      if (focused) {
        const again = [...this.main.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
        if (again) {
          again.focus();
        }
      }
    }

    /** What it came to, and after how long where that was not the whole hour. */
    measured(one) {
      const found = one.measured;
      if (!found || found.wa == null) {
        return cell("–");
      }
      return cell(number(found.wa), !found.over ? "so far, " + span(found.seconds)
        : found.seconds < 3500 ? "after " + span(found.seconds) : "");
    }
  }

  const figures = (of) => Object.fromEntries(["wa", "runs", "sa"]
    .map((key) => [key, of && typeof of[key] === "number" ? of[key] : null]));

  /** What was forecast of a change, and measured before; an old or broken note must not hide others. */
  Coppice.forecast = function (one) {
    let said = null;
    try {
      said = JSON.parse(one.forecast);
    } catch (e) {
      // It was not simulated.
    }
    return { ...figures(said), before: figures(said && said.before) };
  };

  /** Takes a change back, if the person says so. */
  Coppice.undo = async function (one) {
    const yes = await Coppice.confirm("Take this back?", [
      one.table + " on " + one.node + ": " + Coppice.difference(one.after, one.before),
      "If something else has been put in force since, nothing happens."], "Undo");
    if (yes) {
      try {
        const change = await Coppice.post("/api/undo", { change: one.id });
        Coppice.toast("Taken back" + (change.fault ? ", but " + change.fault : "."));
        Coppice.tick();
      } catch (e) {
        Coppice.toast(e.message);
      }
    }
  };

  Coppice.views.tune = Tune;
  Coppice.pages.History = History;
})();
