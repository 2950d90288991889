// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
// Charts over one time axis: lines, marks of changes, and what every line says at the time that
// the mouse or the arrow keys point at.
"use strict";

(function () {
  const { el } = Coppice;
  const LEFT = 62;
  const RIGHT = 12;
  const TOP = 16;
  const HEIGHT = 156;
  const BOTTOM = 22;
  const NEAR = 7;
  /**
   * Gap in milliseconds above which samples are not joined, because nobody sampled between them.
   */
  const GAP_MILLIS = 90000;

  function ticks(most) {
    if (!(most > 0)) {
      return [0, 1];
    }
    const raw = most / 3;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw * 0.999);
    const all = [];
    for (let at = 0; at < most + step * 0.999; at += step) {
      all.push(at);
    }
    return all;
  }

  const clock = (millis, seconds) => seconds ? Coppice.time(millis) : Coppice.time(millis).slice(0, 5);

  /**
   * Charts with one time axis and one crosshair. A chart is {name, format, lines: [{name, colour,
   * values}], floor}. A change is {at, label, title}.
   */
  class Charts {
    constructor(id, title) {
      this.title = title;
      this.chosen = -1;
      this.root = el("div.charts", { id, tabindex: "0", role: "group",
        keydown: (event) => this.key(event), blur: () => this.choose(-1) });
      this.marks = el("ol.marks", { id: id + "-marks" });
      this.figures = [];
    }

    /**
     * Draws the charts.
     * @param at the times of the values
     * @param lost whether the process does not answer now, so that nothing is known since the last
     *     sample
     */
    show(at, charts, changes, now, lost) {
      const before = this.chosen >= 0 ? this.at[this.chosen] : null;
      Object.assign(this, { at, charts, now, lost });
      this.chosen = before == null ? -1 : this.nearest(before);
      this.from = at[0];
      // A change is shown at once, before the next sample.
      const last = lost ? now : at[at.length - 1];
      this.to = Math.max(last, this.from + 10000, ...changes.map((change) => change.at));
      this.changes = changes.filter((change) => change.at >= this.from);
      if (this.figures.length !== charts.length) {
        this.figures = charts.map((chart, index) => {
          const canvas = el("canvas", {
            pointermove: (event) => this.point(event, index),
            pointerdown: (event) => this.point(event, index),
            pointerleave: () => this.choose(-1) });
          const caption = el("figcaption", {});
          return { canvas, caption, figure: el("figure", {}, caption, canvas) };
        });
        this.root.replaceChildren(...this.figures.map((one) => one.figure));
      }
      charts.forEach((chart, index) => {
        this.figures[index].caption.replaceChildren(el("strong", {}, chart.name),
          ...chart.lines.map((line) => this.legend(chart, line)));
      });
      this.root.dataset.changes = this.changes.length;
      this.root.dataset.samples = at.length;
      this.root.setAttribute("aria-label", this.title + ". Arrow keys read the values. Changes of the policy: " +
        (this.changes.map((change) => change.title).join("; ") || "none"));
      this.marks.replaceChildren(...this.changes.map((change) => el("li", {}, change.title)));
      this.draw();
    }

    /** Returns the legend of a line: its color and its last value. */
    legend(chart, line) {
      const known = line.values.filter((value) => value != null);
      const last = known.length ? chart.format(known[known.length - 1]) : "–";
      return el("span.key." + line.colour, {}, line.name ? line.name + " " + last : last);
    }

    x(millis) {
      return LEFT + ((this.width - LEFT - RIGHT) * (millis - this.from)) / (this.to - this.from);
    }

    draw() {
      if (!this.at || !this.root.isConnected) {
        return;
      }
      this.charts.forEach((chart, index) => this.chart(chart, this.figures[index].canvas));
    }

    chart(chart, canvas) {
      const { pen, width, height } = Coppice.fit(canvas, HEIGHT);
      this.width = width;
      const { colour } = Coppice;
      const bottom = height - BOTTOM;
      const numbers = chart.lines.flatMap((line) => line.values).filter((value) => value != null);
      const marks = ticks(Math.max(chart.floor || 0, ...numbers));
      const most = marks[marks.length - 1];
      const y = (value) => bottom - ((bottom - TOP) * value) / most;
      pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      pen.lineWidth = 1;
      for (const mark of marks) {
        pen.strokeStyle = colour("line");
        pen.beginPath();
        pen.moveTo(LEFT, Math.round(y(mark)) + 0.5);
        pen.lineTo(width - RIGHT, Math.round(y(mark)) + 0.5);
        pen.stroke();
        pen.fillStyle = colour("soft");
        pen.fillText(chart.format(mark), LEFT - 8, y(mark));
      }
      this.times(pen, width, bottom);
      if (this.lost) {
        this.silence(pen, bottom);
      }
      this.changesOf(pen, width, bottom);
      for (const line of chart.lines) {
        this.line(pen, line, y);
      }
      if (!numbers.length) {
        pen.fillStyle = colour("soft");
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillText("nothing was measured yet", (LEFT + width - RIGHT) / 2, (TOP + bottom) / 2);
      }
      if (this.chosen >= 0) {
        const x = Math.round(this.x(this.at[this.chosen])) + 0.5;
        pen.strokeStyle = colour("ink");
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(x, TOP - 4);
        pen.lineTo(x, bottom);
        pen.stroke();
        for (const line of chart.lines) {
          const value = line.values[this.chosen];
          if (value != null) {
            pen.fillStyle = colour(line.colour);
            pen.beginPath();
            pen.arc(x, y(value), 3.5, 0, 7);
            pen.fill();
          }
        }
      }
    }

    line(pen, line, y) {
      pen.strokeStyle = Coppice.colour(line.colour);
      pen.lineWidth = 1.8;
      pen.lineJoin = "round";
      pen.setLineDash(line.dash || []);
      pen.beginPath();
      let drawn = null;
      line.values.forEach((value, i) => {
        if (value == null) {
          return;
        }
        const place = this.x(this.at[i]);
        if (drawn != null && this.at[i] - this.at[drawn] <= Math.max(GAP_MILLIS, (this.to - this.from) / 100)) {
          pen.lineTo(place, y(value));
        } else {
          pen.moveTo(place, y(value));
        }
        drawn = i;
      });
      pen.stroke();
      pen.setLineDash([]);
    }

    times(pen, width, bottom) {
      pen.fillStyle = Coppice.colour("soft");
      pen.textBaseline = "top";
      const seconds = this.to - this.from < 600000;
      const steps = Math.max(1, Math.min(6, Math.floor((width - LEFT) / 110)));
      for (let i = 0; i <= steps; i++) {
        const millis = this.from + ((this.to - this.from) * i) / steps;
        pen.textAlign = i === 0 ? "left" : i === steps ? "right" : "center";
        pen.fillText(clock(millis, seconds), this.x(millis), bottom + 7);
      }
    }

    /** Marks the time since the last sample, in which the process has not answered. */
    silence(pen, bottom) {
      const last = this.x(this.at[this.at.length - 1]);
      const end = this.x(this.to);
      pen.fillStyle = Coppice.colour("shade");
      pen.fillRect(last, TOP, end - last, bottom - TOP);
      if (end - last > 66) {
        pen.fillStyle = Coppice.colour("red");
        pen.textAlign = "center";
        pen.textBaseline = "top";
        pen.fillText("no answer", (last + end) / 2, TOP + 4);
      }
    }

    changesOf(pen, width, bottom) {
      pen.strokeStyle = Coppice.colour("violet");
      pen.fillStyle = Coppice.colour("violet");
      pen.font = "600 11px system-ui, 'DejaVu Sans', sans-serif";
      pen.textBaseline = "alphabetic";
      let taken = -Infinity;
      this.changes.forEach((change, index) => {
        const place = this.x(change.at);
        pen.setLineDash([5, 4]);
        pen.beginPath();
        pen.moveTo(place, TOP - 2);
        pen.lineTo(place, bottom);
        pen.stroke();
        pen.setLineDash([]);
        const wide = pen.measureText(String(index + 1)).width;
        // Of marks close to each other, only the first shows its number.
        if (place - wide / 2 > taken) {
          pen.textAlign = "center";
          pen.fillText(String(index + 1), Math.min(place, width - wide / 2 - 1), TOP - 4);
          taken = place + wide / 2 + 3;
        }
      });
      pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    }

    nearest(millis) {
      let best = 0;
      for (let i = 1; i < this.at.length; i++) {
        if (Math.abs(this.at[i] - millis) < Math.abs(this.at[best] - millis)) {
          best = i;
        }
      }
      return best;
    }

    point(event, index) {
      const place = this.figures[index].canvas.getBoundingClientRect();
      const x = event.clientX - place.left;
      const millis = this.from + ((x - LEFT) * (this.to - this.from)) / (this.width - LEFT - RIGHT);
      const close = this.changes.filter((change) => Math.abs(this.x(change.at) - x) <= NEAR);
      this.choose(this.nearest(millis), event.clientX, event.clientY, close);
    }

    key(event) {
      const last = this.at ? this.at.length - 1 : -1;
      const from = this.chosen < 0 ? last : this.chosen;
      // A step is a hundredth of the visible samples.
      const step = Math.max(1, Math.round(this.at.length / 100));
      const to = { ArrowLeft: Math.max(0, from - step), ArrowRight: Math.min(last, from + step), Home: 0, End: last }[event.key];
      if (event.key === "Escape") {
        this.choose(-1);
      } else if (to != null && to >= 0) {
        event.preventDefault();
        const place = this.figures[0].canvas.getBoundingClientRect();
        const x = this.x(this.at[to]);
        const close = this.changes.filter((change) => Math.abs(this.x(change.at) - x) <= NEAR);
        this.choose(to, place.left + x, place.top + TOP, close);
        Coppice.say(document.getElementById("card").innerText);
      }
    }

    choose(i, x, y, close) {
      const other = i !== this.chosen;
      this.chosen = i;
      if (i < 0) {
        Coppice.card(null);
      } else {
        const pairs = this.charts.flatMap((chart) => chart.lines.map((line) =>
          [line.label || line.name || chart.name, line.values[i] == null ? "–" : chart.format(line.values[i])]));
        Coppice.card([el("strong", {}, Coppice.day(this.at[i])),
          el("dl", {}, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
          ...(close || []).map((change) => el("div.why", {}, change.title))], x, y);
      }
      if (other) {
        this.draw();
      }
    }
  }

  Coppice.Charts = Charts;

  /** Shows a card beside a place of the window, or hides it without content. */
  Coppice.card = function (content, x, y) {
    const card = document.getElementById("card");
    card.hidden = !content;
    if (content) {
      card.replaceChildren(...content.filter((one) => one));
      const wide = card.offsetWidth;
      const tall = card.offsetHeight;
      const left = x + 14 + wide > window.innerWidth - 8 ? x - wide - 14 : x + 14;
      card.style.left = Math.max(8, Math.min(window.innerWidth - wide - 8, left)) + "px";
      card.style.top = (y + 18 + tall > window.innerHeight ? Math.max(8, y - tall - 12) : y + 18) + "px";
    }
  };

  /** Draws a small line without axes. */
  Coppice.drawSpark = function (canvas, values) {
    const { pen, width, height } = Coppice.fit(canvas, 26);
    const most = Math.max(1, ...values);
    pen.strokeStyle = Coppice.colour("leaf-deep");
    pen.lineWidth = 1.4;
    pen.beginPath();
    values.forEach((value, i) => {
      const x = 2 + ((width - 4) * i) / Math.max(1, values.length - 1);
      pen.lineTo(x, height - 3 - ((height - 6) * value) / most);
    });
    pen.stroke();
  };
})();
