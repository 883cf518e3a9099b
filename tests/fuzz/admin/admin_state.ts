/**
 * What administration can change, as it is stored: to see that a refused request has changed none of
 * it.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** Sums that are written after what they are of, and how far they are, whoever asks meanwhile. */
const WRITTEN_LATER = new Set([
  "usage_hourly",
  "usage_daily",
  "detail_hourly",
  "spend_hourly",
  "meta",
]);
/** That somebody has asked at all is noted, whatever he is answered; balances follow what goes on. */
const LEFT_OUT = new Set(["last_used_at", "avail_e8", "held_e8"]);
/** Of the ledger what administration writes into it. */
const ROWS: Readonly<Record<string, string>> = { ledger: "WHERE kind = 'credit'" };
/** What goes on by itself once it is there: only which ones there are is looked at. */
const GO_ON = new Set([
  "calls",
  "video_tasks",
  "webhook_messages",
  "batches",
  "batch_lines",
  "spend_states",
  "kept_bytes",
]);
/** In the data dir, beside the database, what comes and goes by itself. */
const FILES_OF_OTHERS = /-wal$|-shm$|^alerts\.json|\.part$/;

type Digest = ReadonlyMap<string, string>;

/** `using` ends it. */
export class AdminState implements Disposable {
  readonly #dataDir: string;
  readonly #database: DatabaseSync;
  #version: number;
  #digest: Digest;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#database = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
    this.#database.exec("PRAGMA busy_timeout = 5000");
    this.#version = this.#readVersion();
    this.#digest = this.#read();
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** What has changed since the last look: tables and files, by their names. */
  changes(): readonly string[] {
    const version = this.#readVersion();
    if (version === this.#version && this.#files() === this.#digest.get("files")) return [];
    this.#version = version;
    const before = this.#digest;
    this.#digest = this.#read();
    return [...this.#digest].filter(([name, now]) => before.get(name) !== now)
      .map(([name, now]) => name === "files" ? `${before.get(name)} to ${now}` : name);
  }

  /** Another one after every commit of somebody else. */
  #readVersion(): number {
    return Number(this.#database.prepare("PRAGMA data_version").get()!.data_version);
  }

  #read(): Digest {
    const tables = this.#database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all().map(({ name }) => String(name)).filter((name) => !WRITTEN_LATER.has(name));
    const digest = new Map(tables.map((table) => {
      const columns = this.#columnsOf(table);
      const rows = this.#database.prepare(`SELECT ${columns} FROM "${table}" ${ROWS[table] ?? ""}`)
        .all();
      return [table, JSON.stringify(rows, textOf)];
    }));
    return digest.set("files", this.#files());
  }

  #columnsOf(table: string): string {
    const columns = this.#database.prepare(`PRAGMA table_info("${table}")`).all()
      .filter(({ name, pk }) =>
        !LEFT_OUT.has(String(name)) && (Number(pk) > 0 || !GO_ON.has(table))
      )
      .map(({ name }) => `"${name}"`);
    return columns.length === 0 ? "count(*)" : columns.join(", ");
  }

  #files(): string {
    return [...Deno.readDirSync(this.#dataDir)].map(({ name }) => name)
      .filter((name) => !FILES_OF_OTHERS.test(name)).sort().join(", ");
  }
}

function textOf(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
