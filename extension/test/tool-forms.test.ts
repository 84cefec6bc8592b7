import assert from "node:assert/strict";
import { it } from "node:test";
import { inputOf, read, type Input } from "../src/popup/json/input";
import { around, jsonPath, jsonPathOfAll, pointer } from "../src/popup/json/path";
import { formOf, type Schema } from "../src/popup/json/schema";
import { cellOf, shapeOf } from "../src/popup/json/shape";
import { newestOf } from "../src/popup/palette/palette";
import { opensPalette, withoutTrigger } from "../src/popup/palette/trigger";
import { argumentsOf, newArgument, schemaOf, withPlaceholders } from "../src/tools/arguments";
import { bodyOf, httpOf, newDraft, nextDraft } from "../src/tools/draft";
import { groupsOf } from "../src/tools/home/groups";
import { hostEntry, isAllowed, reachable } from "../src/tools/host";
import { lintDescription } from "../src/tools/lint";
import { nextVersion, slugOf, SUGGESTED } from "../src/tools/names";
import { placeholdersIn } from "../src/tools/placeholders";
import { schemaOfSample } from "../src/tools/sample";
import { CATEGORIES, CONSEQUENCES, type Tool } from "../src/tools/types";
import { uuidv7 } from "../src/tools/uuid";

const WEATHER: Schema = {
  type: "object",
  properties: {
    city: { type: "string", description: "Name of the city" },
    days: { type: "integer", minimum: 1, maximum: 7, default: 3 },
    units: { enum: ["metric", "imperial"] },
    detailed: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    place: {
      type: "object",
      properties: { latitude: { type: "number" }, longitude: { type: "number" } },
      required: ["latitude"],
    },
    either: { anyOf: [{ type: "string" }, { type: "number" }] },
  },
  required: ["city"],
};

// T002-7: the arguments of a tool are a form made from its schema.
it("a schema becomes fields, and what is typed becomes the arguments", () => {
  const form = formOf(WEATHER);
  assert.equal(form.kind, "object");
  const members = form.kind === "object" ? form.members : [];
  assert.deepEqual(
    members.map(({ name, isRequired, field }) => [name, field.kind, isRequired]),
    [
      ["city", "text", true],
      ["days", "number", false],
      ["units", "choice", false],
      ["detailed", "boolean", false],
      ["tags", "list", false],
      ["place", "object", false],
      ["either", "json", false],
    ],
  );
  const typed: Input = {
    ...{ city: "Köln", days: "3", units: "1", detailed: "false", tags: ["a", "b"], either: "7" },
    place: { latitude: "50,9", longitude: "" },
  };
  assert.deepEqual(read(form, typed, true), {
    value: {
      ...{ city: "Köln", days: 3, units: "imperial", detailed: false, tags: ["a", "b"] },
      ...{ place: { latitude: 50.9 }, either: 7 },
    },
    misfits: [],
  });
});

it("an empty optional field is absent, an empty required one is an error at its place", () => {
  const form = formOf(WEATHER);
  const start = inputOf(form, undefined);
  assert.deepEqual(start, { city: "", days: "3", units: "", detailed: "", tags: [], place: { latitude: "", longitude: "" }, either: "" });
  const reading = read(form, start, true);
  assert.deepEqual(reading.misfits, [{ pointer: "/city", error: "required" }]);
  const bad: Input = { city: "x", days: "1.5", either: "{", place: { latitude: "", longitude: "east" }, tags: [""] };
  assert.deepEqual(read(form, bad, true).misfits, [
    { pointer: "/days", error: "not_whole" },
    { pointer: "/tags/0", error: "required" },
    { pointer: "/place/latitude", error: "required" },
    { pointer: "/place/longitude", error: "not_a_number" },
    { pointer: "/either", error: "not_json" },
  ]);
});

it("what is typed for a value reads as that value", () => {
  const form = formOf(WEATHER);
  const value = {
    ...{ city: "Bonn", days: 2, units: "metric", detailed: true, tags: ["x"], place: { latitude: 1, longitude: -2.5 } },
    either: { deep: [1, null] },
  };
  assert.deepEqual(read(form, inputOf(form, value), true).value, value);
});

it("references inside the schema are followed, and one that contains itself ends as JSON text", () => {
  const node = { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } } };
  const form = formOf({ type: "object", properties: { first: { $ref: "#/$defs/node" } }, $defs: { node } });
  let field = form;
  let depth = 0;
  while (field.kind === "object") {
    field = field.members.at(-1)?.field ?? { kind: "json", label: "", description: "" };
    depth += 1;
  }
  assert.equal(field.kind, "json");
  assert.ok(depth > 1 && depth < 10, String(depth));
  const remote = formOf({ type: "object", properties: { a: { $ref: "https://example.org/a.json" } } });
  assert.equal(remote.kind === "object" && remote.members[0]?.field.kind, "json");
});

it("arguments without a known form are typed as JSON, none at all as nothing", () => {
  assert.deepEqual([formOf(true).kind, formOf({ type: "object" }).kind, formOf({}).kind], ["object", "object", "object"]);
  for (const schema of [{ type: "object", additionalProperties: { type: "string" } }, { anyOf: [{}] }, { type: "array" }]) {
    assert.equal(formOf(schema).kind, "json");
  }
});

