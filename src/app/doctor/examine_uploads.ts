/**
 * Uploaded files: those that rows tell of and the folder lacks, and the other way round.
 *
 * @module
 */

import { existsSync } from "node:fs";
import type { BatchStore, UploadStore } from "../../storage/ports/storage.ts";
import { ifThere } from "../../files/if_there.ts";
import { UploadFiles } from "../../uploads/upload_files.ts";
import { keptUploads, unknownUploads } from "../backups/kept_uploads.ts";
import { type Finding, listed, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

const CHECK = "uploads";

/** Of a database that is looked at. */
interface Stores {
  readonly uploads: UploadStore;
  readonly batches: Pick<BatchStore, "open">;
}

interface Misfits {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  readonly files: number;
}

/**
 * Compares rows with files. Of what seems wrong only that counts which is wrong again with what
 * `reopened` reads: a server makes and removes files meanwhile.
 */
export async function examineUploads(
  { dataDir, server }: Patient,
  stores: Stores,
  reopened: () => Promise<Stores>,
): Promise<readonly Finding[]> {
  const folder = new UploadFiles(`${dataDir}/files`);
  let { missing, unknown, files } = await compare(stores, folder);
  if (server !== undefined && missing.length + unknown.length > 0) {
    const again = await compare(await reopened(), folder);
    missing = missing.filter((id) => again.missing.includes(id));
    unknown = unknown.filter((id) => again.unknown.includes(id));
    files = again.files;
  }
  if (missing.length + unknown.length === 0) return [ok(CHECK, `${files} kept, none missing`)];
  return [
    ...(missing.length === 0 ? [] : [
      warning(
        CHECK,
        `${missing.length} missing or cut short in ${folder.folder}: ${listed(missing, 3)}`,
        "Copy them there from a copy of that folder; whoever asks is told that they are gone",
      ),
    ]),
    ...(unknown.length === 0 ? [] : [
      warning(
        CHECK,
        `${unknown.length} in ${folder.folder} that no row tells of: ${listed(unknown, 3)}`,
        "Copy them elsewhere if you need them: the next start removes them",
      ),
    ]),
  ];
}

async function compare(stores: Stores, folder: UploadFiles): Promise<Misfits> {
  const missing: string[] = [];
  let files = 0;
  for await (const { id, bytes, objectKey } of keptUploads(stores.uploads)) {
    // The bucket is looked at elsewhere.
    if (objectKey !== undefined) continue;
    files++;
    if ((await ifThere(Deno.stat(folder.pathOf(id))))?.size !== bytes) missing.push(id);
  }
  const unknown = existsSync(folder.folder) ? await unknownUploads(stores, folder) : [];
  return { missing, unknown, files };
}
