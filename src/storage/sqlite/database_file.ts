/**
 * Looks at a database file without changing a byte of it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseFile, InspectOptions } from "../ports/maintenance.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";

/** `PRAGMA application_id` of our files: "TGAT". */
export const APPLICATION_ID = 0x54474154;

/** SQLite's file format, section 1.3: the header and the first of its strings. */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";

/** A file up to this size is checked page by page at every start: about 0.2 s. */
const QUICK_CHECK_MAX_BYTES = 250 * 1024 * 1024;

/** How a page check begins what it found: with the name of the only database there is. */
const SCHEMA_LINE = /^\*\*\* in database main \*\*\*\s*/;

/**
 * Examines the file and refuses one that is damaged or not ours. A missing or
 * empty file is a database of version 0.
 *
 * @throws {StorageOpenError} If the file is junk, truncated, damaged or another program's.
 */
export function inspectDatabaseFile(
  path: string,
  options: InspectOptions = {},
): Omit<DatabaseFile, "isCurrent"> {
  if (!existsSync(path)) return { schemaVersion: 0, bytes: 0 };
  const bytes = statSync(path).size;
  try {
    if (bytes === 0 && hasContent(`${path}-wal`)) {
      throw new Refusal("it is truncated to nothing, and its log is not");
    }
    if (bytes === 0) return { schemaVersion: 0, bytes };
    checkHeader(path, bytes);
    const { pages = bytes <= QUICK_CHECK_MAX_BYTES ? "quick" : "none" } = options;
    return { schemaVersion: inspectContent(path, pages), bytes };
  } catch (cause) {
    const { remedy = "restore a backup in its place or move it away" } = options;
    if (!(cause instanceof Refusal)) throw cause;
    throw new StorageOpenError(
      `Cannot open the database ${path}: ${cause.message}. Nothing was changed; ${remedy}`,
      { cause: cause.cause ?? cause },
    );
  }
}

/** Why a file is refused, before it is said what to do. */
class Refusal extends Error {}

function checkHeader(path: string, bytes: number): void {
  const header = readHeader(path);
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw new Refusal("it is not an SQLite database");
  }
  // While a write-ahead log has content, the header may be ahead of the file.
  if (hasContent(`${path}-wal`)) return;
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const expected = header.readUInt32BE(28) * pageSize;
  if (bytes < expected) {
    throw new Refusal(`it is truncated, with ${bytes} of ${expected} bytes`);
  }
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  return header;
}

function hasContent(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

/** Reads through a connection that cannot write, so that not even its log is merged. */
function inspectContent(path: string, pages: NonNullable<InspectOptions["pages"]>): number {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const applicationId = readPragma(database, "application_id");
    const schemaVersion = readPragma(database, "user_version");
    const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()!.n;
    if (tables !== 0 && applicationId !== APPLICATION_ID) {
      throw new Refusal("it belongs to another program");
    }
    const fault = pages === "none" ? undefined : pagesFault(database, pages);
    if (fault !== undefined) throw new Refusal(`it is damaged: ${fault}`);
    return schemaVersion;
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal(oneLine((cause as Error).message), { cause });
  } finally {
    database?.close();
  }
}

/** What is wrong with the first page that is damaged, in one line; `undefined` when none is. */
export function pagesFault(database: DatabaseSync, pages: "quick" | "full"): string | undefined {
  const name = pages === "full" ? "integrity_check" : "quick_check";
  const found = database.prepare(`PRAGMA ${name}(1)`).get()![name] as string;
  return found === "ok" ? undefined : oneLine(found.replace(SCHEMA_LINE, ""));
}

function readPragma(database: DatabaseSync, name: "application_id" | "user_version"): number {
  return database.prepare(`PRAGMA ${name}`).get()![name] as number;
}

/** A message of SQLite's. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, "; ");
}