// T002-84: fields of a sample answer are picked, placeholders are recognised.
it("a clicked value has a JSONPath, alone and for every entry of its list", () => {
  assert.equal(jsonPath([]), "$");
  assert.equal(jsonPath(["current", "condition", "text"]), "$.current.condition.text");
  assert.equal(jsonPath(["days", 0, "max temp"]), "$.days[0]['max temp']");
  assert.equal(jsonPath(["it's", "a\\b", "\n\u0001", "1st", "größe"]), "$['it\\'s']['a\\\\b']['\\n\\u0001']['1st'].größe");
  assert.equal(jsonPathOfAll(["days", 2, "hours", 0, "t"]), "$.days[2].hours[*].t");
  assert.equal(jsonPathOfAll(["current"]), undefined);
});

it("an error's place is a pointer, with those around it", () => {
  assert.equal(pointer(["a/b", 0, "~"]), "/a~1b/0/~0");
  assert.deepEqual(around("/tags/0"), ["/tags/0", "/tags", ""]);
  assert.deepEqual(around(""), [""]);
});

it("lists of objects are tables, single values are texts, the rest is a tree", () => {
  assert.deepEqual(shapeOf("hello"), { kind: "text", text: "hello" });
  assert.deepEqual(shapeOf(null), { kind: "text", text: "null" });
  assert.deepEqual(shapeOf(4.5), { kind: "text", text: "4.5" });
  const rows = [{ a: 1 }, { b: [2], a: null }];
  assert.deepEqual(shapeOf(rows), { kind: "table", columns: ["a", "b"], rows });
  for (const value of [[], {}, [1, 2], [{ a: 1 }, 2], [{}], { rows }]) assert.equal(shapeOf(value).kind, "tree");
  const wide = [Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`c${i}`, i]))];
  assert.equal(shapeOf(wide).kind, "tree");
  assert.deepEqual([cellOf([2]), cellOf(null), cellOf(false)], ["[2]", "", "false"]);
});

// T002-84: fields of a sample answer are picked, placeholders are recognised.
it("placeholders are arguments, or secrets by their capitals", () => {
  const url = "https://api.example.org/${place.name}/v1?q=${city}&key=${API_KEY}&n=${items[0]}&v=${version}";
  assert.deepEqual(placeholdersIn(url, "Bearer ${TOKEN_2}", "${city}${API_KEY}"), {
    arguments: ["place", "city", "items"],
    secrets: ["API_KEY", "TOKEN_2"],
  });
  assert.deepEqual(placeholdersIn("$city ${} ${ x } {y} ${unclosed"), { arguments: ["x"], secrets: [] });
});

it("rows follow the placeholders and keep what was typed", () => {
  const city = { ...newArgument("city"), description: "where" };
  const own = newArgument("own");
  const added = withPlaceholders([city, own], ["city", "days"], ["city"]);
  assert.deepEqual(added, [city, own, newArgument("days")]);
  assert.deepEqual(withPlaceholders([city, own], ["town"], ["city"]), [{ ...city, name: "town" }, own]);
  assert.deepEqual(withPlaceholders([city, own], [], ["city"]), [own]);
});

it("rows and schema are the same thing, and nothing of a schema is lost", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      city: { type: "string", description: "Name", minLength: 2, default: "Bonn" },
      days: { type: "integer", default: 3, maximum: 7 },
      units: { type: "string", enum: ["metric", "imperial"] },
      all: { type: "boolean" },
      tags: { type: "array", items: { type: "string" }, maxItems: 4 },
      place: { type: "object", properties: { x: { type: "number" } } },
      any: true,
      wild: { type: "array", items: { type: "string", minLength: 1 } },
    },
    required: ["city"],
    additionalProperties: false,
    $defs: { x: {} },
  };
  const found = argumentsOf(schema);
  assert.deepEqual(
    found?.rows.map(({ type }) => type),
    ["text", "integer", "choice", "boolean", "texts", "custom", "custom", "custom"],
  );
  assert.deepEqual(found && schemaOf(found), schema);
  for (const other of [true, { type: "array" }, { required: ["ghost"] }]) assert.equal(argumentsOf(other), undefined);
});

it("the host of a template is asked for, unless a placeholder forms it", () => {
  assert.equal(hostEntry("https://API.Example.org/v1/${x}"), "api.example.org");
  assert.equal(hostEntry("https://bücher.example:443/"), "xn--bcher-kva.example");
  assert.equal(hostEntry("http://127.0.0.1:8080?q=${x}"), "127.0.0.1:8080");
  for (const none of ["https://${host}/", "https://api.${zone}.org/", "ftp://a.org", "", "https://", "${url}"]) {
    assert.equal(hostEntry(none), undefined);
  }
  assert.equal(reachable("https://a.org:8443/${x}"), "https://a.org:8443/");
  assert.ok(isAllowed(["*.example.org"], "api.example.org") && isAllowed(["A.org:1"], "a.org:1"));
  assert.ok(!isAllowed(["*.example.org"], "example.org") && !isAllowed(["a.org"], "a.org:1"));
});

