/**
 * Uploaded files.
 *
 * @module
 */

import type { UploadedFile } from "../../domain/uploaded_file.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import type { UploadPage } from "../ports/upload_pages.ts";
import type { ProjectBytes } from "../ports/video_pages.ts";
import { FILE } from "../rows/upload_row.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { given } from "./conditions.ts";
import { FileSums } from "./file_sums.ts";

const FILES = `SELECT ${FILE.names} FROM uploaded_files`;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresUploadStore implements Asynchronous<typeof STORES.uploads> {
  readonly #ask: Ask;
  /** What the files of projects take. */
  readonly sums: FileSums;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.sums = new FileSums(ask);
  }

  async find(fileId: string): Promise<UploadedFile | undefined> {
    return FILE.readIfAny(await this.#ask.get(`${FILES} WHERE id = ?`, fileId));
  }

  async list(
    { projectId, purpose, order, after, limit }: UploadPage,
  ): Promise<readonly UploadedFile[]> {
    const first = order === "asc" ? 0 : Number.MAX_SAFE_INTEGER;
    const place = after === undefined ? undefined : await this.#ask.get(
      "SELECT place FROM uploaded_files WHERE id = ?",
      after,
    );
    const from = (place?.place ?? first) as number;
    const conditions = given(
      ["project_id = ?", projectId],
      ["purpose = ?", projectId === undefined ? undefined : purpose],
      [order === "asc" ? "place > ?" : "place < ?", from],
    );
    const rows = await this.#ask.all(
      `${FILES} WHERE ${conditions.sql} ORDER BY place ${order === "asc" ? "ASC" : "DESC"} LIMIT ?`,
      ...conditions.values,
      limit,
    );
    return toFiles(rows);
  }

  async slice(after: string | undefined, limit: number): Promise<readonly UploadedFile[]> {
    return toFiles(
      await this.#ask.all(
        `${FILES} WHERE place > coalesce((SELECT place FROM uploaded_files WHERE id = ?), 0)
         ORDER BY place LIMIT ?`,
        after ?? "",
        limit,
      ),
    );
  }

  async idsWithoutFile(ids: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#ask.all(
      "SELECT id FROM uploaded_files WHERE id = ANY(?) AND object_key IS NULL",
      ids,
    );
    const found = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !found.has(id));
  }

  async expired(untilMs: number, limit: number): Promise<readonly UploadedFile[]> {
    return toFiles(
      await this.#ask.all(
        `${FILES} WHERE expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
        untilMs,
        limit,
      ),
    );
  }

  async keptBytes(): Promise<readonly ProjectBytes[]> {
    const rows = await this.#ask.all(
      `SELECT project_id AS "projectId", sum(bytes) AS bytes FROM uploaded_files
       GROUP BY project_id ORDER BY project_id`,
    );
    return rows as unknown as readonly ProjectBytes[];
  }

  /** Adds a file. Rejects when its id exists. */
  async insert(file: UploadedFile): Promise<void> {
    await this.#ask.run(FILE.insertInto("uploaded_files"), ...FILE.values(file));
  }

  /** Removes a file; says whether there was one. */
  async delete(fileId: string): Promise<boolean> {
    const row = await this.#ask.get(
      "DELETE FROM uploaded_files WHERE id = ? RETURNING project_id, bytes, place",
      fileId,
    );
    if (row === undefined) return false;
    const { project_id, bytes, place } = row;
    this.sums.subtract(project_id as string, { bytes: Number(bytes), place: Number(place) });
    return true;
  }
}

function toFiles(rows: readonly AskedRow[]): UploadedFile[] {
  return rows.map((row) => FILE.read(row));
}
