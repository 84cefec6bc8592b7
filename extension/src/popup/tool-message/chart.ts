// A chart: lines, bars or a pie, drawn as SVG, with its numbers as a table for everyone who cannot see it.

import { h, svg } from "../element";
import { LOCALE, t } from "../i18n";
import { plain } from "../plain";
import {
  barOf,
  chartOf,
  labelStep,
  linePath,
  scaleOf,
  shortLabel,
  slicesOf,
  xOf,
  yOf,
  type Chart,
  type ChartType,
  type Plot,
  type Scale,
} from "./chart-geometry";
import type { Component } from "./component";
import { tableView } from "./table-view";

const WIDTH = 360;
const HEIGHT = 200;
const PLOT: Plot = { left: 46, top: 10, width: WIDTH - 54, height: HEIGHT - 36 };
const PIE = { centre: 90, radius: 84, size: 180 };

const NUMBER = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 6 });
const SHORT = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumFractionDigits: 2 });

export const chart: Component = ({ input, phase }) => {
  const data = chartOf(input);
  if (!data) return undefined;
  const drawing = data.type === "pie" ? pie(data) : axes(data);
  return h(
    "figure",
    { class: "chart", "data-testid": "tool-chart", "data-type": data.type },
    data.title !== undefined && h("figcaption", {}, data.title),
    drawing,
    legend(data),
    // The numbers are left out while it grows.
    phase !== "writing" && numbers(data),
  );
};

const TYPE_WORDS: Record<ChartType, string> = {
  line: t("message_chart_line"),
  bar: t("message_chart_bar"),
  pie: t("message_chart_pie"),
};

/** Read aloud in place of the drawing. */
function summary({ type, title, labels, series }: Chart): string {
  const values = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => NUMBER.format(value));
  return t("message_chart_summary", TYPE_WORDS[type], title ?? "", labels.length, least ?? "", most ?? "");
}

function axes(data: Chart): SVGSVGElement {
  const values = data.series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const scale = scaleOf(values, data.type === "bar");
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": summary(data) },
    ...grid(scale),
    ...labelsBelow(data.labels),
    ...(data.type === "bar" ? bars(data, scale) : lines(data, scale)),
  );
}

function grid(scale: Scale): SVGElement[] {
  return scale.ticks.flatMap((tick) => {
    const y = yOf(tick, scale, PLOT);
    const right = PLOT.left + PLOT.width;
    return [
      svg("line", { class: tick === 0 ? "chart-zero" : "chart-grid", x1: PLOT.left, x2: right, y1: y, y2: y }),
      svg("text", { class: "chart-tick", x: PLOT.left - 6, y: y + 3.5, "text-anchor": "end" }, SHORT.format(tick)),
    ];
  });
}

function labelsBelow(labels: readonly string[]): SVGElement[] {
  const step = labelStep(labels, PLOT.width);
  return labels.flatMap((label, i) => {
    if (i % step !== 0) return [];
    const x = xOf(i, labels.length, PLOT);
    return [svg("text", { class: "chart-tick", x, y: HEIGHT - 8, "text-anchor": "middle" }, plain(shortLabel(label)))];
  });
}

/** Points are drawn as long as they can be told apart. */
const MAX_POINTS = 40;

function lines({ series, labels }: Chart, scale: Scale): SVGElement[] {
  return series.flatMap(({ values }, i) => {
    const points = values.flatMap((value, place) => {
      if (value === undefined || labels.length > MAX_POINTS) return [];
      return [svg("circle", { class: `chart-dot series-${i}`, cx: xOf(place, labels.length, PLOT), cy: yOf(value, scale, PLOT), r: 2.6 })];
    });
    return [svg("path", { class: `chart-line series-${i}`, d: linePath(values, scale, PLOT) }), ...points];
  });
}

function bars({ series, labels }: Chart, scale: Scale): SVGElement[] {
  return series.flatMap(({ values }, i) =>
    values.flatMap((value, label) => {
      if (value === undefined) return [];
      const place = { label, labels: labels.length, series: i, all: series.length };
      return [svg("rect", { class: `chart-bar series-${i}`, rx: 1.5, ...barOf(value, place, scale, PLOT) })];
    }),
  );
}

function pie(data: Chart): SVGSVGElement {
  const values = (data.series[0]?.values ?? []).map((value) => value ?? 0);
  const slices = slicesOf(values, PIE.centre, PIE.radius);
  return svg(
    "svg",
    { class: "chart-pie", viewBox: `0 0 ${PIE.size} ${PIE.size}`, role: "img", "aria-label": summary(data) },
    ...slices.flatMap((d, i) => (d === "" ? [] : [svg("path", { class: `chart-slice ${colour(i)}`, d })])),
  );
}

const COLOURS = 6;
const colour = (place: number): string => `series-${place % COLOURS}`;

/** The names beside their colours. One unnamed series needs none. */
function legend({ type, labels, series }: Chart): HTMLElement | undefined {
  const first = series[0];
  const names = type === "pie" ? labels.map((label, i) => pieWords(label, i, first?.values ?? [])) : series.map(({ name }) => name);
  if (type !== "pie" && names.every((name) => name === "")) return undefined;
  return h(
    "ul",
    { class: "chart-legend" },
    ...names.map((name, i) =>
      h("li", {}, svg("svg", { class: "chart-key", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: colour(i), width: 10, height: 10, rx: 3 })), plain(name || t("message_chart_series", i + 1))),
    ),
  );
}

const PERCENT = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 });

function pieWords(label: string, place: number, values: readonly (number | undefined)[]): string {
  const whole = values.reduce<number>((sum, value) => sum + Math.max(value ?? 0, 0), 0);
  const share = whole === 0 ? 0 : Math.max(values[place] ?? 0, 0) / whole;
  return `${label} · ${PERCENT.format(share)}`;
}

function numbers({ labels, series }: Chart): HTMLElement {
  const columns = ["", ...series.map(({ name }, i) => name || (series.length === 1 ? t("message_chart_value") : t("message_chart_series", i + 1)))];
  const rows = labels.map((label, i) => [label, ...series.map(({ values }) => (values[i] === undefined ? "" : NUMBER.format(values[i])))]);
  return h(
    "details",
    { class: "chart-numbers" },
    h("summary", {}, t("message_chart_numbers")),
    tableView({ columns, rows, label: t("message_chart_numbers"), headsRows: true }),
  );
}
