/**
 * The two files that a batch writes: answers and errors. What is written holds for good once the
 * batch's row says so; what a crash left behind that is written again.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Batch, BatchLine } from "../domain/batch.ts";
import { FILE_ID, type UploadedFile } from "../domain/uploaded_file.ts";
import { ifThere } from "../files/if_there.ts";
import { syncFolder } from "../files/place_new_file.ts";

/** Which of the two. */
export type BatchFileKind = "output" | "error";

/** How long what batches make is kept where they do not say: as OpenAI has it. */
const KEPT_MS = 30 * 86_400_000;
const PIECE_BYTES = 256 * 1024;
const encoder = new TextEncoder();

/** Bytes of both files. */
export type WrittenBytes = Pick<Batch, "outputBytes" | "errorBytes">;

/**
 * Appends lines to their files behind what holds of these, synced.
 *
 * @returns Bytes of the files then.
 * @throws What the disk says; the files are as they were for whoever reads the batch's row.
 */
export async function appendLines(
  folder: string,
  batch: Batch,
  lines: readonly Pick<BatchLine, "isFailed" | "text">[],
): Promise<WrittenBytes> {
  const texts = { output: "", error: "" };
  for (const { isFailed, text } of lines) texts[isFailed ? "error" : "output"] += `${text}\n`;
  return {
    outputBytes: await append(pathOf(folder, batch.outputFileId), batch.outputBytes, texts.output),
    errorBytes: await append(pathOf(folder, batch.errorFileId), batch.errorBytes, texts.error),
  };
}

async function append(path: string, at: number, text: string): Promise<number> {
  if (text === "") return at;
  const bytes = encoder.encode(text);
  using file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  await file.truncate(at);
  await file.seek(at, Deno.SeekMode.Start);
  for (let from = 0; from < bytes.length;) from += await file.write(bytes.subarray(from));
  await file.sync();
  return at + bytes.length;
}

/** The files of a batch as callers ask for them, once they are whole; an empty one is none. */
export async function finishedFiles(
  folder: string,
  batch: Batch,
  at: number,
): Promise<readonly UploadedFile[]> {
  const files: UploadedFile[] = [];
  const kinds = [
    ["output", batch.outputFileId, batch.outputBytes],
    ["error", batch.errorFileId, batch.errorBytes],
  ] as const;
  for (const [kind, id, bytes] of kinds) {
    if (bytes === 0) continue;
    files.push({
      id,
      projectId: batch.projectId,
      purpose: "batch_output",
      filename: `${batch.id}_${kind}.jsonl`,
      bytes,
      sha256: await digest(pathOf(folder, id), bytes),
      createdAt: at,
      expiresAt: at + (batch.outputSeconds === undefined ? KEPT_MS : batch.outputSeconds * 1_000),
    });
  }
  await syncFolder(folder);
  return files;
}

/** Of so many bytes of a file; what is behind them goes. */
async function digest(path: string, bytes: number): Promise<string> {
  using file = await Deno.open(path, { read: true, write: true });
  await file.truncate(bytes);
  await file.sync();
  const hash = createHash("sha256");
  const piece = new Uint8Array(PIECE_BYTES);
  for (let count = await file.read(piece); count !== null; count = await file.read(piece)) {
    hash.update(piece.subarray(0, count));
  }
  return hash.digest("hex");
}

/** Removes what a batch has written that nobody will ask for. */
export async function removeFiles(folder: string, batch: Batch): Promise<void> {
  for (const id of [batch.outputFileId, batch.errorFileId]) {
    await ifThere(Deno.remove(pathOf(folder, id)));
  }
}

function pathOf(folder: string, fileId: string): string {
  if (!FILE_ID.test(fileId)) throw new TypeError(`Cannot name a file after '${fileId}'`);
  return `${folder}/${fileId}`;
}