it("short names and versions are proposed", () => {
  assert.equal(slugOf("Weather in a city!"), "weather-in-a-city");
  assert.equal(slugOf("  Größe & Préis "), "groesse-preis");
  assert.equal(slugOf("天気 2"), "天気-2");
  assert.equal(slugOf("!!"), "");
  assert.equal([...slugOf("x".repeat(80))].length, 64);
  assert.deepEqual([nextVersion([]), nextVersion(["v1"]), nextVersion(["v2", "v3"]), nextVersion(["1.0.9"])], ["v1", "v2", "v4", "1.0.10"]);
  assert.equal(nextVersion(["beta"]), "beta-2");
});

// T003-3: the routing contract of a description is a hint, not a refusal.
it("a description is checked for what, when and otherwise, in both languages", () => {
  const full = "Gets the weather of a city. Use when the user asks for the weather. For a forecast use get_forecast.";
  assert.deepEqual(lintDescription(full), { what: true, when: true, otherwise: true });
  assert.deepEqual(lintDescription("Weather"), { what: false, when: false, otherwise: false });
  assert.equal(lintDescription("Holt das Wetter einer Stadt. Verwenden, wenn nach dem Wetter gefragt wird.").when, true);
});

it("a sample gives a schema that it fits", () => {
  assert.deepEqual(schemaOfSample({ a: 1, b: [{ x: "1", y: 2 }, { x: "2" }], c: null }), {
    type: "object",
    properties: {
      a: { type: "number" },
      b: { type: "array", items: { type: "object", properties: { x: { type: "string" } }, required: ["x"] } },
      c: {},
    },
    required: ["a", "b", "c"],
  });
  assert.deepEqual(schemaOfSample([1, "a"]), { type: "array" });
  assert.deepEqual(schemaOfSample([]), { type: "array" });
});

// T002-4, T002-7: a tool is called with + and its short name.
it("a + opens the palette at the start of a word and nowhere else", () => {
  assert.ok(opensPalette("+", 1) && opensPalette("ask +", 5) && opensPalette("a + b", 3) && opensPalette("a\n+", 3));
  assert.ok(!opensPalette("1+", 2) && !opensPalette("+1", 2) && !opensPalette("a+b", 2) && !opensPalette("+b", 1) && !opensPalette("", 0));
  assert.equal(withoutTrigger("ask + it", 5), "ask  it");
});

it("versions of one tool are one entry, the newest", () => {
  const tool = (slug: string, version: string, createdAt: string): Tool =>
    ({ bundleID: "b", slug, version, createdAt }) as Tool;
  const tools = [tool("a", "v1", "1"), tool("b", "v1", "2"), tool("a", "v2", "3"), { ...tool("a", "v9", "9"), bundleID: "c" }];
  assert.deepEqual(newestOf(tools).map(({ slug, version }) => slug + version), ["av2", "bv1", "av9"]);
  const groups = groupsOf(tools);
  assert.deepEqual(groups.map(({ newest, older }) => [newest.version, older.length]), [["v2", 1], ["v1", 0], ["v9", 0]]);
});

it("a draft has the fields that a person writes, and the next version is free", () => {
  const stored = { ...newDraft("b"), slug: "weather", displayName: "W", id: "1", effective: {}, outputSchema: true } as unknown as Tool;
  const draft = nextDraft(stored, ["v1", "v2"]);
  assert.deepEqual([draft.version, draft.slug, draft.outputSchema, "id" in draft, "effective" in draft], ["v3", "weather", true, false, false]);
  assert.equal(httpOf({ method: "POST" }).timeoutMs, 10_000);
});

it("an id is a UUIDv7 of its time", () => {
  assert.match(uuidv7(0x0123456789ab), /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

/** T003-13: a category suggests how careful to be, and decides nothing. */
it("what a category suggests is not put into the tool", () => {
  const asks = CATEGORIES.filter((category) => SUGGESTED[category].confirmation);
  assert.deepEqual(asks, ["write", "delete", "side_effect"]);
  for (const category of CATEGORIES) {
    for (const consequenceLevel of CONSEQUENCES) {
      for (const requiresConfirmation of [true, false]) {
        const flags = { category, consequenceLevel, requiresConfirmation };
        assert.deepEqual({ ...bodyOf(flags), ...flags }, bodyOf(flags));
      }
    }
    const { consequenceLevel, requiresConfirmation } = newDraft("b");
    const other = bodyOf({ category });
    assert.deepEqual([other.consequenceLevel, other.requiresConfirmation], [consequenceLevel, requiresConfirmation]);
  }
});

/** T004-4: a new version of a tool of specification 004 is called as before, and is as visible. */
it("a tool keeps its own name and whether it is visible", () => {
  const body = bodyOf({ type: "space", name: "confirmAction", visible: true });
  assert.deepEqual([body.name, body.visible], ["confirmAction", true]);
  const other = bodyOf({ name: "get_weather" });
  assert.equal("name" in other || "visible" in other, false);
});
