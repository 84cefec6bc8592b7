// Answers plain reads before the core is there: a small module makes the answer of rows, which are read here in one
// transaction, while the module is loaded where it is known what will be needed. What it leaves out, the core answers.

import { DATABASE_VERSION, FIRST_READS } from "../../generated/reads";
import type { Answer } from "./answer";

/** What is needed of the wasm module and its glue. */
export interface BootModule {
  /** Loads the module; again only if that failed. */
  start(): Promise<void>;
  needs(target: string): string | undefined;
  answer(target: string, usual: boolean, rows: string[]): string | undefined;
}

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
    const usual = method === "GET" && FIRST_READS.get(target.split("?", 1)[0] ?? "");
    if (!usual) return undefined;
    try {
      const database = await this.database();
      if (database?.version !== DATABASE_VERSION) return undefined;
      const [rows] = await Promise.all([read(database, usual), this.module.start()]);
      const body = this.module.answer(target, true, rows) ?? (await this.#readAgain(database, target, usual));
      return body === undefined ? undefined : { status: 200, body };
    } catch {
      // The core finds out what is wrong, and says so.
      return undefined;
    }
  }

  /** The answer of the rows that the target needs, where these are not the usual ones. */
  async #readAgain(database: IDBDatabase, target: string, usual: string): Promise<string | undefined> {
    const needs = this.module.needs(target);
    if (needs === undefined || needs === usual) return undefined;
    return this.module.answer(target, false, await read(database, needs));
  }
}

function parse(line: string): Need {
  const [table = "", key = "", most, otherwise] = line.split("\t");
  return { table, key, most: Number(most), otherwise: otherwise === "otherwise" };
}

/** The rows of each need as lines, all of one moment. */
async function read(database: IDBDatabase, lines: string): Promise<string[]> {
  const needs = lines.split("\n").slice(0, -1).map(parse);
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
