// Messages of tools: which component shows a tool, and what it reads from arguments that an agent wrote.

import assert from "node:assert/strict";
import { it } from "node:test";
import { barOf, chartOf, labelStep, linePath, scaleOf, slicesOf, xOf, yOf, type Plot } from "../src/popup/tool-message/chart-geometry";
import { allowsSeveral, optionsIn } from "../src/popup/tool-message/choice";
import { schemaIn } from "../src/popup/tool-message/form";
import { pictureIn } from "../src/popup/tool-message/image";
import { nameWords, phaseOf } from "../src/popup/tool-message/item";
import { shareIn, shareOf } from "../src/popup/tool-message/progress";
import { componentFor, folded, tools } from "../src/popup/tool-message/registry";
import { tableOf } from "../src/popup/tool-message/table";

/** T004-4, T004-12: the tool's name selects the component; case, underscores and hyphens make no difference. */
it("a component is chosen by the tool's name", () => {
  const { by_name, Fallback } = tools;
  for (const [name, component] of Object.entries(by_name)) assert.equal(componentFor(name), component, name);
  for (const name of ["display_chart", "DISPLAYCHART", "Display-Chart", "displaychart"]) {
    assert.equal(componentFor(name), by_name["displayChart"], name);
  }
  assert.equal(componentFor("fill_form"), by_name["requestForm"]);
  const names = Object.keys(by_name).map(folded);
  assert.equal(new Set(names).size, names.length, "no two names are one");
  for (const other of ["fetchWeather", "", "constructor", "__proto__", "displayCharts"]) {
    assert.equal(componentFor(other), Fallback, other);
  }
});

/** T004-26, T004-51, T004-67: a call waits for the person or for a program, until it ended or expired. */
it("a message's state says where the call is", () => {
  const phases = (["requires_action", "done", "failed", "expired", "streaming", "sending"] as const).map((state) => [
    phaseOf({ state }, { execution: "space" }),
    phaseOf({ state }, { execution: "external" }),
  ]);
  assert.deepEqual(phases, [
    ["asking", "waiting"],
    ["done", "done"],
    ["failed", "failed"],
    ["expired", "expired"],
    ["running", "running"],
    ["running", "running"],
  ]);
  assert.deepEqual(["confirmAction", "display_chart", "x"].map(nameWords), ["Confirm action", "Display chart", "X"]);
});

/** T004-27: the arguments of a chart, in the shapes that agents write. */
it("a chart is read from labels with series, with data, or from points", () => {
  const labels = ["Mon", "Tue"];
  const chart = chartOf({ type: "bar", title: "Fees", labels, series: [{ name: "A", data: [1, "2"] }, { name: "B", values: [3] }] });
  assert.deepEqual(chart, {
    type: "bar",
    title: "Fees",
    labels,
    series: [
      { name: "A", values: [1, 2] },
      { name: "B", values: [3, undefined] },
    ],
  });
  assert.deepEqual(chartOf({ labels, data: [5, 6] })?.series, [{ name: "", values: [5, 6] }]);
  const points = chartOf({ type: "pie", data: [{ label: "ETH", value: 3 }, { label: "BTC", value: 1 }] });
  assert.deepEqual([points?.labels, points?.series[0]?.values], [["ETH", "BTC"], [3, 1]]);
  assert.equal(chartOf({ labels, data: ["x", null] }), undefined, "no number");
  assert.equal(chartOf({ labels }), undefined);
  assert.equal(chartOf({ data: { a: 1 } }), undefined);
});

/** T004-63: a chart grows with its arguments while they are written. */
it("the part of a chart that is written is shown", () => {
  const written = [{}, { labels: ["Mon"] }, { labels: ["Mon", "Tue"], data: [4] }, { labels: ["Mon", "Tue"], data: [4, 7] }];
  assert.deepEqual(
    written.map((input) => chartOf(input)?.series[0]?.values),
    [undefined, undefined, [4, undefined], [4, 7]],
  );
});

it("a scale has round steps, from zero for bars", () => {
  assert.deepEqual(scaleOf([3, 17], true), { low: 0, high: 20, ticks: [0, 5, 10, 15, 20] });
  assert.deepEqual(scaleOf([-4, 6], true).ticks, [-5, -2.5, 0, 2.5, 5, 7.5]);
  assert.deepEqual(scaleOf([100, 101], false), { low: 100, high: 101, ticks: [100, 100.25, 100.5, 100.75, 101] });
  for (const values of [[0], [7, 7], [-3, -3], [1e-9, 3e-9], [1e15, 2e15]]) {
    const { low, high, ticks } = scaleOf(values, true);
    assert.ok(low < high && ticks.length >= 2 && ticks.every(Number.isFinite), String(values));
    assert.ok(low <= Math.min(...values) && high >= Math.max(...values), String(values));
  }
});

const PLOT: Plot = { left: 10, top: 0, width: 100, height: 50 };

