/**
 * Rows as a file that is sent while they are read.
 *
 * @module
 */

import { csvLine } from "../../documents/csv.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";

const FORMATS = {
  csv: "text/csv; charset=utf-8",
  jsonl: "application/jsonl; charset=utf-8",
} as const;

/** A row's value of each column. */
export type Cells<Row> = Readonly<Record<string, (row: Row) => unknown>>;

/** Rows, page by page; a text is said at the end, of why there are no more. */
export type RowPages<Row> = AsyncGenerator<readonly Row[], string | undefined>;

/**
 * Answers with a file of rows: lines of CSV with these columns, or the rows as JSON lines. A file that
 * is not whole says so in its last line.
 *
 * @throws {GatewayError} `invalid_value`, also what reading the first page throws.
 */
export async function sendRows<Row>(
  context: ConsoleContext,
  { name, cells, pages }: {
    /** Of the file, without its ending. */
    readonly name: string;
    readonly cells: Cells<Row>;
    readonly pages: RowPages<Row>;
  },
): Promise<Response> {
  const format = context.req.query("format") ?? "csv";
  if (!Object.hasOwn(FORMATS, format)) {
    throw new GatewayError("invalid_value", "Expected format csv or jsonl", { param: "format" });
  }
  const isCsv = format === "csv";
  const columns = Object.entries(cells);
  const text = (row: Row) =>
    isCsv ? csvLine(columns.map(([, value]) => value(row))) : `${JSON.stringify(row)}\n`;
  const encoder = new TextEncoder();
  // What is wrong with the question is told before the file begins.
  let next: IteratorResult<readonly Row[], string | undefined> | undefined = await pages.next();
  let head = isCsv ? csvLine(columns.map(([column]) => column)) : "";
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const page = next ?? await pages.next();
      next = undefined;
      let part = head;
      head = "";
      if (page.done !== true) { for (const row of page.value) part += text(row); }
      else if (page.value !== undefined) {
        part += isCsv ? csvLine([page.value]) : `${JSON.stringify({ cut: page.value })}\n`;
      }
      if (part !== "") controller.enqueue(encoder.encode(part));
      if (page.done === true) controller.close();
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  return context.body(body, 200, {
    "content-type": FORMATS[format as keyof typeof FORMATS],
    "content-disposition": `attachment; filename="${name}.${format}"`,
  });
}
