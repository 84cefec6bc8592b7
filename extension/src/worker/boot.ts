// Answers plain reads before the core is there: a small module makes the answer of rows, which are read here in one
// transaction. What it leaves out, the core answers.

import type { Answer } from "./answer";

/** What is needed of the wasm module and its glue. */
export interface BootModule {
  /** Loads the module; again only if that failed. */
  start(): Promise<void>;
  version(): number;
  needs(target: string): string | undefined;
  answer(target: string, rows: string[]): string | undefined;
}

/** What is worth asking the module for; for everything else the core is opened at once. */
const PATHS = new Set(["/api/contacts", "/api/conversations", "/api/prompts"]);

/** One row, or all of a table in order of keys. */
interface Need {
  table: string;
  key: string;
  most: number;
  /** Whether it is read only where the need before found nothing. */
  otherwise: boolean;
}

export class BootReader {
  constructor(
    private readonly module: BootModule,
    /** The database as it is; nothing if there is none. */
    private readonly database: () => Promise<IDBDatabase | undefined>,
  ) {}

  /** Nothing if the request is not a plain read, or cannot be answered from rows. */
  async answer(method: string, target: string): Promise<Answer | undefined> {
    if (method !== "GET" || !PATHS.has(target.split("?", 1)[0] ?? "")) return undefined;
    try {
      const [database] = await Promise.all([this.database(), this.module.start()]);
      const needs = this.module.needs(target);
      if (needs === undefined || database?.version !== this.module.version()) return undefined;
      const body = this.module.answer(target, await read(database, needs.split("\n").slice(0, -1).map(parse)));
      return body === undefined ? undefined : { status: 200, body };
    } catch {
      // The core finds out what is wrong, and says so.
      return undefined;
    }
  }
}

function parse(line: string): Need {
  const [table = "", key = "", most, otherwise] = line.split("\t");
  return { table, key, most: Number(most), otherwise: otherwise === "otherwise" };
}

/** The rows of each need as lines, all of one moment. */
async function read(database: IDBDatabase, needs: Need[]): Promise<string[]> {
  const transaction = database.transaction([...new Set(needs.map(({ table }) => table))], "readonly");
  const found: string[] = [];
  for (const { table, key, most, otherwise } of needs) {
    const store = transaction.objectStore(table);
    if (otherwise && found.at(-1) !== "") found.push("");
    else if (key !== "") found.push((await done<string | undefined>(store.get(key))) ?? "");
    else found.push((await done<string[]>(store.getAll(undefined, most))).join("\n"));
  }
  return found;
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the row cannot be read"));
  });
}
