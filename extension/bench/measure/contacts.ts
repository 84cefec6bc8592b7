// The address book compared with `dexie`, both on IndexedDB in this page.
//
// Ours is what a user waits for: the request as a page sends it, journaled durably before and after the tool runs, and
// the answer parsed. The peer only stores and reads; it keeps no journal.

import Dexie, { type EntityTable } from "dexie";
import { Core } from "../../generated/harness/harness.js";
import startDecoder, { answerDecode } from "../../generated/signer/decoder.js";
import type { ActionResult, AddedEntry, Entry, GetAddressBookResult, Rows } from "../../generated";
import { pseudoRandom, same, timed, type Millis } from "./statistics";

export interface Contacts {
  /** One action that adds a thousand contacts. */
  add: { ours: Millis[]; peer: Millis[]; peerStrict: Millis[] };
  /** One action that searches ten thousand contacts. */
  query: { ours: Millis[]; peer: Millis[]; peerCursor: Millis[]; found: number };
}

const BATCH = 1_000;
const BATCHES = 10;
const WARM_UP = 2;
const WORD = "mira";

type Book = Dexie & { contacts: EntityTable<Entry, "id"> };

export async function measureContacts(rounds: number): Promise<Contacts> {
  for (const { name } of await indexedDB.databases()) if (name) await Dexie.delete(name);
  const core = await Core.open(host, signer, toolbox, descriptors, 0, "ours", undefined);
  const [peer, strict] = [book("peer", "default"), book("peer-strict", "strict")];
  const contacts: Contacts = {
    add: { ours: [], peer: [], peerStrict: [] },
    query: { ours: [], peer: [], peerCursor: [], found: 0 },
  };

  for (let batch = 0; batch < BATCHES; batch++) {
    const entries = made(batch);
    const [ours, added] = await timed(() => act<Rows<AddedEntry>>(core, "add_address_book", { entries }));
    const rows = added.results.map(stored);
    const [relaxed] = await timed(() => peer.contacts.bulkAdd(rows));
    const [durable] = await timed(() => strict.contacts.bulkAdd(rows));
    if (batch < WARM_UP) continue;
    contacts.add.ours.push(ours);
    contacts.add.peer.push(relaxed);
    contacts.add.peerStrict.push(durable);
  }

  const query = { query: WORD };
  for (let round = -WARM_UP; round < rounds; round++) {
    const [ours, { entries }] = await timed(() => act<GetAddressBookResult>(core, "get_address_book", query));
    const [whole, fromArray] = await timed(async () => (await peer.contacts.toArray()).filter(has).sort(byTitle));
    const [cursor, fromCursor] = await timed(async () => (await peer.contacts.filter(has).toArray()).sort(byTitle));
    same("contacts found in an array", entries.map(fields), fromArray.map(fields));
    same("contacts found by a cursor", entries.map(fields), fromCursor.map(fields));
    contacts.query.found = entries.length;
    if (round < 0) continue;
    contacts.query.ours.push(ours);
    contacts.query.peer.push(whole);
    contacts.query.peerCursor.push(cursor);
  }
  core.free();
  peer.close();
  strict.close();
  return contacts;
}

let actions = 0;

/** One action, as a page of the extension sends it. */
async function act<T>(core: Core, type: string, params: object): Promise<T> {
  const body = JSON.stringify({ actions: [{ id: `bench-${++actions}`, type, params, auto_execute: true }] });
  const reply: { body: string } = await core.handle("POST", "/api/actions", body);
  const answer = JSON.parse(reply.body) as { results: ActionResult[] };
  const result = answer.results[0];
  if (!result?.success) throw new Error(`${type}: ${JSON.stringify(answer).slice(0, 300)}`);
  return result.data as T;
}

/** The core needs only the web platform here. */
const host = {
  version: () => "bench",
  wakeAt: () => {},
  keepAlive: () => {},
  attention: () => {},
  summon: () => {},
  getSecret: () => Promise.resolve(undefined),
  setSecret: () => Promise.resolve(),
  // The harness has the whole core in one module.
  loadLater: () => Promise.resolve(),
};

/** Addresses are checked by the signer's module; it is loaded by the first contact, which is not timed. */
const signer = {
  keys: () => Promise.reject(new Error("contacts need no key")),
  async decode(request: string): Promise<string> {
    await startDecoder({ module_or_path: "signer.wasm" });
    return answerDecode(request);
  },
};

/** Contacts are no tools of a person's. */
const toolbox = { ask: () => Promise.reject(new Error("contacts need no toolbox")) };
const descriptors = { ask: () => Promise.reject(new Error("contacts need no descriptors")) };

function book(name: string, chromeTransactionDurability: IDBTransactionDurability): Book {
  const dexie = new Dexie(name, { chromeTransactionDurability }) as Book;
  dexie.version(1).stores({ contacts: "id" });
  return dexie;
}

const FIRST = ["Ada", "Bela", "Chen", "Dana", "Emre", "Fatou", "Goran", "Hana", "Ivo", "Jun", "Kofi", "Lena", "Mira"];
const LAST = ["Abe", "Berg", "Cruz", "Diaz", "Eze", "Fox", "Gomez", "Haas", "Ito", "Jung", "Khan", "Lund", "Mori", "Novak"];
const CHAINS = ["Ethereum", "Arbitrum", "Base", "Polygon", "Optimism"];

/** One name in a hundred matches the search. */
function made(batch: number): { title: string; address: string; chain: string }[] {
  const random = pseudoRandom(batch + 1);
  const pick = (list: string[]): string => list[Math.floor(random() * list.length)] ?? "";
  return Array.from({ length: BATCH }, (_, index) => ({
    title: `${random() < 0.01 ? "Mira" : pick(FIRST.slice(0, -1))} ${pick(LAST)} ${batch * BATCH + index}`,
    address: `0x${Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join("")}`,
    chain: pick(CHAINS),
  }));
}

function stored({ id, title, address, chain }: AddedEntry): Entry {
  if (!id || !title || !address || !chain) throw new Error(`an entry was not added: ${title ?? ""}`);
  return { id, title, address, chain, chain_kind: "evm", added_by: { kind: "user" }, confirmed: true };
}

const has = ({ title, address }: Entry): boolean =>
  title.toLowerCase().includes(WORD) || address.toLowerCase().includes(WORD);

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byTitle = (a: Entry, b: Entry): number =>
  order(a.title.toLowerCase(), b.title.toLowerCase()) || order(a.title, b.title) || order(a.id, b.id);

const fields = ({ id, title, address, chain }: Entry): string[] => [id, title, address, chain];
