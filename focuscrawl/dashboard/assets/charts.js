// Charts over the pages of the crawl, drawn by uPlot in the colours of the style sheet.

import { useEffect, useRef } from "./vendor/preact-htm.js";
import { count, language } from "./link.js";
import { html } from "./parts.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// What a chart counts: its range, the labels of its axis, and its values.
const UNITS = {
  pages: { range: (_, low, high) => [0, Math.max(1, high * 1.06)], tick: (y) => (Number.isInteger(y) ? count(y) : ""), value: (y) => count(Math.round(y)) },
  share: { range: [0, 1], tick: (y) => `${Math.round(y * 100)}%`, value: (y) => `${(y * 100).toFixed(1)}%` },
  score: { range: [0, 1], tick: (y) => y.toFixed(1), value: (y) => y.toFixed(3) },
};

// `series`: {label, colour, dash, fill}; `data`: the pages, then one list a series; `unit`: of the values.
export function Chart({ name, data, series, height, unit = "pages" }) {
  const { range, tick, value } = UNITS[unit];
  const box = useRef(null);
  const plot = useRef(null);
  const last = useRef(data);
  last.current = data;
  useEffect(() => {
    const draw = () => {
      plot.current?.destroy();
      const axis = { stroke: colour("--soft"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false },
        font: "12px system-ui, sans-serif" };
      plot.current = new uPlot({
        width: box.current.clientWidth, height,
        cursor: { y: false, points: { size: 7 } },
        legend: { live: true },
        hooks: { setCursor: [(u) => u.cursor.idx == null && u.setLegend({ idx: u.data[0].length - 1 }, false)] },
        scales: { x: { time: false }, y: { range } },
        axes: [
          { ...axis, size: 28, values: (_, ticks) => ticks.map((x) => (Number.isInteger(x) ? count(x) : "")) },
          { ...axis, size: 46, values: (_, ticks) => ticks.map(tick) },
        ],
        series: [{ label: name, value: (_, x) => (x == null ? "–" : count(Math.round(x))) }, ...series.map((one) => ({
          label: one.label, stroke: colour(one.colour), width: 2, dash: one.dash,
          fill: one.fill ? colour(one.fill) : undefined, points: { show: false }, spanGaps: true,
          value: (_, y) => (y == null ? "–" : value(y)),
        }))],
      }, last.current, box.current);
      plot.current.setLegend({ idx: last.current[0].length - 1 }, false);
    };
    draw();
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: box.current.clientWidth, height }));
    resized.observe(box.current);
    dark.addEventListener("change", draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener("change", draw);
      plot.current.destroy();
    };
  }, [language, series.length]);
  useEffect(() => {
    plot.current.setData(data);
    if (plot.current.cursor.idx == null) plot.current.setLegend({ idx: data[0].length - 1 }, false);
  }, [data]);
  return html`<div class="chart" style=${{ minHeight: `${height + 30}px` }} ref=${box} role="img" aria-label=${series.map((one) => one.label).join(", ")}></div>`;
}

// The value of a line through corners at each of `xs`; null beyond its end.
export function along(corners, xs) {
  let i = 0;
  return xs.map((x) => {
    while (i + 1 < corners.length - 1 && corners[i + 1][0] < x) i += 1;
    if (corners.length < 2 || x > corners[corners.length - 1][0] + 0.5) return null;
    const [[x0, y0], [x1, y1]] = [corners[i], corners[i + 1]];
    return x1 > x0 ? y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) : y1;
  });
}
