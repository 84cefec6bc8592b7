// The toolbox as it is shipped, beside `ajv` and `minisearch` in the same page, and a plain `fetch` beside a tool's call.
//
// Ours is asked as the core asks it: a text in, a text out. What the peers get is parsed from text as well, because that is
// how arguments and records arrive.

import Ajv from "ajv/dist/2020.js";
import MiniSearch from "minisearch";
import startToolbox, { answer } from "../../generated/toolbox/toolbox.js";
import { pseudoRandom, same, timed, type Millis } from "./statistics";

const WARM_UP = 5;
/** Of calls that are too short for the clock, so many are timed together. */
const TOGETHER = 200;

interface Both {
  ours: Millis[];
  peer: Millis[];
}

/** From the fetched bytes to the first answer. */
export async function measureFirstUse(): Promise<{ load: Millis; first: Millis }> {
  const bytes = await (await fetch("toolbox.wasm")).arrayBuffer();
  const [load] = await timed(() => startToolbox({ module_or_path: bytes }));
  const [first] = await timed(() => valid(WEATHER_ARGUMENTS, `{"city":"Rome"}`));
  return { load, first };
}

const WEATHER_ARGUMENTS = JSON.stringify({
  type: "object",
  properties: { city: { type: "string", minLength: 1, maxLength: 80 } },
  required: ["city"],
  additionalProperties: false,
});

/** A record as services return it: nested, with lists, patterns and choices. */
const ORDERS = JSON.stringify({
  type: "array",
  items: {
    type: "object",
    required: ["id", "total", "lines", "state"],
    properties: {
      id: { type: "string", pattern: "^[A-Z]{2}[0-9]{6}$" },
      total: { type: "number", minimum: 0 },
      state: { enum: ["open", "paid", "sent", "cancelled"] },
      note: { anyOf: [{ type: "null" }, { type: "string", maxLength: 200 }] },
      lines: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          required: ["sku", "quantity"],
          properties: { sku: { type: "string" }, quantity: { type: "integer", minimum: 1 } },
        },
      },
    },
  },
});

/** Arguments of a call, and a long answer. */
export async function measureValidation(rounds: number): Promise<{ arguments: Both; answer: Both }> {
  await startToolbox({ module_or_path: "toolbox.wasm" });
  const measure = (schema: string, good: string, bad: string): Both => {
    const check = new Ajv().compile(JSON.parse(schema) as object);
    const peer = (text: string): boolean => check(JSON.parse(text));
    for (const text of [good, bad]) same("verdicts", valid(schema, text), peer(text));
    const together = Math.max(1, Math.floor((TOGETHER * 100) / good.length));
    const both: Both = { ours: [], peer: [] };
    for (let round = -WARM_UP; round < rounds; round++) {
      const [ours, peers] = [each(together, () => valid(schema, good)), each(together, () => peer(good))];
      if (round < 0) continue;
      both.ours.push(ours);
      both.peer.push(peers);
    }
    return both;
  };
  const orders = JSON.stringify(Array.from({ length: 200 }, (_, index) => order(index)));
  return {
    arguments: measure(WEATHER_ARGUMENTS, `{"city":"Rome"}`, `{"city":7}`),
    answer: measure(ORDERS, orders, orders.replace('"quantity":3', '"quantity":0')),
  };
}

function valid(schema: string, value: string): boolean {
  const reply = JSON.parse(answer(`{"validate":{"schema":${schema},"value":${value}}}`)) as {
    validated?: { violations: unknown[] };
  };
  if (!reply.validated) throw new Error(`not validated: ${JSON.stringify(reply).slice(0, 300)}`);
  return reply.validated.violations.length === 0;
}

/** The time of one of many. */
function each(count: number, work: () => unknown): Millis {
  const start = performance.now();
  for (let done = 0; done < count; done++) work();
  return (performance.now() - start) / count;
}

const order = (index: number): object => ({
  id: `AB${String(100_000 + index)}`,
  total: index * 1.25,
  state: ["open", "paid", "sent"][index % 3],
  note: index % 2 ? null : "leave it at the door",
  lines: [1, 2, 3].map((line) => ({ sku: `sku-${line}`, quantity: line })),
});

const COUNT = 10_000;
const BUNDLE = "018faf50-b7b6-7a01-9a05-a22a6e0af101";
/** What people type: the beginning of a word, a word, two, a slip of the finger, and what is nowhere. */
const QUERIES = ["wea", "weather", "bridge report", "wether", "zzzz"];
const WORDS = ["weather", "price", "token", "swap", "mail", "send", "list", "city", "report", "news", "stock", "bridge"];

interface Document {
  id: string;
  slug: string;
  displayName: string;
  description: string;
  tags: string;
}

