/**
 * Where the rows of prices are kept that an operator has put over the list: in a file of the data dir, or
 * in a database that several processes use.
 *
 * @module
 */

import { join } from "node:path";
import { ifThere } from "../files/if_there.ts";
import { syncFile, syncFolder } from "../files/place_new_file.ts";

/** What keeps them. */
export interface OwnRows {
  /** As an operator finds them. */
  readonly place: string;
  /** As JSON text; `undefined` where there are none. */
  read(): Promise<string | undefined>;
  /**
   * They are there to stay when this resolves.
   *
   * @param before What they are put over: where another process has put others meanwhile, nothing changes.
   * @returns Whether they were put.
   */
  write(text: string, before: string | undefined): Promise<boolean>;
}

/** In the file `prices.json` of a data dir. */
export function rowsInFile(dataDir: string): OwnRows {
  const place = join(dataDir, "prices.json");
  return {
    place,
    read: () => ifThere(Deno.readTextFile(place)),
    async write(text) {
      const part = `${place}.part`;
      await Deno.writeTextFile(part, text, { mode: 0o600 });
      await syncFile(part);
      await Deno.rename(part, place);
      await syncFolder(dataDir);
      // This process has the data dir.
      return true;
    },
  };
}

/**
 * In a database, where a data dir that had them in its file puts them at its first start.
 *
 * @param options.takesFile Whether what is in the file may be put there.
 */
export async function rowsInDatabase(
  shared: Pick<OwnRows, "read" | "write">,
  { dataDir, takesFile }: { readonly dataDir: string; readonly takesFile: boolean },
): Promise<OwnRows> {
  if (takesFile && await shared.read() === undefined) {
    const before = await rowsInFile(dataDir).read();
    // Whoever comes first.
    if (before !== undefined) await shared.write(before, undefined);
  }
  return { ...shared, place: "the list of prices in the database" };
}
