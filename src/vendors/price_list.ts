/**
 * What vendors ask for their models: rows that come with the program, and an operator's own over them.
 * Reference for whoever writes routes; a route's own prices are what counts.
 *
 * @module
 */

/** A model's price, and what is known of it besides. */
export interface PriceRow {
  readonly vendor: string;
  /** Its name at the vendor. */
  readonly model: string;
  /** Further names that have its price: the beginning of one, and `*`. */
  readonly pattern?: string;
  /** What callers name it, where that is not its name at the vendor. */
  readonly logical?: string;
  /** Of model. */
  readonly kind: string;
  /** As a catalogue file has it. */
  readonly cost: { readonly [rate: string]: unknown };
  /** What is known of it, as a catalogue file has it. */
  readonly supports: { readonly [name: string]: unknown };
  /** Whose word it is. */
  readonly source: string;
  /** When that was read, or is from: `YYYY-MM-DD`. */
  readonly date: string;
  /** The last day on which it is offered, where its vendor has named one: `YYYY-MM-DD`. */
  readonly until?: string;
  readonly note?: string;
}

/** A list of prices as a file has it. */
export interface PriceTable {
  /** Of every price in it. */
  readonly currency: string;
  readonly rows: readonly PriceRow[];
}

/** Of the prices that come with the program. */
export const LIST_CURRENCY = "USD";

/** What comes with the program. On demand: it is 300 kB that hardly a start asks for. */
export async function shippedPrices(): Promise<PriceTable> {
  const { default: shipped } = await import("./prices.json", { with: { type: "json" } });
  return shipped as unknown as PriceTable;
}

/** What tells rows apart. */
export function rowId({ vendor, model }: Pick<PriceRow, "vendor" | "model">): string {
  return `${vendor}/${model}`;
}

/** Whether a model is still offered on a day, `YYYY-MM-DD`, as far as is known. */
export function isOffered({ until }: Pick<PriceRow, "until">, day: string): boolean {
  return until === undefined || day <= until;
}

/** Prices by vendor and model. Immutable. */
export class PriceList {
  readonly currency: string;
  readonly rows: readonly PriceRow[];
  readonly #byId: ReadonlyMap<string, PriceRow>;
  /** With a pattern, the longest first. */
  readonly #patterns: readonly (PriceRow & { readonly pattern: string })[];

  constructor({ currency, rows }: PriceTable) {
    this.currency = currency;
    this.rows = rows;
    this.#byId = new Map(rows.map((row) => [rowId(row), row]));
    this.#patterns = rows.flatMap(({ pattern, ...row }) =>
      pattern === undefined ? [] : [{ ...row, pattern }]
    ).sort((one, other) => other.pattern.length - one.pattern.length);
  }

  /** The row of a model: by its name, else the one with the longest pattern. */
  find(vendor: string, model: string): PriceRow | undefined {
    return this.#byId.get(rowId({ vendor, model })) ??
      this.#patterns.find((row) =>
        row.vendor === vendor && model.startsWith(row.pattern.slice(0, -1))
      );
  }

  /** All rows of a vendor. */
  of(vendor: string): readonly PriceRow[] {
    return this.rows.filter((row) => row.vendor === vendor);
  }
}

/** The shipped rows with an operator's over them: of one model the operator's counts. */
export async function withOwnRows(own: readonly PriceRow[]): Promise<PriceList> {
  const shipped = await shippedPrices();
  const ids = new Set(own.map(rowId));
  const rows = [...shipped.rows.filter((row) => !ids.has(rowId(row))), ...own];
  return new PriceList({ currency: shipped.currency, rows });
}
