/**
 * Uploaded files that rows tell of, files that none does, and what becomes of these when a database
 * is restored that does not know them.
 *
 * @module
 */

import { existsSync } from "node:fs";
import type { UploadedFile } from "../../domain/uploaded_file.ts";
import { linkOrCopy } from "../../files/link_or_copy.ts";
import { syncFolder } from "../../files/place_new_file.ts";
import type { BatchStore, UploadStore } from "../../storage/ports/storage.ts";
import type { UploadFiles } from "../../uploads/upload_files.ts";

const SLICE = 500;

/** Every file that is kept, in order of creation. */
export async function* keptUploads(
  uploads: Pick<UploadStore, "slice">,
): AsyncGenerator<UploadedFile> {
  let after: string | undefined;
  for (;;) {
    const files = await uploads.slice(after, SLICE);
    yield* files;
    if (files.length < SLICE) return;
    after = files.at(-1)!.id;
  }
}

/** Ids of files in the folder that no row tells of, and that no batch is reading or writing. */
export async function unknownUploads(
  { uploads, batches }: {
    readonly uploads: Pick<UploadStore, "idsWithoutFile">;
    readonly batches: Pick<BatchStore, "open">;
  },
  files: UploadFiles,
): Promise<readonly string[]> {
  const open = await batches.open();
  const used = new Set(
    open.flatMap((batch) => [batch.inputFileId, batch.outputFileId, batch.errorFileId]),
  );
  const ids = (await Array.fromAsync(files.ids())).filter((id) => !used.has(id));
  const unknown: string[] = [];
  for (let first = 0; first < ids.length; first += SLICE) {
    unknown.push(...await uploads.idsWithoutFile(ids.slice(first, first + SLICE)));
  }
  return unknown;
}

/** Gives every file that a database does not know a second name in `folder`; says how many. */
export async function setUploadsAside(
  stores: Parameters<typeof unknownUploads>[0],
  { files, folder }: { readonly files: UploadFiles; readonly folder: string },
): Promise<number> {
  if (!existsSync(files.folder)) return 0;
  const unknown = await unknownUploads(stores, files);
  if (unknown.length === 0) return 0;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  for (const id of unknown) await linkOrCopy(files.pathOf(id), `${folder}/${id}`);
  await syncFolder(folder);
  return unknown.length;
}
