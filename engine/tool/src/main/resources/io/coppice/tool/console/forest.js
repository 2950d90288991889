// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
// The forest: x is the ring or the order of keys, a band is a level, a row in it a run, and a
// rectangle a table or the slice of one that a run shows.
"use strict";

(function () {
  const LEFT = 96;
  const RIGHT = 10;
  const TOP = 8;
  const BOTTOM = 26;
  const LEVEL_GAP = 16;
  const MOST_HEIGHT = 620;
  const ROW = 20;
  const LEAST_ROW = 4;

  /** Returns the places of everything on the canvas. */
  function layout(map, part, width) {
    const chosen = [];
    for (let i = 0; i < map.level.length; i++) {
      if (part === "" || map.parts[map.part[i]] === part) {
        chosen.push(i);
      }
    }
    const levels = new Map();
    for (const i of chosen) {
      const rows = levels.get(map.level[i]) || new Map();
      rows.set(map.part[i] * 1e6 + map.run[i], 0);
      levels.set(map.level[i], rows);
    }
    for (const merge of map.merges) {
      if (!levels.has(merge.level)) {
        levels.set(merge.level, new Map([[0, 0]]));
      }
    }
    const deepest = Math.max(0, ...levels.keys());
    let count = 0;
    for (let level = 0; level <= deepest; level++) {
      const rows = levels.get(level) || new Map([[0, 0]]);
      levels.set(level, rows);
      count += rows.size;
    }
    const room = MOST_HEIGHT - TOP - BOTTOM - (deepest + 1) * LEVEL_GAP;
    const row = Math.max(LEAST_ROW, Math.min(ROW, Math.floor(room / count)));
    const bands = [];
    let y = TOP;
    for (let level = 0; level <= deepest; level++) {
      const rows = levels.get(level);
      const top = y;
      for (const key of [...rows.keys()].sort((a, b) => a - b)) {
        rows.set(key, y);
        y += row;
      }
      bands.push({ level, top, bottom: y, bytes: 0, tables: 0, runs: rows.size });
      y += LEVEL_GAP;
    }
    const span = width - LEFT - RIGHT;
    const boxes = chosen.map((i) => {
      const x = LEFT + map.low[i] * span;
      const band = bands[map.level[i]];
      band.bytes += map.bytes[i];
      band.tables++;
      return {
        i,
        x,
        y: levels.get(map.level[i]).get(map.part[i] * 1e6 + map.run[i]),
        w: Math.max(2, (map.high[i] - map.low[i]) * span),
        h: row - Math.max(1, Math.min(3, row / 5)),
      };
    });
    return { boxes, bands, height: y - LEVEL_GAP + BOTTOM, span };
  }

  function hatch(pen, colour) {
    const tile = document.createElement("canvas");
    tile.width = 8;
    tile.height = 8;
    const ink = tile.getContext("2d");
    ink.strokeStyle = colour;
    ink.lineWidth = 1.6;
    ink.beginPath();
    for (const shift of [-8, 0, 8]) {
      ink.moveTo(shift, 8);
      ink.lineTo(shift + 8, 0);
    }
    ink.stroke();
    return pen.createPattern(tile, "repeat");
  }

  function rounded(pen, x, y, w, h, r) {
    pen.beginPath();
    pen.roundRect(x, y, w, h, Math.min(r, w / 2, h / 2));
  }

  /** Draws a text on a background, because it may cover lines. */
  function label(pen, text, x, y, colour) {
    const wide = pen.measureText(text).width + 4;
    pen.fillStyle = Coppice.colour("sheet");
    pen.fillRect(pen.textAlign === "left" ? x - 2 : x - wide + 2, y, wide, 11);
    pen.fillStyle = Coppice.colour(colour);
    pen.fillText(text, x, y);
  }

  class Forest {
    constructor() {
      const { el } = Coppice;
      this.canvas = el("canvas", {
        id: "forest",
        tabindex: "0",
        role: "img",
        "aria-label": "The forest. Arrow keys walk over tables.",
      });
      this.map = null;
      this.part = "";
      this.chosen = -1;
      this.plan = null;
      this.decisions = [];
      this.capacity = [];
      this.canvas.addEventListener("mousemove", (event) => this.hover(event));
      this.canvas.addEventListener("mouseleave", () => this.choose(-1));
      this.canvas.addEventListener("blur", () => this.choose(-1));
      this.canvas.addEventListener("keydown", (event) => this.key(event));
    }

    show(map, decisions, capacity) {
      const before = this.chosen >= 0 && this.map ? this.map.table[this.chosen] : null;
      this.map = map;
      this.decisions = decisions || [];
      this.capacity = capacity || [];
      this.chosen = before == null ? -1 : map.table.indexOf(before);
      if (before != null && this.chosen < 0) {
        Coppice.card(null);
      }
      this.canvas.dataset.at = map.at;
      this.canvas.dataset.tables = map.level.length;
      this.canvas.dataset.merges = map.merges.length;
      this.canvas.dataset.virtual = map.group.filter((group) => group !== 0).length;
      this.draw();
    }

    draw() {
      if (!this.map || !this.canvas.isConnected) {
        return;
      }
      const width = this.canvas.clientWidth || this.canvas.parentElement.clientWidth;
      this.plan = layout(this.map, this.part, width);
      const { pen } = Coppice.fit(this.canvas, this.plan.height);
      this.bands(pen, width);
      for (const box of this.plan.boxes) {
        this.box(pen, box);
      }
      this.merges(pen);
      this.axis(pen, width);
      if (this.chosen >= 0) {
        const box = this.plan.boxes.find((one) => one.i === this.chosen);
        if (box) {
          pen.strokeStyle = Coppice.colour("ink");
          pen.lineWidth = 2;
          rounded(pen, box.x - 1, box.y - 1, box.w + 2, box.h + 2, 3);
          pen.stroke();
        }
      }
    }

    bands(pen, width) {
      const { colour } = Coppice;
      pen.textBaseline = "top";
      for (const band of this.plan.bands) {
        pen.fillStyle = colour("shade");
        rounded(pen, LEFT - 4, band.top - 4, width - LEFT - RIGHT + 8, band.bottom - band.top + 6, 6);
        pen.fill();
        pen.textAlign = "left";
        pen.fillStyle = colour("ink");
        pen.font = "600 13px system-ui, 'DejaVu Sans', sans-serif";
        pen.fillText("L" + band.level, 2, band.top - 2);
        pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
        pen.fillStyle = colour("soft");
        const runs = band.tables === 0 ? "empty" : band.runs === 1 ? "1 run" : band.runs + " runs";
        if (band.bottom - band.top >= 36 || band.tables === 0) {
          pen.fillText(runs, 2, band.top + 14);
          pen.fillText(band.tables ? Coppice.bytes(band.bytes) : "", 2, band.top + 27);
        } else {
          pen.fillText(band.tables ? Coppice.bytes(band.bytes) : "empty", 26, band.top - 1);
        }
        this.fill(pen, band);
      }
      this.canvas.dataset.capacities = this.plan.bands.filter((band) => this.held(band)).length;
    }

    /**
     * Returns the present and the largest amount of a level, in bytes or runs; null without a
     * capacity. Each part has levels of its own, so it is also null while several are shown
     * together.
     */
    held(band) {
      const bound = this.capacity[band.level];
      const together = this.part === "" && this.map.parts.length > 1;
      if (!bound || together || (bound.bytes == null && bound.runs == null)) {
        return null;
      }
      const ofBytes = bound.bytes != null;
      const runs = (number) => number + (number === 1 ? " run" : " runs");
      const form = ofBytes ? Coppice.bytes : runs;
      const most = ofBytes ? bound.bytes : bound.runs;
      const now = ofBytes ? band.bytes : band.tables ? band.runs : 0;
      return { now, most, text: form(now), bound: form(most) };
    }

    /**
     * Draws under a level how full it is. At the dashed line, the policy asks for a merge into the
     * next level.
     */
    fill(pen, band) {
      const held = this.held(band);
      if (!held) {
        return;
      }
      const { colour } = Coppice;
      const scale = this.plan.span / Math.max(held.now, 1.25 * held.most);
      const y = band.bottom + 5;
      pen.fillStyle = colour("line");
      pen.fillRect(LEFT, y, this.plan.span, 3);
      pen.fillStyle = colour(held.now >= held.most ? "amber-ink" : "leaf-deep");
      pen.fillRect(LEFT, y, held.now * scale, 3);
      const x = Math.round(LEFT + held.most * scale) + 0.5;
      pen.strokeStyle = colour("ink");
      pen.lineWidth = 1;
      pen.setLineDash([3, 2]);
      pen.beginPath();
      pen.moveTo(x, y - 4);
      pen.lineTo(x, y + 7);
      pen.stroke();
      pen.setLineDash([]);
      pen.font = "10px system-ui, 'DejaVu Sans', sans-serif";
      pen.textAlign = "left";
      label(pen, held.bound, x + 4, y - 3, "soft");
    }

    box(pen, box) {
      const { colour } = Coppice;
      const map = this.map;
      const i = box.i;
      const busy = map.merge[i] !== -1;
      const virtual = map.group[i] !== 0;
      const dead = map.droppable[i] > 0.5;
      const thin = box.h < 6 || box.w < 5;
      pen.lineWidth = 1;
      rounded(pen, box.x, box.y, box.w, box.h, 2.5);
      if (virtual) {
        pen.fillStyle = colour("sheet");
        pen.fill();
        pen.fillStyle = hatch(pen, colour(busy ? "amber" : "leaf-deep"));
      } else {
        pen.fillStyle = colour(busy ? "amber" : dead ? "dead" : "leaf");
      }
      pen.fill();
      const merge = map.merge[i] >= 0 ? map.merges[map.merge[i]] : null;
      if (merge && !virtual) {
        const mark = LEFT + merge.watermark * this.plan.span;
        const passed = Math.min(box.w, mark - box.x);
        if (passed > 0) {
          pen.save();
          pen.clip();
          pen.fillStyle = colour("amber-soft");
          pen.fillRect(box.x, box.y, passed, box.h);
          pen.restore();
        }
      }
      if (!thin) {
        pen.strokeStyle = colour(busy ? "amber-ink" : dead ? "faint" : "leaf-deep");
        rounded(pen, box.x + 0.5, box.y + 0.5, Math.max(1, box.w - 1), box.h - 1, 2.5);
        pen.stroke();
      }
    }

    merges(pen) {
      const { colour } = Coppice;
      this.map.merges.forEach((merge, index) => {
        const inputs = this.plan.boxes.filter((box) => this.map.merge[box.i] === index);
        const target = this.plan.bands[merge.level];
        if (!inputs.length || !target) {
          return;
        }
        const x = LEFT + merge.watermark * this.plan.span;
        const top = Math.min(...inputs.map((box) => box.y));
        const low = LEFT + merge.low * this.plan.span;
        const high = LEFT + merge.high * this.plan.span;
        pen.strokeStyle = colour("amber-ink");
        pen.lineWidth = 1;
        pen.setLineDash([4, 3]);
        rounded(pen, low - 2, target.top - 3, Math.max(4, high - low + 4), target.bottom - target.top + 4, 5);
        pen.stroke();
        pen.setLineDash([]);
        pen.lineWidth = 2;
        pen.beginPath();
        pen.moveTo(x, top - 3);
        pen.lineTo(x, target.bottom + 2);
        pen.stroke();
        pen.fillStyle = colour("amber-ink");
        pen.beginPath();
        pen.moveTo(x - 5, target.bottom + 1);
        pen.lineTo(x + 5, target.bottom + 1);
        pen.lineTo(x, target.bottom + 8);
        pen.fill();
        const share = merge.total ? Math.floor((100 * merge.done) / merge.total) + " %" : "";
        pen.font = "600 11px system-ui, 'DejaVu Sans', sans-serif";
        pen.textBaseline = "top";
        pen.textAlign = x > this.plan.span + LEFT - 50 ? "right" : "left";
        if (share) {
          label(pen, share, x + (pen.textAlign === "left" ? 8 : -8), target.bottom + 1, "amber-ink");
        }
      });
    }

    axis(pen, width) {
      const { colour } = Coppice;
      const y = this.plan.height - 14;
      pen.fillStyle = colour("faint");
      pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
      pen.textBaseline = "top";
      const ring = this.map.axis === "token";
      pen.textAlign = "left";
      pen.fillText(ring ? "token 0 %" : "smallest key", LEFT, y);
      pen.textAlign = "center";
      pen.fillText(ring ? "ring" : "keys, by rank", LEFT + (width - LEFT - RIGHT) / 2, y);
      pen.textAlign = "right";
      pen.fillText(ring ? "100 %" : "largest key", width - RIGHT, y);
    }

    at(x, y) {
      let found = -1;
      for (const box of this.plan ? this.plan.boxes : []) {
        if (x >= box.x - 1 && x <= box.x + box.w + 1 && y >= box.y && y <= box.y + box.h + 1) {
          found = box.i;
        }
      }
      return found;
    }

    hover(event) {
      const place = this.canvas.getBoundingClientRect();
      this.choose(this.at(event.clientX - place.left, event.clientY - place.top), event.clientX, event.clientY);
    }

    key(event) {
      const boxes = this.plan ? this.plan.boxes : [];
      const steps = { ArrowRight: 1, ArrowLeft: -1 };
      if (event.key === "Escape") {
        this.choose(-1);
      } else if (event.key in steps || event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const sorted = [...boxes].sort((a, b) => a.y - b.y || a.x - b.x);
        let at = sorted.findIndex((box) => box.i === this.chosen);
        if (event.key in steps) {
          at = Math.max(0, Math.min(sorted.length - 1, at + steps[event.key]));
        } else if (at < 0) {
          at = 0;
        } else {
          const from = sorted[at];
          const down = event.key === "ArrowDown";
          const rows = sorted.filter((box) => (down ? box.y > from.y : box.y < from.y));
          const y = down ? Math.min(...rows.map((box) => box.y)) : Math.max(...rows.map((box) => box.y));
          const row = rows.filter((box) => box.y === y);
          row.sort((a, b) => Math.abs(a.x - from.x) - Math.abs(b.x - from.x));
          at = row.length ? sorted.indexOf(row[0]) : at;
        }
        const box = sorted[at];
        if (box) {
          const place = this.canvas.getBoundingClientRect();
          this.choose(box.i, place.left + box.x + box.w / 2, place.top + box.y + box.h);
          Coppice.say(document.getElementById("card").innerText);
        }
      }
    }

    choose(i, x, y) {
      const other = i !== this.chosen;
      this.chosen = i;
      Coppice.card(i < 0 ? null : this.facts(i), x, y);
      if (other) {
        this.draw();
      }
    }

    /** Returns the rows of the card about a table. */
    facts(i) {
      const { el, bytes, count } = Coppice;
      const map = this.map;
      const merge = map.merge[i] >= 0 ? map.merges[map.merge[i]] : null;
      const pairs = [
        ["size", bytes(map.bytes[i])],
        ["entries", count(map.entries[i])],
        ["place", "level " + map.level[i] + ", run " + map.run[i] + (map.run[i] === 0 ? " (newest)" : "")],
        ["from", map.lowKeys[i]],
        ["to", map.highKeys[i]],
      ];
      const held = this.held(this.plan.bands[map.level[i]]);
      if (held) {
        pairs.push(["its level", held.text + " of " + held.bound]);
      }
      if (map.parts[map.part[i]]) {
        pairs.push(["part", map.parts[map.part[i]]]);
      }
      if (map.droppable[i] > 0) {
        pairs.push(["deletions", (100 * map.droppable[i]).toFixed(0) + " %"]);
      }
      const kind = map.group[i]
        ? "virtual: " + map.parents[i] + " tables, merge deferred, group " + map.group[i]
        : "table " + map.table[i];
      const last = this.decisions.find((one) => one.level === map.level[i]);
      let why = null;
      if (merge) {
        why = el("div.why", {}, "Merging into level " + merge.level + ": " + Coppice.sentence(merge.sentence));
      } else if (map.merge[i] === -2) {
        why = el("div.why", {}, "In use by something under way.");
      } else if (last) {
        why = el("div.why", {}, "Last plan for level " + map.level[i] + ": " + Coppice.sentence(last.sentence));
      }
      return [
        el("strong", {}, kind),
        el("dl", {}, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
        why,
      ].filter((one) => one);
    }
  }

  Coppice.Forest = Forest;
})();
