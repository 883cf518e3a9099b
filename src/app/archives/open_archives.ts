/**
 * Archives of the database that a process has, a file's or a server's.
 *
 * @module
 */

import type { Storage } from "../../storage/ports/storage.ts";
import { Archives, type ArchivesOptions } from "./archives.ts";
import type { ServerArchives } from "./server_archives.ts";

/** What only a server's needs is loaded where there is one. */
export async function openArchives(
  dataDir: string,
  { storage, ...options }: ArchivesOptions & { readonly storage: Pick<Storage, "seals"> },
): Promise<Archives | ServerArchives> {
  const { seals } = storage;
  if (seals === undefined) return new Archives(dataDir, options);
  const { ServerArchives } = await import("./server_archives.ts");
  const { clock, reserve, onDamage } = options;
  return new ServerArchives(dataDir, { seals, clock, reserve, onDamage });
}
