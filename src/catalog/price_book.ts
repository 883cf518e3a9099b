/**
 * The list of prices of a data dir or a database: the shipped one, with what its operator has put over it.
 *
 * @module
 */

import {
  LIST_CURRENCY,
  type PriceList,
  type PriceRow,
  withOwnRows,
} from "../vendors/price_list.ts";
import type { OwnRows } from "./own_rows.ts";

/** The operator's rows as they were read. */
interface Read {
  readonly text: string | undefined;
  readonly rows: readonly PriceRow[];
  readonly list: Promise<PriceList>;
  readonly trouble: string | undefined;
}

export class PriceBook {
  readonly #kept: OwnRows;
  #read: Read;

  /** @param read What is kept as the book begins. */
  private constructor(kept: OwnRows, read: Read) {
    this.#kept = kept;
    this.#read = read;
  }

  /** Opens it. What of the rows cannot be read is told, and keeps nobody from serving. */
  static async open(kept: OwnRows): Promise<PriceBook> {
    return new PriceBook(kept, await readRows(kept, await kept.read()));
  }

  /** Why the operator's rows could not be read, so that the shipped ones hold; `undefined` where they hold. */
  get trouble(): string | undefined {
    return this.#read.trouble;
  }

  /** The prices now. */
  async current(): Promise<PriceList> {
    return await (await this.#newest()).list;
  }

  /**
   * What it would be with further rows of the operator's, in the place of those of the same models; with
   * `replace`, in the place of all of them.
   */
  async with(
    rows: readonly PriceRow[],
    { replace }: { readonly replace: boolean },
  ): Promise<PriceList> {
    return await withOwnRows(replace ? rows : joined((await this.#newest()).rows, rows));
  }

  /** Puts rows over those that there are, once they are there to stay. */
  async put(
    rows: readonly PriceRow[],
    { replace }: { readonly replace: boolean },
  ): Promise<void> {
    for (;;) {
      const before = await this.#newest();
      const own = replace ? rows : joined(before.rows, rows);
      const text = JSON.stringify({ currency: LIST_CURRENCY, rows: own }, null, 2) + "\n";
      if (!await this.#kept.write(text, before.text)) continue;
      this.#read = readAs(text, own);
      return;
    }
  }

  /** Another process may have put others. */
  async #newest(): Promise<Read> {
    const text = await this.#kept.read();
    if (text !== this.#read.text) this.#read = await readRows(this.#kept, text);
    return this.#read;
  }
}

/** Rows, with others in the place of those of the same models, or behind them. */
function joined(own: readonly PriceRow[], rows: readonly PriceRow[]): readonly PriceRow[] {
  const idOf = ({ vendor, model }: PriceRow) => JSON.stringify([vendor, model]);
  const ids = new Set(rows.map(idOf));
  return [...own.filter((row) => !ids.has(idOf(row))), ...rows];
}

async function readRows({ place }: OwnRows, text: string | undefined): Promise<Read> {
  if (text === undefined) return readAs(text, []);
  const trouble = (why: string) =>
    readAs(text, [], `${place} is not read, and the shipped prices hold: ${why}`);
  try {
    const { priceTableSchema } = await import("./price_table_schema.ts");
    const read = priceTableSchema.safeParse(JSON.parse(text));
    return read.success
      ? readAs(text, read.data.rows as readonly PriceRow[])
      : trouble("it is no list of prices. Put one over it with tollgate prices update");
  } catch (error) {
    if (error instanceof SyntaxError) return trouble("it is no JSON");
    throw error;
  }
}

function readAs(text: string | undefined, rows: readonly PriceRow[], trouble?: string): Read {
  let list: Promise<PriceList> | undefined;
  return {
    text,
    rows,
    trouble,
    get list() {
      // A start that needs no prices does not make the list.
      return list ??= withOwnRows(rows);
    },
  };
}
