/**
 * Uploaded files as rows.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { UploadedFile } from "../../domain/uploaded_file.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import type { UploadPage } from "../ports/upload_pages.ts";
import { prepareAll } from "./statements.ts";
import type { ProjectBytes } from "../ports/video_pages.ts";
import { FILE } from "../rows/upload_row.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteUploadStore implements Synchronous<typeof STORES.uploads> {
  readonly #sql;

  constructor(database: DatabaseSync) {
    const select = `SELECT ${FILE.names} FROM uploaded_files`;
    const page = (index: string, wanted: string, order: "asc" | "desc") =>
      `${select} INDEXED BY ${index} WHERE ${wanted}
        AND place ${order === "asc" ? ">" : "<"} ? ORDER BY place ${order} LIMIT ?`;
    const ofProject = (order: "asc" | "desc") =>
      page("uploaded_files_by_project", "project_id = ?", order);
    const ofPurpose = (order: "asc" | "desc") =>
      page("uploaded_files_by_purpose", "project_id = ? AND purpose = ?", order);
    this.#sql = prepareAll(database, {
      find: `${select} WHERE id = ?`,
      place: "SELECT place FROM uploaded_files WHERE id = ?",
      inDataDir: "SELECT 1 FROM uploaded_files WHERE id = ? AND object_key IS NULL",
      all_asc: ofProject("asc"),
      all_desc: ofProject("desc"),
      purpose_asc: ofPurpose("asc"),
      purpose_desc: ofPurpose("desc"),
      any_asc: `${select} NOT INDEXED WHERE place > ? ORDER BY place LIMIT ?`,
      any_desc: `${select} NOT INDEXED WHERE place < ? ORDER BY place DESC LIMIT ?`,
      slice: `${select} WHERE place > coalesce((SELECT place FROM uploaded_files WHERE id = ?), 0)
        ORDER BY place LIMIT ?`,
      expired: `${select} INDEXED BY uploaded_files_expiry
        WHERE expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
      keptBytes: `SELECT project_id AS "projectId", sum(bytes) AS bytes FROM uploaded_files
        INDEXED BY uploaded_files_by_project GROUP BY project_id`,
      insert: FILE.insertInto("uploaded_files"),
      delete: "DELETE FROM uploaded_files WHERE id = ?",
    });
  }

  find(fileId: string): UploadedFile | undefined {
    return FILE.readIfAny(this.#sql.find.get(fileId));
  }

  list({ projectId, purpose, order, after, limit }: UploadPage): readonly UploadedFile[] {
    const first = order === "asc" ? 0 : Number.MAX_SAFE_INTEGER;
    const from =
      (after === undefined ? first : this.#sql.place.get(after)?.place ?? first) as number;
    const rows = projectId === undefined
      ? this.#sql[`any_${order}`].all(from, limit)
      : purpose === undefined
      ? this.#sql[`all_${order}`].all(projectId, from, limit)
      : this.#sql[`purpose_${order}`].all(projectId, purpose, from, limit);
    return rows.map((row) => FILE.read(row));
  }

  slice(after: string | undefined, limit: number): readonly UploadedFile[] {
    return this.#sql.slice.all(after ?? "", limit).map((row) => FILE.read(row));
  }

  idsWithoutFile(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => this.#sql.inDataDir.get(id) === undefined);
  }

  expired(untilMs: number, limit: number): readonly UploadedFile[] {
    return this.#sql.expired.all(untilMs, limit).map((row) => FILE.read(row));
  }

  keptBytes(): readonly ProjectBytes[] {
    return (this.#sql.keptBytes.all() as unknown as ProjectBytes[])
      .map(({ projectId, bytes }) => ({ projectId, bytes }));
  }

  /** Adds a file. Throws when its id exists. */
  insert(file: UploadedFile): void {
    this.#sql.insert.run(...FILE.values(file));
  }

  /** Removes a file; says whether there was one. */
  delete(fileId: string): boolean {
    return this.#sql.delete.run(fileId).changes === 1;
  }
}
