// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
// Tuning: change a value, see what the simulator says of it, put it in force on this node, take it
// back. And the page of all changes.
"use strict";

(function () {
  const { el, bytes, count, number, span } = Coppice;
  const { empty, cell, grid, head, redraw, stock } = Coppice.parts;
  const named = (policy) => policy.split(",")[0];

  /**
   * Values that were typed but not applied, by node and table. They survive other pages and samples
   * without an answer.
   */
  const drafts = new Map();

  /** Orders of suggestions; less is better. */
  const AIMS = [
    ["all", "all three together", (one) => one.wa * one.runs * one.sa],
    ["wa", "fewer bytes written", (one) => one.wa],
    ["runs", "fewer runs a lookup checks", (one) => one.runs],
    ["sa", "less disk", (one) => one.sa],
  ];
  const SUGGESTED = 8;
  let aim = "all";

  class Tune {
    constructor(page) {
      this.page = page;
      this.draft = page.node + "\n" + page.id;
      this.inputs = new Map();
      this.forecast = null;
      this.faults = [];
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
      if (this.asked !== policy) {
        this.asked = policy;
        this.load(policy);
      }
      if (!this.policies) {
        return;
      }
      if (this.policy === undefined) {
        this.open(policy);
      } else if (this.policy !== policy && this.loaded === policy) {
        this.adopt(policy);
      }
      this.buttons();
      this.beside();
    }

    /**
     * Loads the options of all policies, which take common values from the active one. If that
     * fails, the form keeps the options it has.
     */
    async load(policy) {
      let policies = null;
      try {
        ({ policies } = await Coppice.get("/api/policies", { node: this.page.node, table: this.page.id }));
      } catch (e) {
        Coppice.toast(e.message);
      }
      if (this.asked === policy) {
        this.loaded = policy;
        this.policies = policies ? new Map(policies.map((one) => [one.name, one.tunables])) : this.policies || new Map();
        Coppice.tick();
      }
    }

    open(policy) {
      this.policy = policy;
      const draft = drafts.get(this.draft);
      this.chosen = draft && this.policies.has(draft.chosen) ? draft.chosen : named(policy);
      this.build();
      if (draft) {
        this.type(draft.values);
        this.edited();
        this.warn(draft.policy);
      }
    }

    /** Returns whether the form shows another policy than the active one. */
    other() {
      return this.chosen !== named(this.policy);
    }

    tunables() {
      return this.other() ? this.policies.get(this.chosen) : this.data.snapshot.tunables;
    }

    build() {
      this.inputs.clear();
      this.forecast = null;
      const names = [...new Set([named(this.policy), ...this.policies.keys()])];
      this.select = el("select", { id: "policy", "aria-label": "policy", change: () => this.choose(this.select.value) },
        names.map((name) => el("option", { value: name }, name)));
      this.select.value = this.chosen;
      this.select.disabled = names.length < 2;
      this.now = el("span.note", {});
      const rows = this.tunables().map((one) => {
        const fault = el("span.fault", { id: "fault-" + one.name });
        const input = el("input", { value: one.current, name: one.name, "aria-label": one.name, autocomplete: "off",
          "aria-describedby": fault.id, spellcheck: "false", maxlength: "40", input: () => this.edited() });
        const configured = el("td.text", {}, this.configured(one));
        this.inputs.set(one.name, { input, one, configured, fault });
        return el("tr", {},
          el("td", {}, el("span.code-name", {}, one.name), el("span.sub", {}, one.unit)),
          el("td.text", {}, input, fault),
          configured,
          el("td.text.note", {}, one.range),
          el("td.text.wrap.note", {}, one.effect + (one.needsRewrite ? " Tables take it when they are next rewritten." : "")));
      });
      this.simulate = el("button.main", { type: "button", id: "simulate", click: () => this.trial() }, "Simulate");
      this.apply = el("button", { type: "button", id: "apply", click: () => this.put() }, "Apply on this node…");
      this.advise = el("button", { type: "button", id: "suggest", click: () => this.ask() }, "Suggest values");
      this.copy = el("button", { type: "button", id: "copy", click: () => this.permanent() }, this.data.row.store ? "Copy for StoreOptions" : "Copy ALTER TABLE");
      this.reset = el("button.quiet", { type: "button", click: () => this.clear() }, "Reset");
      this.hint = el("span.note", {});
      this.general = el("p.warn", { id: "faults", role: "status", hidden: true });
      this.beneath = el("p.warn", { id: "beneath", role: "status", hidden: true });
      this.results = this.results || el("section", { id: "results", "aria-live": "polite" });
      this.advice = this.advice || el("section", { id: "advice", "aria-live": "polite" });
      this.text = el("div", {});
      this.since = el("div", {});
      this.page.body.replaceChildren(
        el("section.sheet.flush", {}, el("div.policy", {}, el("label", { for: "policy" }, "policy"), this.select, this.now),
          grid("tunables", [head("option", true), head("value", true),
            head(this.other() ? "at first" : "configured", true), head("range", true), head("what it does", true)], rows)),
        this.general,
        el("div.row", {}, this.simulate, this.apply, this.advise, this.copy, this.reset, this.hint),
        this.beneath, this.text, this.results, this.advice, this.since);
    }

    /** Shows another policy in the form; nothing changes on the node. */
    choose(name, values) {
      this.chosen = name;
      this.build();
      this.type(values || new Map());
      this.edited();
      this.select.focus();
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
     * Takes over another active policy, set by this page, by somebody else, or by the policy
     * itself. The form takes its values and keeps what the person has typed.
     */
    adopt(policy) {
      const before = this.policy;
      const own = policy === this.applied;
      const other = this.other();
      // Typed values that were just applied are done; more may have been typed in the meantime.
      const typed = new Map([...this.typed()].filter(([name, value]) => !own || value !== this.sent.get(name)));
      this.policy = policy;
      this.applied = null;
      if (own || !other) {
        this.chosen = named(policy);
      }
      const tunables = this.tunables();
      if (tunables.map((one) => one.name).join() === [...this.inputs.keys()].join() && other === this.other()) {
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
        // The forecast now appears beside the measured values.
        this.results.replaceChildren();
        this.advice.replaceChildren();
      }
      this.warn(before);
    }

    /** Warns about values that somebody typed for another policy than the active one. */
    warn(before) {
      this.beneath.hidden = before === this.policy || !this.wanted();
      this.beneath.textContent = "What is in force has changed meanwhile: " + Coppice.difference(before, this.policy) +
        ". What you typed stays; what was simulated before does not hold any more.";
    }

    /**
     * Returns the typed values that differ from the active ones, as name=value,name=value, after
     * the name of another policy.
     */
    wanted(without = []) {
      const all = [...this.inputs.values()].filter(({ one }) => !without.includes(one.name));
      const options = (this.other() ? all : all.filter(({ input, one }) => input.value.trim() !== one.current))
        .map(({ input, one }) => one.name + "=" + input.value.trim());
      return (this.other() ? [this.chosen, ...options] : options).join(",");
    }

    edited() {
      for (const { input, one } of this.inputs.values()) {
        input.classList.toggle("changed", input.value.trim() !== one.current);
      }
      this.select.classList.toggle("changed", this.other());
      this.now.textContent = this.other() ? "now " + named(this.policy) + ". The other policy begins with the tables as they lie." : "";
      const typed = this.typed();
      if (typed.size || this.other()) {
        drafts.set(this.draft, { policy: this.policy, chosen: this.chosen, values: typed });
      } else {
        drafts.delete(this.draft);
      }
      this.forecast = null;
      this.results.classList.add("stale");
      this.text.replaceChildren();
      this.beneath.hidden = this.beneath.hidden || !this.wanted();
      this.judge();
      this.buttons();
    }

    /** Lets the process check the typed values, as it would before it applies them. */
    judge() {
      const wanted = this.wanted();
      clearTimeout(this.judging);
      const many = [...this.inputs.values()].filter(({ input }) => /[,=]/.test(input.value));
      const faults = many.map(({ input, one }) => one.name + " (" + input.value.trim() + ") must be one value");
      const asked = this.wanted(many.map(({ one }) => one.name));
      if (!asked) {
        this.mark(faults);
        return;
      }
      this.valid = many.length ? false : null;
      this.judging = setTimeout(async () => {
        try {
          const told = await Coppice.post("/api/validate", { node: this.page.node, table: this.page.id, options: asked });
          faults.push(...told.faults);
        } catch (e) {
          faults.push(e.message);
        }
        if (wanted === this.wanted()) {
          this.mark(faults);
          this.buttons();
        }
      }, 120);
    }

    /** Marks the fields of faults. Faults without a field appear above the buttons. */
    mark(faults) {
      this.valid = !faults.length;
      const rest = new Set(faults);
      for (const [name, { input, fault }] of this.inputs) {
        const own = faults.filter((one) => one.startsWith(name + " (") || one.startsWith("option '" + name + "'"));
        own.forEach((one) => rest.delete(one));
        const text = own.join(" ");
        if (fault.textContent !== text) {
          fault.textContent = text;
          if (text) {
            Coppice.say(text);
          }
        }
        input.setAttribute("aria-invalid", String(own.length > 0));
      }
      this.general.textContent = [...rest].join(" ");
      this.general.hidden = !rest.size;
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

    /** Shows the applied values as the process writes them. */
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
      if (this.other()) {
        this.chosen = named(this.policy);
        this.build();
      }
      for (const { input, one } of this.inputs.values()) {
        input.value = one.current;
      }
      this.edited();
    }

    buttons() {
      const wanted = this.wanted();
      const may = this.state.allowChanges && !this.lost;
      // While the check runs, the buttons stay reachable by Tab. The process rejects wrong values.
      const wrong = this.valid === false;
      this.simulate.disabled = !wanted || this.busy || wrong;
      this.advise.disabled = Boolean(this.busy);
      this.apply.disabled = !wanted || !may || wrong;
      this.reset.disabled = !wanted;
      const against = this.against(wanted);
      this.copy.disabled = against.length > 0;
      this.copy.title = against.join(" ");
      this.hint.textContent = this.lost ? "This node does not answer, so nothing can be applied."
        : !this.state.allowChanges ? "Read only: the console was started without --allow-changes."
        : this.busy || ("Applied, it holds on this node until it restarts" + (this.data.row.store ? " (here: until the store is closed)." : "; the schema stays as it is."));
    }

    /**
     * Returns the reasons against making the values permanent, as far as this console can see them:
     * one node checks an ALTER TABLE, which then holds for all.
     */
    against(wanted) {
      const against = [];
      if (wanted && !this.forecast) {
        against.push("These values were neither simulated nor applied here. Simulate them first.");
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
      this.busy = "Simulating…";
      this.beneath.hidden = true;
      this.buttons();
      const { policy } = this;
      const options = this.wanted();
      try {
        const forecast = await Coppice.post("/api/simulate", { node: this.page.node, table: this.page.id, options });
        this.show(forecast);
        // The forecast holds only if the values have not changed during the simulation.
        const holds = policy === this.policy && options === this.wanted();
        this.forecast = holds ? forecast : null;
        this.results.classList.toggle("stale", !holds);
      } catch (e) {
        this.results.classList.remove("stale");
        this.results.replaceChildren(el("div.sheet.warn", {}, ...e.message.split("\n").map((line) => el("p", {}, line))));
      }
      this.busy = null;
      this.buttons();
    }

    /** Asks the simulator for better values. */
    async ask() {
      this.busy = "Simulating other values and policies, for half a minute at most…";
      this.buttons();
      try {
        this.found = await Coppice.post("/api/suggest", { node: this.page.node, table: this.page.id });
        this.suggest();
      } catch (e) {
        this.advice.replaceChildren(el("div.sheet.warn", {}, el("p", {}, e.message)));
      }
      this.busy = null;
      this.buttons();
    }

    /** Returns what a suggestion changes, for people. */
    label(change) {
      if (!change.split(",")[0].includes("=")) {
        return [named(change), "another policy, with its defaults"];
      }
      const [name, value] = change.split("=");
      const row = this.data.snapshot.tunables.find((one) => one.name === name);
      return [name + " " + (row ? row.current : "?") + " → " + value, row ? row.unit : ""];
    }

    suggest() {
      const { present, better, tried, left, seconds } = this.found;
      const by = AIMS.find(([key]) => key === aim)[2];
      const ranked = better.filter((one) => by(one.report) < 0.98 * by(present))
        .sort((a, b) => by(a.report) - by(b.report)).slice(0, SUGGESTED);
      const value = (key, form) => (report) => el("td", {}, form(report[key]), report === present ? null : Coppice.delta(present[key], report[key]));
      const cells = [value("wa", number), value("runs", number), value("sa", number), value("transient", bytes)];
      const row = (name, sub, report, last) => el("tr", {}, el("td", {}, name, sub ? el("span.sub", {}, sub) : null),
        cells.map((one) => one(report)), el("td", {}, last));
      const select = el("select", { id: "aim", "data-key": "aim", "aria-label": "Rank by", change: () => {
        aim = select.value;
        this.suggest();
      } }, AIMS.map(([key, name]) => el("option", { value: key }, name)));
      select.value = aim;
      redraw(this.advice, el("section.sheet.flush", {},
        el("div.policy", {}, el("h2", {}, "Suggestions"), el("label", { for: "aim" }, "rank by"), select,
          el("span.note", {}, count(tried) + " values and policies simulated over the same flushes of the last " + span(seconds) +
            (left ? "; time ran out for " + left : "") + ".")),
        ranked.length ? grid("suggestions", [head("change", true), head("write amplification"), head("runs over a key"),
          head("space amplification"), head("transient space"), head("")],
          [row("as it is", null, present, null),
            ...ranked.map((one) => row(...this.label(one.change), one.report, [
              el("button", { type: "button", "data-key": "use " + one.change, click: () => this.use(one.change) }, "Use"),
              one.overfills ? el("span.sub.warn", {}, "needs more disk than is free") : null]))])
          : el("p.room.note", {}, "Nothing that was tried is at least 2 % better. Rank by something else to see what would be.")));
    }

    /** Puts a suggestion into the form, on top of the active values. */
    use(change) {
      const parts = change.split(",");
      const other = !parts[0].includes("=");
      const values = new Map((other ? parts.slice(1) : parts).map((part) => part.split("=")));
      this.clear();
      if (other) {
        this.choose(parts[0], values);
      } else {
        this.type(values);
        this.edited();
      }
      this.page.body.scrollIntoView({ block: "start" });
      Coppice.say("In the form: " + change);
    }

    show(forecast) {
      const { present, proposed, measured, error, notes, overfills } = forecast;
      const row = (name, key, form, explain) => {
        const now = present[key];
        const then = proposed[key];
        return el("tr", {}, el("td", {}, name, el("span.sub", {}, explain)),
          cell(measured[key] == null ? "–" : form(measured[key])), cell(form(now)),
          el("td", {}, el("strong", {}, form(then)), Coppice.delta(now, then)));
      };
      const off = error && error.share != null
        ? "Simulated from where the table lay " + span(error.seconds) + " ago, write amplification came out as " +
          number(error.simulated) + "; measured were " + number(error.measured) + ": off by " +
          (Math.abs(error.share) < 0.005 ? "less than 1" : (error.share > 0 ? "+" : "−") + Math.abs(100 * error.share).toFixed(0)) +
          " % on this table."
        : "Unverified: the console has not seen enough flushes yet to say how far the simulator is off on this table.";
      this.results.replaceChildren(
        el("section.sheet.flush", {}, grid("forecast",
          [head("once settled", true), head("measured, last " + span(measured.seconds)), head("simulated, as it is"), head("simulated, changed")],
          [row("write amplification", "wa", number, "bytes written for each byte flushed"),
            row("runs over a key", "runs", number, "tables that a lookup without filters checks"),
            row("space amplification", "sa", number, "bytes on disk for each byte of distinct keys"),
            row("transient space", "transient", bytes, "most extra disk of a merge while it runs"),
            row("merged at once", "settle", bytes, "before it has settled")])),
        ...(overfills ? [el("p.warn", { id: "overfills" }, this.overfills(forecast))] : []),
        el("div.sheet", {},
          el("p", {}, "It settles in " + (forecast.settleSeconds == null ? "a time that is not known" : span(forecast.settleSeconds)) +
            "; the forecast covers " + proposed.flushes + " flushes" +
            (forecast.horizonSeconds == null ? "." : ", about " + span(forecast.horizonSeconds) + " at the present rate.")),
          el("p", { id: "error" }, off),
          ...notes.map((note) => el("p.note", {}, note))));
    }

    /** Returns the warning that a merge under the proposed values would not fit the disk. */
    overfills(forecast) {
      return "A merge would fill the disk by " + bytes(forecast.proposed.transient) + " for a moment, and " +
        bytes(forecast.free) + " are free.";
    }

    /**
     * Shows the values before, simulated and measured side by side, while the last change made here
     * is active. A change that was undone or replaced has no measured values.
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
        cell(number(said[key])),
        el(since[key] == null ? "td.unknown" : "td", {}, form(since[key])[0], form(since[key])[1] ? el("span.sub", {}, form(since[key])[1]) : null,
          Coppice.delta(said.before[key], since[key])));
      this.since.replaceChildren(el("section.sheet.flush", {},
        el("h2", {}, "Since the change of " + Coppice.time(change.at) + ": " + Coppice.difference(change.before, change.after)),
        grid("since", [head("", true), head("measured before"), head("simulated"), head("measured since, " + span(since.seconds))],
          [row("write amplification", "wa", (value) => [number(value)]),
            row("runs over a key", "runs", (value) => [number(value)]),
            row("space amplification", "sa", most)])));
    }

    /**
     * Applies the values that were shown when the button was pressed, even if samples arrive in the
     * meantime.
     */
    async put() {
      const wanted = this.wanted();
      const sent = this.typed();
      const { policy, forecast } = this;
      const said = JSON.stringify({
        ...(forecast ? { wa: forecast.proposed.wa, runs: forecast.proposed.runs, sa: forecast.proposed.sa } : {}),
        before: this.data.measured,
      });
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
        const policy = this.chosen + [...values].map(([option, value]) => "," + option + "=" + value).join("");
        // An id writes characters other than letters as numbers. Java strings escape as JSON does.
        const family = this.page.id.slice(this.page.id.lastIndexOf("/") + 1)
          .replace(/\\u\{([0-9a-f]+)\}/g, (all, hex) => String.fromCodePoint(parseInt(hex, 16)));
        text = family === "default" ? ".policy(" + JSON.stringify(policy) + ")"
          : ".family(" + JSON.stringify(family) + ", " + JSON.stringify(policy) + ")";
      } else {
        const map = this.strategy(JSON.parse(this.data.parameters || "{}"));
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

    /**
     * Returns the parameters for the schema, with the strategy class of the policy that the form
     * shows.
     */
    strategy(map) {
      const CLASSES = { delayed: "Delayed", grouped: "Grouped", "lazy-binomial": "LazyBinomial", "split-forest": "SplitForest" };
      const simple = String(map.class || "").split(".").pop();
      const schema = simple === "CoppiceCompactionStrategy" ? map.policy
        : (Object.entries(CLASSES).find(([, name]) => simple === name + "CompactionStrategy") || [])[0];
      if (schema !== this.chosen) {
        const kept = new Set(this.inputs.keys());
        for (const name of [...this.policies.values()].flat().map((one) => one.name).filter((name) => !kept.has(name))) {
          delete map[name];
        }
        delete map.policy;
        map.class = "io.coppice.cassandra." + (CLASSES[this.chosen] || "Coppice") + "CompactionStrategy";
        if (!CLASSES[this.chosen]) {
          map.policy = this.chosen;
        }
      }
      return map;
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
      redraw(this.main, el("div.head", {}, el("h1", {}, "History"),
        el("span.note", {}, "what was changed from consoles of this user")),
        !changes.length ? empty("Nothing was changed yet", "Every change made here is kept, with what the simulator had said.")
        : el("section.sheet.flush", {}, grid("history",
          [head("when", true), head("who", true), head("where", true), head("what", true), head("simulated WA"), head("measured WA, first hour"), head("undo")],
          changes.map((one) => el("tr", { "data-change": one.id },
            el("td", {}, Coppice.day(one.at)), el("td.text", {}, one.who),
            el("td.text", {}, el("a", { href: Coppice.link(one.node, one.table, "course"), "data-key": "to " + one.id }, one.table), el("span.sub", {}, one.node)),
            el("td.text.wrap", {}, one.what === "stop" ? "stopped: " + Coppice.sentence(one.after || one.before)
              : (one.what === "undo" ? "undone: " : "") + Coppice.difference(one.before, one.after)),
            cell(number(Coppice.forecast(one).wa)),
            this.measured(one),
            el("td.wrap.undo", {}, one.undoFault ? el("span.sub", {}, one.undoFault)
              : !state.allowChanges ? el("span.sub", {}, "this console is read only")
              : el("button", { type: "button", "data-key": "undo " + one.id, click: () => Coppice.undo(one) }, "Undo…")))))));
    }

    /** Returns the measured result of a change, with its duration if that was less than an hour. */
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

  /**
   * Returns the forecast and the values measured before a change. A forecast that cannot be read
   * must not hide other changes.
   */
  Coppice.forecast = function (one) {
    let said = null;
    try {
      said = JSON.parse(one.forecast);
    } catch (e) {
      // The change was not simulated.
    }
    return { ...figures(said), before: figures(said && said.before) };
  };

  /** Undoes a change, if the person agrees. */
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