it("values stand where the scale has them", () => {
  const scale = { low: 0, high: 10, ticks: [0, 10] };
  assert.deepEqual([0, 5, 10].map((value) => yOf(value, scale, PLOT)), [50, 25, 0]);
  assert.deepEqual([0, 1].map((place) => xOf(place, 2, PLOT)), [35, 85]);
  assert.equal(linePath([0, undefined, 10, 5], scale, PLOT), "M22.5 50M72.5 0L97.5 25", "a gap begins anew");
  const bars = [0, 1].map((series) => barOf(10, { label: 1, labels: 2, series, all: 2 }, scale, PLOT));
  assert.deepEqual(bars.map(({ y, height }) => [y, height]), [[0, 50], [0, 50]]);
  assert.ok(bars[0] && bars[1] && bars[0].x + bars[0].width < bars[1].x, "side by side");
  const below = barOf(-5, { label: 0, labels: 1, series: 0, all: 1 }, { low: -5, high: 5, ticks: [] }, PLOT);
  assert.deepEqual([below.y, below.height], [25, 25], "a negative bar hangs below zero");
});

it("slices share the pie", () => {
  const [half, quarter, none] = slicesOf([2, 1, 0, 1, -3], 50, 40);
  assert.equal(half, "M 50 50 L 50 10 A 40 40 0 0 1 50 90 Z");
  assert.equal(quarter, "M 50 50 L 50 90 A 40 40 0 0 1 10 50 Z");
  assert.equal(none, "");
  assert.match(slicesOf([7], 50, 40)[0] ?? "", /^M 50 50 L 50 10 A 40 40 0 1 1 49\.9\d 10 Z$/);
  assert.deepEqual(slicesOf([0, 0], 50, 40), ["", ""]);
  assert.equal(labelStep(["a", "b"], 300), 1);
  assert.ok(labelStep(Array.from({ length: 365 }, (_, i) => `day ${i}`), 300) > 20);
});

it("a table has the named columns, or those of its rows", () => {
  const rows = [{ coin: "ETH", amount: 2 }, { coin: "BTC", note: null }];
  assert.deepEqual(tableOf({ rows }), {
    title: undefined,
    columns: ["coin", "amount", "note"],
    rows: [["ETH", "2", ""], ["BTC", "", ""]],
  });
  const named = tableOf({ title: "Coins", columns: [{ key: "coin", label: "Coin" }], rows });
  assert.deepEqual([named?.title, named?.columns, named?.rows], ["Coins", ["Coin"], [["ETH"], ["BTC"]]]);
  assert.deepEqual(tableOf({ columns: ["a", "b"], rows: [[1, [2]]] })?.rows, [["1", "[2]"]]);
  for (const input of [{}, { rows: "all" }, { rows: [1, 2] }, { rows: [] }]) assert.equal(tableOf(input), undefined);
});

it("options are texts, or have a value and a label", () => {
  const options = ["a", 2, { value: 3, label: "Three", description: "d" }, { id: "x" }, { title: "T" }, null, {}];
  assert.deepEqual(
    optionsIn({ options }).map(({ value, label }) => [value, label]),
    [["a", "a"], [2, "2"], [3, "Three"], ["x", "x"], ["T", "T"]],
  );
  assert.deepEqual([{ multiple: true }, { multiSelect: true }, { multiple: "yes" }, {}].map(allowsSeveral), [true, true, false, false]);
});

it("a form's schema is given whole, or as a list of fields", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  assert.equal(schemaIn({ schema }), schema);
  const fields = [{ name: "age", type: "integer", label: "Age", required: true }, { name: "kind", options: ["x", "y"] }, { label: "?" }];
  assert.deepEqual(schemaIn({ fields }), {
    type: "object",
    properties: { age: { type: "integer", title: "Age" }, kind: { type: "string", enum: ["x", "y"] } },
    required: ["age"],
  });
  assert.equal(schemaIn({ fields: [] }), undefined);
});

it("only a picture that is in the message is shown", () => {
  assert.equal(pictureIn({ src: "data:image/png;base64,AAAA" })?.kind, "embedded");
  for (const src of ["https://a.example/x.png", "data:text/html,<b>", "blob:x", "data:image/xml;base64,AA", "/icons/16.png"]) {
    assert.deepEqual(pictureIn({ src }), { kind: "remote", address: src });
  }
  assert.equal(pictureIn({ src: 7 }), undefined);
});

it("progress is a share, a percentage, or an amount of a whole", () => {
  assert.deepEqual(shareIn({ value: 0.4 }), { share: 0.4, amount: "40%" });
  assert.deepEqual(shareIn({ progress: 40 }), { share: 0.4, amount: "40%" });
  assert.deepEqual(shareIn({ percent: 1 }), { share: 0.01, amount: "1%" });
  assert.deepEqual(shareIn({ value: 3, total: 12 }), { share: 0.25, amount: "3 of 12" });
  assert.equal(shareIn({ value: 300 })?.share, 1);
  assert.equal(shareIn({ title: "x" }), undefined);
  assert.deepEqual(shareOf(5, undefined), { share: undefined, amount: "5" });
});
