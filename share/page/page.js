
/*
The libraries above are d3, Copyright 2010-2026 Mike Bostock, and Observable Plot, Copyright 2020-2025 Observable, Inc. (ISC):

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided
that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
*/

// Draws the figures of the page from the JSON in it: one function for each chart. Every function gets the figure ("figures" of
// the JSON) and a width in pixels, and returns pictures.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("seqpoint-data").textContent);
  const names = data.configurations;
  const baseline = data.baseline;
  const colours = { domain: names, range: names.map((_, i) => `var(--c${i % 6})`) };
  const shapes = ["circle", "square", "triangle", "diamond", "star", "cross"];
  const symbols = { domain: names, range: names.map((_, i) => shapes[i % 6]) };
  // Channels with a scale each: without one, Plot takes names such as "none" and "red" for colours.
  const colour = { value: "configuration", scale: "color" };
  const shape = { value: "configuration", scale: "symbol" };
  const ticks = 5; // of every axis: it ends at one, beyond the data

  // The rows of a table as objects; none if the page lacks the table.
  function rowsOf(id) {
    const table = data.tables.find((table) => table.id === id);
    if (!table) return [];
    return table.rows.map((row) => Object.fromEntries(table.columns.map((name, i) => [name, row[i]])));
  }

  const greatest = (...numbers) => Math.max(0, ...numbers.flat().filter(Number.isFinite));
  const rounded = (number) => (number === null ? "" : Number(number.toPrecision(4)).toString());

  // Units of seconds, each from some value on. Every axis has one unit.
  const units = [
    { name: "h", seconds: 3600, from: 7200 },
    { name: "min", seconds: 60, from: 180 },
    { name: "s", seconds: 1, from: 1 },
    { name: "ms", seconds: 1e-3, from: 0 },
  ];
  const unitOf = (figure, most) =>
    figure.is_time ? units.find((unit) => most >= unit.from) : { name: "", seconds: 1 };
  const named = (name, unit) => (unit.name ? `${name}, ${unit.name}` : name);
  const quantity = (figure) => (figure.metric === "runtime_s" ? "time" : figure.metric);

  // A picture with the colours, shapes and legend of the configurations.
  function picture(figure, width, options) {
    return Plot.plot({
      width,
      marginLeft: 48,
      marginBottom: 38,
      ariaLabel: figure.title,
      className: "chart",
      color: { ...colours },
      symbol: { ...symbols, legend: names.length > 1 },
      ...options,
    });
  }

  const axisOf = (label, more = {}) => ({ label, labelArrow: "none", nice: ticks, ticks, ...more });

  const fromZero = { zero: true };

  // What an axis of lengths shows. It leaves out the longest batches, at most one in a hundred, if they alone would take more than
  // a quarter of the axis and no point is among them.
  const lengthsShown = (() => {
    const bins = rowsOf("lengths"), points = rowsOf("points");
    const all = d3.sum(bins, (bin) => bin.iterations);
    let left = 0;
    for (let end = bins.length - 1; end > 0; --end) {
      left += bins[end].iterations;
      const last = bins[end - 1].to, most = bins.at(-1).to;
      if (left > all / 100 || points.some((point) => point.length > last)) break;
      if (most - last <= (most - bins[0].from) / 4) continue;
      return { most: last, label: `${data.axis} (without ${left} of ${all} batches, up to ${most})` };
    }
    return { most: Infinity, label: data.axis };
  })();

  // A logarithmic axis with ticks at 1, 2 and 5 times powers of ten, or at the powers alone, which ends beyond the values.
  function logarithmic(values) {
    const exponent = (value) => Math.floor(Math.log10(value));
    const first = exponent(Math.min(...values)), last = exponent(Math.max(...values)) + 1;
    const digits = last - first > 2 ? [1] : [1, 2, 5];
    const all = d3.range(first, last + 1).flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)));
    const from = all.findLastIndex((tick) => tick <= Math.min(...values));
    const shown = all.slice(from, all.findIndex((tick) => tick >= Math.max(...values)) + 1);
    return { type: "log", domain: d3.extent(shown), nice: false, ticks: shown, tickFormat: String };
  }

  // A metric by length: the band and outliers of the measured run, the curve, the points with the range of their repeats.
  function byLength(figure, width) {
    const shown = (part, length) => rowsOf(figure.id + part).filter((row) => row[length] <= lengthsShown.most);
    const points = rowsOf(figure.id), curve = shown("-curve", "length"), bands = shown("-batches", "length_from");
    const outliers = shown("-outliers", "length");
    const unit = unitOf(figure, greatest(points.map((p) => p.most), bands.map((b) => b.p90), outliers.map((o) => o.value)));
    const scaled = (column) => (row) => row[column] / unit.seconds;
    const measured = (name) => points.filter((p) => p.configuration === name).map((p) => p.length);
    const isBeyond = (c) =>
      c.length < Math.min(...measured(c.configuration)) || c.length > Math.max(...measured(c.configuration));
    const line = (rows, more) =>
      Plot.line(rows, { x: "length", y: scaled("value"), z: "configuration", stroke: colour, strokeWidth: 1.75, ...more });
    return [
      picture(figure, width, {
        height: 380,
        x: axisOf(lengthsShown.label),
        y: axisOf(named(`${quantity(figure)} of a batch`, unit), { zero: true, grid: true }),
        marks: [
          Plot.rect(bands, {
            x1: "length_from", x2: (b) => b.length_to + 1, y1: scaled("p10"), y2: scaled("p90"),
            fill: colour, fillOpacity: 0.28, inset: 0, className: "bands",
            title: (b) => `${b.configuration}, length ${b.length_from} to ${b.length_to}: ${b.batches} batches, 80 % of them ` +
              `${rounded(b.p10)} to ${rounded(b.p90)}`,
          }),
          Plot.ruleY(bands, {
            x1: "length_from", x2: (b) => b.length_to + 1, y: scaled("median"), stroke: colour, strokeOpacity: 0.7,
            className: "medians",
          }),
          Plot.dot(outliers, {
            x: "length", y: scaled("value"), r: 2, fill: colour, fillOpacity: 0.6, className: "outliers",
            title: (o) => `${o.configuration}, iteration ${o.iteration}, length ${o.length}: ${rounded(o.value)}`,
          }),
          line(curve.filter((c) => !isBeyond(c)), { className: "curve" }),
          line(curve, { strokeDasharray: "3 4", strokeOpacity: 0.7, className: "beyond" }),
          Plot.ruleX(points, {
            x: "length", y1: scaled("least"), y2: scaled("most"), stroke: colour, className: "repeats",
          }),
          Plot.dot(points, {
            x: "length", y: scaled("value"), fill: colour, symbol: shape, r: 4.5, stroke: "var(--page)",
            className: "points",
            title: (p) => `${p.configuration}, ${p.point}, length ${p.length}: ${rounded(p.value)} of ${p.measurements} ` +
              `(${rounded(p.least)} to ${rounded(p.most)})`,
          }),
        ],
      }),
    ];
  }

  // The times of a run of one shape in the order of each process.
  function byOrder(figure, width) {
    const batches = rowsOf("order");
    const unit = unitOf(figure, greatest(batches.map((b) => b.seconds)));
    const channels = { x: "batch", y: (b) => b.seconds / unit.seconds, z: (b) => b.configuration + b.process };
    return [
      picture(figure, width, {
        height: 300,
        x: axisOf("batch of the process"),
        y: axisOf(named("time of a batch", unit), { zero: true, grid: true }),
        marks: [
          Plot.line(batches, { ...channels, stroke: colour, strokeOpacity: 0.6, className: "processes" }),
          Plot.dot(batches, {
            ...channels, r: 2.5, fill: colour, symbol: shape, className: "batches",
            title: (b) => `${b.configuration}, ${b.process}, batch ${b.batch}: ${rounded(b.seconds)} s`,
          }),
        ],
      }),
    ];
  }

  // Rows with a name, and in each a mark for every configuration: {name, configuration, value, low, high, title}. `dots` are small
  // ones beside them, hollow if `is_hollow`.
  function rowsPicture(figure, width, given, { x, dots = [], reference = null, axis = {}, legend = names.length > 1 }) {
    const rows = given.map((row) => ({ ...row, name: String(row.name ?? "") }));
    const order = [...new Set(rows.map((row) => row.name))];
    const used = names.filter((name) => rows.some((row) => row.configuration === name));
    const apart = order.length === used.length && rows.length === used.length ? 0 : 9; // one a row needs no room
    const dy = (name) => (used.indexOf(name) - (used.length - 1) / 2) * apart;
    const letters = Math.min(24, Math.max(...order.map((name) => name.length)));
    const shown = (name) => (name.length > letters ? `${name.slice(0, letters - 1)}…` : name);
    const marks = used.flatMap((name) => {
      const own = rows.filter((row) => row.configuration === name);
      const whiskers = own.filter((row) => Number.isFinite(row.low) && Number.isFinite(row.high));
      const small = dots.filter((dot) => dot.configuration === name);
      return [
        Plot.ruleY(whiskers, { x1: "low", x2: "high", y: "name", stroke: colour, strokeWidth: 1.75, dy: dy(name), className: "whiskers" }),
        ...[true, false].map((hollow) =>
          Plot.dot(small.filter((dot) => dot.is_hollow === hollow), {
            x: "value", y: "name", r: 3, stroke: colour, fill: hollow ? "none" : colour, fillOpacity: 0.35,
            dy: dy(name) + 9, title: "title", className: hollow ? "dots hollow" : "dots",
          })),
        Plot.dot(own, {
          x: "value", y: "name", r: 4.5, fill: colour, symbol: shape, dy: dy(name), title: "title", className: "marks",
        }),
      ];
    });
    return picture(figure, width, {
      height: 70 + order.length * Math.max(30, 14 + used.length * apart),
      marginLeft: 16 + 7 * letters,
      marginRight: 24,
      symbol: { ...symbols, legend },
      x: axisOf(x, { grid: true, ...axis }),
      y: { label: null, domain: order, tickSize: 0, tickFormat: shown },
      marks: [reference === null ? null : Plot.ruleX([reference], { strokeDasharray: "2 3" }), ...marks],
    });
  }

  const range = (row, size = 1) =>
    Number.isFinite(row.low) ? ` (${rounded(row.low / size)} to ${rounded(row.high / size)})` : "";

  // The totals of the configurations with their processes, and the changes over the baseline.
  function totals(figure, width) {
    const rows = rowsOf("configurations").filter((c) => c.metric === figure.metric && c.value !== null);
    const unit = unitOf(figure, greatest(rows.map((c) => c.value)));
    const inUnit = (c, name) => ({
      name: c.configuration, configuration: c.configuration, value: c.value / unit.seconds,
      low: c.low === null ? null : c.low / unit.seconds, high: c.high === null ? null : c.high / unit.seconds,
      title: `${name}: ${rounded(c.value / unit.seconds)}${range(c, unit.seconds)} ${unit.name}`,
      is_hollow: c.disturbed === "yes",
    });
    const processes = rowsOf("processes").map((p) => inUnit(p, p.process + (p.disturbed === "yes" ? ", disturbed" : "")));
    const pictures = [
      rowsPicture(figure, width, rows.map((c) => inUnit(c, c.configuration)), {
        x: named(`${quantity(figure)} of the whole run`, unit), dots: processes, legend: false,
      }),
    ];
    const changed = rows.filter((c) => c.change_pct !== null && c.change_low_pct !== c.change_high_pct);
    const changes = changed.map((c) => changeRow(c.configuration, c.configuration, c.change_pct, c.change_low_pct, c.change_high_pct));
    if (changes.length) pictures.push(rowsPicture(figure, width, changes, { x: `change over ${baseline}, %`, reference: 0, legend: false }));
    return pictures;
  }

  const changeRow = (name, configuration, value, low = null, high = null) => ({
    name, configuration, value, low, high, title: `${configuration}, ${name}: ${rounded(value)} %${range({ low, high })}`,
  });

  function phases(figure, width) {
    const rows = rowsOf("phases");
    const unit = unitOf(figure, greatest(rows.map((p) => p.seconds)));
    const times = rows.map((p) => ({
      name: p.phase, configuration: p.configuration, value: p.seconds / unit.seconds,
      title: `${p.configuration}, ${p.phase}: ${rounded(p.seconds / unit.seconds)} ${unit.name}`,
    }));
    const pictures = [rowsPicture(figure, width, times, { x: named("time of the whole run", unit), axis: fromZero })];
    const changes = rows.filter((p) => p["change of the total, %"] !== null)
      .map((p) => changeRow(p.phase, p.configuration, p["change of the total, %"], p.low, p.high));
    if (changes.length) pictures.push(rowsPicture(figure, width, changes, { x: "change of the total, %", reference: 0, legend: false }));
    return pictures;
  }

  function differencesByLength(figure, width) {
    const rows = rowsOf("differences-by-length").map((r) => changeRow(r.batches, r.configuration, r["change, %"]));
    return [rowsPicture(figure, width, rows, { x: "change, %", reference: 0 })];
  }

  // The 15 names with the most seconds in any configuration.
  function breakdown(figure, width) {
    const all = rowsOf("breakdown");
    const most = [...new Set(all.toSorted((a, b) => b.seconds - a.seconds).map((row) => row.name))].slice(0, 15);
    const unit = unitOf(figure, greatest(all.map((row) => row.seconds)));
    const rows = most.flatMap((name) => all.filter((row) => row.name === name)).map((row) => ({
      name: row.name, configuration: row.configuration, value: row.seconds / unit.seconds,
      title: `${row.configuration}, ${row.name}: ${rounded(row.seconds / unit.seconds)} ${unit.name}`,
    }));
    return [rowsPicture(figure, width, rows, { x: named("time of the whole run", unit), axis: fromZero })];
  }

  function variance(figure, width) {
    const rows = rowsOf("variance").map((p) => ({
      name: p.part, configuration: p.configuration, value: p.share_pct,
      title: `${p.configuration}, ${p.part}: ${rounded(p.share_pct)} %`,
    }));
    return [rowsPicture(figure, width, rows, { x: "share of the variance, %", axis: fromZero })];
  }

  function methods(figure, width) {
    const rows = rowsOf("methods").map((m) => ({
      name: `${m.method}, ${m.points} points${m.selected_on ? ` (on ${m.selected_on})` : ""}`, configuration: m.configuration,
      value: m.rms_error_pct, title: `${m.method}, ${m.points} points, ${m.configuration}: ${rounded(m.rms_error_pct)} %`,
    }));
    const axis = rows.every((row) => row.value > 0) ? logarithmic(rows.map((row) => row.value)) : fromZero;
    return [rowsPicture(figure, width, rows, { x: "RMS error, % of the measured run", axis })];
  }

  // The batches by length, and the points at the number of batches that they stand for.
  function lengths(figure, width) {
    const points = rowsOf("points"), bins = rowsOf("lengths").filter((bin) => bin.from <= lengthsShown.most);
    const most = greatest(bins.map((bin) => bin.iterations), points.map((p) => p.weight));
    return [
      picture(figure, width, {
        height: 260,
        symbol: undefined,
        x: axisOf(lengthsShown.label),
        y: axisOf("batches", { grid: true, domain: [0, 1.05 * most] }), // no bar touches the top
        marks: [
          Plot.rect(bins, {
            x1: "from", x2: (bin) => bin.to + 1, y1: 0, y2: "iterations", fill: "var(--bar)", className: "bars",
            title: (bin) => `${bin.from} to ${bin.to}: ${bin.iterations} batches`,
          }),
          Plot.ruleX(points, { x: "length", y1: 0, y2: "weight", stroke: "var(--point)", strokeOpacity: 0.5, className: "stems" }),
          Plot.dot(points, {
            x: "length", y: "weight", r: 4, fill: "var(--point)", stroke: "var(--page)", className: "points",
            title: (p) => `${p.id}: length ${p.length}, stands for ${rounded(p.weight)} batches; measure iteration ${p.iteration}`,
          }),
        ],
      }),
    ];
  }

  function sizes(figure, width) {
    const rows = rowsOf("sizes");
    const channels = { x: "points", y: "expected_error_pct" };
    return [
      picture(figure, width, {
        height: 260,
        symbol: undefined,
        x: axisOf("points"),
        y: axisOf("expected error, %", { zero: true, grid: true }),
        marks: [
          Plot.line(rows, { ...channels, z: (row) => row.phase ?? 0, stroke: "var(--axis)", className: "line" }),
          Plot.dot(rows, {
            ...channels, r: (row) => (row.chosen ? 6 : 3), fill: (row) => (row.chosen ? "var(--point)" : "var(--muted)"), className: "sizes",
            title: (row) => `${row.points} points: ${rounded(row.expected_error_pct)} %${row.chosen ? ", the choice" : ""}`,
          }),
        ],
      }),
    ];
  }

  const charts = {
    byLength, byOrder, totals, phases, differencesByLength, breakdown, variance, methods, lengths, sizes,
  };

  function draw() {
    for (const figure of data.figures) {
      const place = document.querySelector(`#${figure.id} .plot`);
      const width = Math.min(place.parentElement.clientWidth, 560);
      if (width <= 0) continue; // the page is being left
      try {
        place.replaceChildren(...charts[figure.chart](figure, width));
      } catch (error) {
        console.error(figure.id, error); // the other figures are drawn all the same
      }
    }
  }

  draw();
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) draw();
    width = window.innerWidth;
  });
})();
