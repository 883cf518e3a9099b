/**
 * Files of all projects, uploaded or made by batches, as an operator sees them.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import type { AuditFields } from "../domain/audit.ts";
import type { UploadedFile } from "../domain/uploaded_file.ts";
import { FILE_ID } from "../domain/uploaded_file.ts";
import { GatewayError } from "../errors.ts";
import { deletedAnswer, shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { noteOf } from "./base/commit_change.ts";
import type { AdminDeps } from "./base/deps.ts";
import { defineOperation } from "./base/operation.ts";
import { goneCursor, pageAnswer, pageFields, pageOf } from "./base/page.ts";
import { shownPath } from "./base/shown_path.ts";
import { heldToOwn, heldToProject } from "./accounts/own_project.ts";
import { projectField, requireProject } from "./accounts/projects.ts";

const shownFile = z.object({
  id: z.string(),
  project: z.string(),
  purpose: z.string().describe("Its sender's word for it; batch_output of what a batch has made"),
  filename: z.string().describe("As its sender calls it"),
  bytes: shownCount,
  sha256: z.string(),
  created_at: shownTime,
  expires_at: shownTime.nullable().describe("When it is removed; null for never"),
  read_by: z.array(z.string()).describe("Batches that read it and have not ended"),
});

export type FileRow = Shown<typeof shownFile>;

/** A file with where it lies. */
const fileDetails = shownFile.extend({
  path: z.string().describe("Where its bytes are: to viewers and members the name alone"),
});

export type FileDetails = Shown<typeof fileDetails>;

const byFile = z.strictObject({
  file_id: z.string().min(1).max(100).describe("id of the file"),
});

export const listFiles = defineOperation({
  name: "files.list",
  method: "GET",
  path: "/files",
  role: "viewer",
  summary: "List uploaded files and those that batches have made, newest first.",
  input: z.strictObject({
    ...pageFields,
    project: projectField.optional().describe("only this project's"),
  }),
  output: pageAnswer(shownFile),
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, { project, limit, after }) {
    const { uploads } = deps.storage;
    if (project !== undefined) requireProject(deps, project);
    if (after !== undefined) {
      const last = FILE_ID.test(after) ? await uploads.find(after) : undefined;
      const isThere = project === undefined || last?.projectId === project;
      if (last === undefined || !isThere) throw goneCursor("file", after);
    }
    const files = await uploads.list({
      projectId: project,
      purpose: undefined,
      order: "desc",
      after,
      limit: limit + 1,
    });
    const readers = await readersOf(deps);
    return pageOf(files.map((file) => fileRow(file, readers)), { limit, idOf: ({ id }) => id });
  },
});

export const showFile = defineOperation({
  name: "files.show",
  method: "GET",
  path: "/files/{file_id}",
  role: "viewer",
  summary: "Show a file, and which batches read it.",
  input: byFile,
  output: fileDetails,
  errors: ["not_found"],
  heldTo: heldToOwnFile,
  async run(deps, { file_id }) {
    const file = await requireFile(deps, file_id);
    return {
      ...fileRow(file, await readersOf(deps)),
      path: shownPath(deps.origin, deps.uploads.placeOf(file)),
    };
  },
});

export const deleteFile = defineOperation({
  name: "files.delete",
  method: "DELETE",
  path: "/files/{file_id}",
  role: "operator",
  changes: "file",
  summary: "Delete a file; one that a batch still reads is refused.",
  input: byFile,
  output: deletedAnswer,
  errors: ["not_found", "conflict"],
  heldTo: heldToOwnFile,
  async run(deps, { file_id }) {
    const file = await requireFile(deps, file_id);
    const row = fileRow(file, await readersOf(deps));
    refuseWhileRead(row);
    const note = noteOf(deps, { id: file.id, before: audited(row) });
    if (await deps.uploads.removeNoted(file, note) === "missing") throw noFile(file_id);
    return { id: file.id, deleted: true as const };
  },
});

/**
 * Its own caller may delete it at any time; nobody else takes it from a batch that would read it
 * again after the next start, and fail.
 */
function refuseWhileRead({ id, read_by: [batch, ...others] }: FileRow): void {
  if (batch === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new GatewayError(
    "conflict",
    `File ${id} is read by ${batch}${more}, which would fail without it at the next start: wait ` +
      `until that has ended, or end it with \`tollgate batches cancel ${batch}\``,
  );
}

/** Batches that have not ended, by the file that they read. */
async function readersOf(
  { storage }: Pick<AdminDeps, "storage">,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const readers = new Map<string, string[]>();
  for (const { id, inputFileId } of await storage.batches.open()) {
    const those = readers.get(inputFileId);
    if (those === undefined) readers.set(inputFileId, [id]);
    else those.push(id);
  }
  return readers;
}

async function requireFile({ storage }: AdminDeps, id: string): Promise<UploadedFile> {
  const file = FILE_ID.test(id) ? await storage.uploads.find(id) : undefined;
  if (file === undefined) throw noFile(id);
  return file;
}

async function heldToOwnFile<Input extends z.output<typeof byFile>>(
  project: string,
  input: Input,
  { storage }: AdminDeps,
): Promise<Input> {
  const { file_id: id } = input;
  const of = FILE_ID.test(id) ? (await storage.uploads.find(id))?.projectId : undefined;
  return heldToOwn(input, { of, project, missing: () => noFile(id) });
}

/** A file for the audit log. */
function audited({ id: _id, read_by: _readers, ...fields }: FileRow): AuditFields {
  return fields;
}

function noFile(id: string): GatewayError {
  return new GatewayError("not_found", `There is no file '${id}': see \`tollgate files list\``);
}

function fileRow(
  { id, projectId, purpose, filename, bytes, sha256, createdAt, expiresAt }: UploadedFile,
  readers: ReadonlyMap<string, readonly string[]>,
): FileRow {
  return {
    id,
    project: projectId,
    purpose,
    filename,
    bytes,
    sha256,
    created_at: timeToJson(createdAt),
    expires_at: timeToJson(expiresAt),
    read_by: readers.get(id) ?? [],
  };
}