/** Ten thousand tools, indexed, and a page of 25 for each query. */
export async function measureSearch(rounds: number): Promise<{ build: Both; queries: (Both & { query: string })[] }> {
  await startToolbox({ module_or_path: "toolbox.wasm" });
  const records = made();
  const reply = asked<{ documents: { text: string }[] }>("documents", {
    document: { records: records.map((record) => JSON.stringify(record)).join("\n") },
  });
  const tools = reply.documents.map(({ text }) => text).join("\n");
  const bundle = { id: BUNDLE, slug: "b", displayName: "B", description: "", createdAt: 0, modifiedAt: 0 };
  const documents = records.map(({ id, slug, displayName, description, tags }): Document => {
    return { id, slug, displayName, description, tags: tags.join(" ") };
  });
  const peerText = documents.map((document) => JSON.stringify(document)).join("\n");

  const build: Both = { ours: [], peer: [] };
  let peer = emptyPeer();
  for (let round = 0; round < 5; round++) {
    const change = { tools, bundles: JSON.stringify(bundle) };
    const [ours] = await timed(() => asked("updated", { update: { from: null, to: `${round}`, change } }));
    const [theirs] = await timed(() => {
      peer = emptyPeer();
      peer.addAll(peerText.split("\n").map((line) => JSON.parse(line) as Document));
    });
    build.ours.push(ours);
    build.peer.push(theirs);
  }
  const search = (query: string): number => {
    const words = `q=${encodeURIComponent(query)}&includeDisabled=true&pageSize=25`;
    const find = { search: { query: words } };
    return asked<{ tools: unknown[] }>("tools", { find: { at: "4", hosts: [], find } }).tools.length;
  };
  const queries = QUERIES.map((query) => {
    const theirs = (): number => peer.search(query).slice(0, 25).length;
    same(`how many are on the first page for ${query}`, search(query), theirs());
    const both = { query, ours: [] as Millis[], peer: [] as Millis[] };
    for (let round = -WARM_UP; round < rounds; round++) {
      const [ours, peers] = [each(5, () => search(query)), each(5, theirs)];
      if (round < 0) continue;
      both.ours.push(ours);
      both.peer.push(peers);
    }
    return both;
  });
  return { build, queries };
}

/** As its own guide advises for a search as one types. */
function emptyPeer(): MiniSearch<Document> {
  const searchOptions = { prefix: true, fuzzy: 0.2, combineWith: "AND" as const };
  return new MiniSearch<Document>({ fields: ["slug", "displayName", "description", "tags"], searchOptions });
}

function asked<T>(name: string, request: object): T {
  const reply = JSON.parse(answer(JSON.stringify({ index: request }))) as { index?: Record<string, T> };
  const value = reply.index?.[name];
  if (value === undefined) throw new Error(`${name}: ${JSON.stringify(reply).slice(0, 300)}`);
  return value;
}

function made(): (Record<string, unknown> & Omit<Document, "tags"> & { tags: string[] })[] {
  const random = pseudoRandom(1);
  const pick = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? "";
  return Array.from({ length: COUNT }, (_, index) => ({
    schemaVersion: "2026-11-01",
    id: `018faf50-b7b6-7a01-9a05-${index.toString(16).padStart(12, "0")}`,
    bundleID: BUNDLE,
    slug: `${pick()}-${pick()}-${index}`,
    version: "v1",
    displayName: `${pick()} ${index}`,
    description: `The ${pick()} of a ${pick()}, with its ${pick()}`,
    tags: [pick()],
    type: "local",
    isEnabled: true,
    isBuiltIn: false,
    argSchema: { type: "object" },
    impl: { goFunc: "get_address_book" },
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    timeout: 15_000,
    dependsOn: [],
    maxCallsPerMinute: null,
    createdAt: "2026-11-17T10:00:00.000Z",
    modifiedAt: "2026-11-17T10:00:00.000Z",
  }));
}

/**
 * What a page does that calls the same service by itself: checks the arguments, fetches, checks the answer; and the same with
 * one durable write, as a call that must not be lost needs at least.
 */
export async function measureFetch(url: string, rounds: number): Promise<{ plain: Millis[]; durable: Millis[] }> {
  const ajv = new Ajv();
  const checkArguments = ajv.compile(JSON.parse(WEATHER_ARGUMENTS) as object);
  const checkAnswer = ajv.compile({ type: "object", required: ["city"] });
  const database = await opened();
  const call = async (durable: boolean): Promise<void> => {
    const args = JSON.parse(`{"city":"Rome"}`) as { city: string };
    if (!checkArguments(args)) throw new Error("arguments");
    const address = new URL(url);
    address.searchParams.set("city", args.city);
    const response = await fetch(address, { cache: "no-store", redirect: "manual" });
    if (!checkAnswer(await response.json())) throw new Error("answer");
    if (durable) await written(database, args);
  };
  const times = { plain: [] as Millis[], durable: [] as Millis[] };
  for (let round = -WARM_UP; round < rounds; round++) {
    const [[plain], [durable]] = [await timed(() => call(false)), await timed(() => call(true))];
    if (round < 0) continue;
    times.plain.push(plain);
    times.durable.push(durable);
  }
  database.close();
  return times;
}

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("calls", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("calls", { autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no database"));
  });
}

function written(database: IDBDatabase, value: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction("calls", "readwrite", { durability: "strict" });
    transaction.objectStore("calls").add(value);
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error ?? new Error("not written"));
  });
}
