/**
 * The list of prices of a data dir: the shipped one, with what its operator has put over it.
 *
 * @module
 */

import { join } from "node:path";
import { ifThere } from "../files/if_there.ts";
import { syncFile, syncFolder } from "../files/place_new_file.ts";
import {
  LIST_CURRENCY,
  type PriceList,
  type PriceRow,
  withOwnRows,
} from "../vendors/price_list.ts";

const FILE = "prices.json";

export class PriceBook {
  readonly #dataDir: string;
  #own: readonly PriceRow[];
  #current: Promise<PriceList> | undefined;
  /** Why the operator's rows could not be read, so that the shipped ones hold; `undefined` where they hold. */
  readonly trouble: string | undefined;

  constructor(dataDir: string, own: readonly PriceRow[], trouble?: string) {
    this.#dataDir = dataDir;
    this.#own = own;
    this.trouble = trouble;
  }

  /** The prices now. */
  current(): Promise<PriceList> {
    return this.#current ??= withOwnRows(this.#own);
  }

  /**
   * What it would be with further rows of the operator's, in the place of those of the same models; with
   * `replace`, in the place of all of them.
   */
  with(rows: readonly PriceRow[], { replace }: { readonly replace: boolean }): Promise<PriceList> {
    return withOwnRows(replace ? rows : this.#joined(rows));
  }

  /** Puts rows over those that there are, once they are on the disk. */
  async put(
    rows: readonly PriceRow[],
    { replace }: { readonly replace: boolean },
  ): Promise<void> {
    const own = replace ? rows : this.#joined(rows);
    const file = join(this.#dataDir, FILE);
    const part = `${file}.part`;
    const text = JSON.stringify({ currency: LIST_CURRENCY, rows: own }, null, 2);
    await Deno.writeTextFile(part, `${text}\n`, { mode: 0o600 });
    await syncFile(part);
    await Deno.rename(part, file);
    await syncFolder(this.#dataDir);
    this.#own = own;
    this.#current = undefined;
  }

  #joined(rows: readonly PriceRow[]): readonly PriceRow[] {
    const idOf = ({ vendor, model }: PriceRow) => JSON.stringify([vendor, model]);
    const ids = new Set(rows.map(idOf));
    return [...this.#own.filter((row) => !ids.has(idOf(row))), ...rows];
  }
}

/** Opens the prices of a data dir. What of them cannot be read is told, and keeps nobody from serving. */
export async function openPriceBook(dataDir: string): Promise<PriceBook> {
  const file = join(dataDir, FILE);
  const text = await ifThere(Deno.readTextFile(file));
  if (text === undefined) return new PriceBook(dataDir, []);
  const trouble = (why: string) =>
    new PriceBook(dataDir, [], `${file} is not read, and the shipped prices hold: ${why}`);
  try {
    const { priceTableSchema } = await import("./price_table_schema.ts");
    const read = priceTableSchema.safeParse(JSON.parse(text));
    return read.success
      ? new PriceBook(dataDir, read.data.rows as readonly PriceRow[])
      : trouble(`it is no list of prices. Put one over it with tollgate prices update`);
  } catch (error) {
    if (error instanceof SyntaxError) return trouble("it is no JSON");
    throw error;
  }
}
