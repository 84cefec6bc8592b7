// The data of a chart from an agent's arguments, and where its parts are drawn. No elements here.

import { isFields, listIn, numberOf, textIn, type Fields } from "./component";

export const CHART_TYPES = ["line", "bar", "pie"] as const;
export type ChartType = (typeof CHART_TYPES)[number];

export interface Series {
  readonly name: string;
  /** One for each label; a gap where there is none. */
  readonly values: readonly (number | undefined)[];
}

export interface Chart {
  readonly type: ChartType;
  readonly title: string | undefined;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
}

/** More cannot be told apart. */
export const MAX_SERIES = 6;
/** More values are not drawn; the table has them. */
const MAX_VALUES = 500;

/**
 * `{type?, title?, labels, series: [{name, data}]}`, `{labels, data: [1, 2]}` or `{data: [{label, value}]}`. Nothing
 * if there is no number in it.
 */
export function chartOf(input: Fields): Chart | undefined {
  const given = seriesIn(input);
  if (!given.some(({ values }) => values.some((value) => value !== undefined))) return undefined;
  const names = listIn(input, "labels", "categories", "x") ?? pointsIn(input)?.map(({ label }) => label) ?? [];
  // As many places as labels: a chart that is being written does not change its width with each value.
  const length = Math.min(Math.max(names.length, ...given.map(({ values }) => values.length)), MAX_VALUES);
  const labels = Array.from({ length }, (_, i) => labelOf(names[i], i));
  const series = given.slice(0, MAX_SERIES).map(({ name, values }) => ({
    name,
    values: Array.from({ length }, (_, i) => values[i]),
  }));
  return { type: typeOf(input), title: textIn(input, "title", "name"), labels, series };
}

function typeOf(input: Fields): ChartType {
  const wanted = (textIn(input, "type", "chartType", "kind") ?? "").toLowerCase();
  return CHART_TYPES.find((type) => wanted.includes(type)) ?? (wanted.includes("donut") ? "pie" : "line");
}

function seriesIn(input: Fields): Series[] {
  const series = listIn(input, "series", "datasets");
  if (series && series.some(isFields)) {
    return series.filter(isFields).map((one) => {
      return { name: textIn(one, "name", "label", "title") ?? "", values: (listIn(one, "data", "values") ?? []).map(valueOf) };
    });
  }
  const values = series ?? listIn(input, "data", "values");
  return values ? [{ name: "", values: values.map(valueOf) }] : [];
}

/** `[{label, value}]`: each point has its own label. */
function pointsIn(input: Fields): { label: string | undefined }[] | undefined {
  const points = listIn(input, "data", "values");
  if (!points?.some(isFields)) return undefined;
  return points.map((point) => ({ label: isFields(point) ? (textIn(point, "label", "name", "x") ?? shortText(point["x"])) : undefined }));
}

function valueOf(value: unknown): number | undefined {
  if (!isFields(value)) return numberOf(value);
  return ["value", "y", "amount", "count"].map((name) => numberOf(value[name])).find((number) => number !== undefined);
}

function labelOf(value: unknown, place: number): string {
  return shortText(value) ?? String(place + 1);
}

const shortText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** A scale with round steps that includes zero, unless all values are far from it. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

const STEPS = 4;

/** `fromZero`: bars begin at zero, lines need not. */
export function scaleOf(values: readonly number[], fromZero: boolean): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isNear = least - (most - least) <= 0 && most + (most - least) >= 0;
  const low = fromZero || isNear ? Math.min(least, 0) : least;
  const high = fromZero || isNear ? Math.max(most, 0) : most;
  const step = roundStep((high - low || Math.abs(high) || 1) / STEPS);
  const first = Math.floor(low / step);
  const last = Math.max(Math.ceil(high / step), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => exact((first + i) * step));
  return { low: exact(first * step), high: exact(last * step), ticks };
}

/** 1, 2, 2.5 or 5 times a power of ten, not less than the wanted step. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 2.5, 5].find((one) => one * power >= wanted * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Without the digits that binary fractions add. */
const exact = (value: number): number => Number(value.toPrecision(12));

/** The area in which values are drawn. */
export interface Plot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const yOf = (value: number, { low, high }: Scale, { top, height }: Plot): number =>
  round(top + height * (1 - (value - low) / (high - low)));

/** Lines have a point in the middle of each label's share of the width, as bars do. */
export const xOf = (place: number, amount: number, { left, width }: Plot): number =>
  round(left + (width * (place + 0.5)) / amount);

/** The path of a line; a gap where a value is missing. */
export function linePath(values: Series["values"], scale: Scale, plot: Plot): string {
  let isDrawing = false;
  const steps = values.map((value, i) => {
    const begins = !isDrawing;
    isDrawing = value !== undefined;
    return value === undefined ? "" : `${begins ? "M" : "L"}${xOf(i, values.length, plot)} ${yOf(value, scale, plot)}`;
  });
  return steps.join("");
}

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The share of a label's width that its bars take. */
const BARS_SHARE = 0.72;

/** The bar of one value: of each label's width, every series has an equal part. */
export function barOf(value: number, place: { label: number; labels: number; series: number; all: number }, scale: Scale, plot: Plot): Bar {
  const share = plot.width / place.labels;
  const width = (share * BARS_SHARE) / place.all;
  const x = plot.left + share * place.label + (share * (1 - BARS_SHARE)) / 2 + width * place.series;
  const zero = Math.min(Math.max(0, scale.low), scale.high);
  const [from, to] = [yOf(zero, scale, plot), yOf(value, scale, plot)];
  return { x: round(x), y: Math.min(from, to), width: round(Math.max(width - 1, 1)), height: round(Math.max(Math.abs(from - to), 1)) };
}

/** The slices of a pie, clockwise from the top. A share of nothing has none. */
export function slicesOf(values: readonly number[], centre: number, radius: number): string[] {
  const whole = values.reduce((sum, value) => sum + Math.max(value, 0), 0);
  let before = 0;
  return values.map((value) => {
    const share = whole === 0 ? 0 : Math.max(value, 0) / whole;
    const [from, to] = [before, before + share];
    before = to;
    if (share === 0) return "";
    // An arc cannot end where it begins.
    const last = share > 1 - 1e-9 ? to - 1e-4 : to;
    const isWide = share > 0.5 ? 1 : 0;
    const arc = ["A", radius, radius, 0, isWide, 1, pointAt(last, centre, radius)];
    return ["M", centre, centre, "L", pointAt(from, centre, radius), ...arc, "Z"].join(" ");
  });
}

function pointAt(turn: number, centre: number, radius: number): string {
  const angle = 2 * Math.PI * turn;
  return `${round(centre + radius * Math.sin(angle))} ${round(centre - radius * Math.cos(angle))}`;
}

/** Every so manieth label is written: the width has room for a few. */
export function labelStep(labels: readonly string[], width: number): number {
  const longest = Math.max(1, ...labels.map((label) => Math.min(label.length, MAX_LABEL)));
  const room = Math.max(1, Math.floor(width / (longest * CHARACTER_WIDTH + 8)));
  return Math.max(1, Math.ceil(labels.length / room));
}

const CHARACTER_WIDTH = 5.6;
const MAX_LABEL = 12;

export const shortLabel = (label: string): string =>
  label.length <= MAX_LABEL ? label : `${label.slice(0, MAX_LABEL - 1)}…`;

const round = (value: number): number => Math.round(value * 100) / 100;
