// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
// Lines over one time axis, one under the other, with changes marked across all of them.
"use strict";

(function () {
  const LEFT = 70;
  const RIGHT = 14;
  const TOP = 30;
  const EACH = 128;
  const GAP = 30;
  const NEAR = 6;

  function ticks(most) {
    if (!(most > 0)) {
      return [0, 1];
    }
    const raw = most / 3;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
    const all = [];
    for (let at = 0; at < most + step * 0.999; at += step) {
      all.push(at);
    }
    return all;
  }

  /**
   * Draws charts: each {name, unit, format, lines: [{name, colour, values}], floor}. Changes are
   * {at, label}.
   */
  Coppice.drawCharts = function (canvas, at, charts, changes) {
    const height = TOP + charts.length * (EACH + GAP);
    const { pen, width } = Coppice.fit(canvas, height);
    const { colour } = Coppice;
    const from = at[0];
    // A change shows at once, though the next look is still to come.
    const to = Math.max(at[at.length - 1], from + 10000, ...changes.map((change) => change.at));
    const x = (millis) => LEFT + ((width - LEFT - RIGHT) * (millis - from)) / (to - from);
    charts.forEach((chart, index) => {
      const top = TOP + index * (EACH + GAP);
      const bottom = top + EACH - 18;
      const numbers = chart.lines.flatMap((line) => line.values).filter((value) => value != null);
      const marks = ticks(Math.max(chart.floor || 0, ...numbers));
      const most = marks[marks.length - 1];
      const y = (value) => bottom - ((bottom - top) * value) / most;
      pen.textBaseline = "alphabetic";
      pen.textAlign = "left";
      pen.font = "600 12.5px system-ui, 'DejaVu Sans', sans-serif";
      pen.fillStyle = colour("ink");
      pen.fillText(chart.name, LEFT, top - 9);
      let place = LEFT + pen.measureText(chart.name).width + 16;
      pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
      for (const line of chart.lines.filter((one) => one.name)) {
        pen.fillStyle = colour(line.colour);
        pen.fillRect(place, top - 14, 12, 3);
        pen.fillStyle = colour("soft");
        pen.fillText(line.name, place + 17, top - 9);
        place += pen.measureText(line.name).width + 36;
      }
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      for (const mark of marks) {
        pen.strokeStyle = colour("line");
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(LEFT, Math.round(y(mark)) + 0.5);
        pen.lineTo(width - RIGHT, Math.round(y(mark)) + 0.5);
        pen.stroke();
        pen.fillStyle = colour("faint");
        pen.fillText(chart.format(mark), LEFT - 8, y(mark));
      }
      for (const line of chart.lines) {
        pen.strokeStyle = colour(line.colour);
        pen.lineWidth = 1.8;
        pen.lineJoin = "round";
        pen.beginPath();
        let drawing = false;
        line.values.forEach((value, i) => {
          if (value == null) {
            drawing = false;
          } else if (drawing) {
            pen.lineTo(x(at[i]), y(value));
          } else {
            pen.moveTo(x(at[i]), y(value));
            drawing = true;
          }
        });
        pen.stroke();
      }
      if (!numbers.length) {
        pen.fillStyle = colour("faint");
        pen.textAlign = "center";
        pen.fillText("nothing was measured yet", (LEFT + width - RIGHT) / 2, (top + bottom) / 2);
      }
    });
    const foot = height - GAP + 4;
    pen.textBaseline = "top";
    pen.fillStyle = colour("faint");
    const steps = Math.max(1, Math.min(6, Math.floor((width - LEFT) / 150)));
    for (let i = 0; i <= steps; i++) {
      const millis = from + ((to - from) * i) / steps;
      pen.textAlign = i === 0 ? "left" : i === steps ? "right" : "center";
      pen.fillText(Coppice.time(millis), x(millis), foot - 12);
    }
    const shown = changes.filter((change) => change.at >= from);
    canvas.marks = shown.map((change) => ({ place: x(change.at), title: change.title }));
    // Lines of changes that follow each other closely stay; of their labels those that have room.
    let taken = -Infinity;
    for (const change of shown) {
      const place = x(change.at);
      pen.strokeStyle = colour("violet");
      pen.setLineDash([5, 4]);
      pen.beginPath();
      pen.moveTo(place, 16);
      pen.lineTo(place, foot - 16);
      pen.stroke();
      pen.setLineDash([]);
      const wide = pen.measureText(change.label).width;
      const left = place > width / 2 ? place - 6 - wide : place + 6;
      if (left > taken && left >= 0) {
        pen.fillStyle = colour("violet");
        pen.textAlign = "left";
        pen.textBaseline = "top";
        pen.fillText(change.label, left, 2);
        taken = left + wide + 6;
      }
    }
    canvas.dataset.changes = shown.length;
    canvas.setAttribute("aria-label", "Amplification over time. Changes of the policy: " +
      (shown.map((change) => change.title).join("; ") || "none"));
  };

  /** The tooltip of a chart: what was changed where the mouse is. */
  Coppice.pointAt = function (canvas, event) {
    const place = event.clientX - canvas.getBoundingClientRect().left;
    canvas.title = (canvas.marks || []).filter((one) => Math.abs(one.place - place) <= NEAR)
      .map((one) => one.title).join("\n");
  };

  /** A small line without axes. */
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
