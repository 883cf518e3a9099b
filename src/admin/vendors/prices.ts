/**
 * The list of vendors' prices: what is in it, and an operator's own rows over it.
 *
 * @module
 */

import * as z from "zod";
import { compareParts } from "../../catalog/change.ts";
import { asWritten } from "../../catalog/difference.ts";
import { withTablePrices } from "../../catalog/table_prices.ts";
import { priceTableSchema } from "../../catalog/price_table_schema.ts";
import { checkDocument } from "../../documents/check_document.ts";
import { formatProblem, type Problem } from "../../documents/problem.ts";
import type { Shown } from "../../documents/shown.ts";
import { MODEL_KINDS } from "../../domain/capabilities.ts";
import { parseYamlDocument } from "../../documents/yaml_document.ts";
import { GatewayError } from "../../errors.ts";
import { type PriceList, type PriceRow, rowId, shippedPrices } from "../../vendors/price_list.ts";
import { VENDORS } from "../../vendors/presets.ts";
import { warningsField } from "../base/fields.ts";
import { oneAtATime } from "../base/commit_change.ts";
import { commitCatalogue } from "../catalogue/commit_catalogue.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { pageAnswer, pageFields, pageOfItems } from "../base/page.ts";

const shownPrice = z.object({
  id: z.string().describe("Vendor and model"),
  vendor: z.string(),
  model: z.string().describe("Its name at the vendor"),
  pattern: z.string().nullable().describe("Further names that have its price"),
  logical: z.string().nullable().describe("What callers name it, where that is another name"),
  kind: z.string(),
  cost: z.record(z.string(), z.unknown()).describe("As in a catalogue file"),
  supports: z.record(z.string(), z.unknown()).describe("As in a catalogue file"),
  source: z.string().describe("Whose word it is"),
  date: z.string().describe("When that was read, or is from"),
  until: z.string().nullable().describe("The last day on which it is offered, where one is known"),
  note: z.string().nullable(),
});

export type PriceView = Shown<typeof shownPrice>;

export const listPrices = defineOperation({
  name: "prices.list",
  method: "GET",
  path: "/prices",
  role: "viewer",
  summary: "List what vendors ask for their models, with source and date.",
  input: z.strictObject({
    ...pageFields,
    vendor: z.enum(VENDORS).optional().describe("only this vendor's"),
    kind: z.enum(MODEL_KINDS).optional().describe("only models of this kind"),
    model: z.string().min(1).max(200).optional().describe("only names that have this in them"),
  }),
  output: pageAnswer(shownPrice),
  errors: [],
  async run({ prices }, { vendor, kind, model, ...page }) {
    const part = model?.toLowerCase();
    const { rows: all } = await prices.current();
    const rows = all.filter((row) =>
      (vendor === undefined || row.vendor === vendor) &&
      (kind === undefined || row.kind === kind) &&
      (part === undefined ||
        `${row.model} ${row.logical ?? ""}`.toLowerCase().includes(part))
    );
    const items = rows.map((row) => ({ ...row, id: rowId(row) }));
    return Promise.resolve(pageOfItems(items, { ...page, what: "price", show: viewOf }));
  },
});

function viewOf(row: PriceRow & { readonly id: string }): PriceView {
  const { id, vendor, model, pattern, logical, kind, cost, supports, source, date, until, note } =
    row;
  return {
    id,
    vendor,
    model,
    pattern: pattern ?? null,
    logical: logical ?? null,
    kind,
    cost,
    supports,
    source,
    date,
    until: until ?? null,
    note: note ?? null,
  };
}

/** Differences that the audit log has in words. */
const MOST_NOTED = 50;

const priceChange = z.object({
  id: z.string(),
  line: z.string().describe("The difference in words"),
});

export const updatePrices = defineOperation({
  name: "prices.update",
  method: "POST",
  path: "/prices",
  role: "operator",
  changes: "prices",
  summary:
    "Put the rows of a file over the list of prices; routes keep what they have, but for wildcards' " +
    "that are priced by the list.",
  input: z.strictObject({
    file: z.string().min(1).max(4096).default("prices").describe(
      "the file's name, for problems with it",
    ).register(optionWords, { argument: "list of prices, YAML or JSON; - reads stdin" }),
    text: z.string().describe("what is in it"),
    replace: z.boolean().default(false).describe(
      "leave no row of one's own but the file's: what else was put over the list is as it is shipped",
    ),
    dry_run: z.boolean().default(false).describe("print what would change, change nothing"),
  }),
  output: z.object({
    applied: z.boolean().describe("False for a dry run"),
    changes: z.array(priceChange),
    warnings: warningsField,
  }),
  errors: [],
  run(deps, { file, text, replace, dry_run: isDry }) {
    const { prices } = deps;
    const read = readRows(text, file);
    /** Where this is decided again, the list is as the first try has left it. */
    let found: ReturnType<typeof differences> | undefined;
    return oneAtATime(deps, async (deps) => {
      const base = await prices.with([], { replace });
      const rows = read.map((row) => withKnown(row, base));
      const changes = found ??= differences(
        await prices.current(),
        await prices.with(rows, { replace }),
      );
      if (!isDry && changes.length > 0) {
        const lines = changes.slice(0, MOST_NOTED).map(({ id, line }) => [id, line]);
        await prices.put(rows, { replace });
        // The list is in a file of its own: of the catalogue only what its wildcards cost changes.
        const catalogue = withTablePrices(
          asWritten(deps.catalogue.current.catalogue),
          await prices.current(),
        );
        await commitCatalogue(deps, {
          catalogue,
          change: {
            id: file,
            after: Object.fromEntries(lines),
            entries: [{ kind: "write_catalogue", catalogue, at: deps.clock.now() }],
          },
        });
      }
      return {
        applied: !isDry,
        changes,
        warnings: [...prices.trouble === undefined ? [] : [prices.trouble], ...await stale(rows)],
      };
    });
  },
});

/** @throws {GatewayError} `invalid_value` with every problem on a line of its own. */
function readRows(text: string, file: string): readonly PriceRow[] {
  const parsed = parseYamlDocument(text, { file });
  if (!parsed.ok) throw refused(file, parsed.problems);
  const checked = checkDocument(priceTableSchema, parsed.document);
  if (!checked.ok) throw refused(file, checked.problems);
  const rows = checked.value.rows as readonly PriceRow[];
  const first = new Map<string, number>();
  const twice = rows.flatMap((row, index): Problem[] => {
    const before = first.get(rowId(row));
    if (before === undefined) {
      first.set(rowId(row), index);
      return [];
    }
    return [{
      source: parsed.document.locate(["rows", index]),
      path: `rows[${index}]`,
      message: `${rowId(row)} is there already, as rows[${before}]`,
    }];
  });
  if (twice.length > 0) throw refused(file, twice);
  return rows;
}

/** One sentence for each row that is older than what comes with the program. */
async function stale(rows: readonly PriceRow[]): Promise<readonly string[]> {
  const shipped = new Map((await shippedPrices()).rows.map((row) => [rowId(row), row]));
  return rows.flatMap((row) => {
    const known = shipped.get(rowId(row));
    return known === undefined || known.date <= row.date ? [] : [
      `The price of ${rowId(row)} is of ${row.date}, older than the shipped one of ${known.date}`,
    ];
  });
}

/** What a row leaves out is what the list has of this model. */
function withKnown(row: PriceRow, list: PriceList): PriceRow {
  const known = list.rows.find((one) => rowId(one) === rowId(row));
  if (known === undefined || known.kind !== row.kind) return row;
  const { pattern, logical, supports } = known;
  return {
    ...(pattern !== undefined && { pattern }),
    ...(logical !== undefined && { logical }),
    ...row,
    supports: { ...supports, ...row.supports },
  };
}

function refused(file: string, problems: readonly Problem[]): GatewayError {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const lines = problems.map(formatProblem).join("\n");
  return new GatewayError("invalid_value", `Nothing was changed: ${file} has ${count}\n${lines}`, {
    param: "text",
  });
}

function differences(
  before: PriceList,
  after: PriceList,
): readonly z.output<typeof priceChange>[] {
  const known = new Map(before.rows.map((row) => [rowId(row), row]));
  const kept = new Set(after.rows.map(rowId));
  const gone = before.rows.filter((row) => !kept.has(rowId(row))).map((row) => ({
    id: rowId(row),
    line: `- price ${rowId(row)}: ${priceWords(row)}`,
  }));
  const put = after.rows.flatMap((row) => {
    const id = rowId(row);
    const old = known.get(id);
    // What has not been touched is the same object.
    if (old === row) return [];
    if (old === undefined) return [{ id, line: `+ price ${id}: ${priceWords(row)}` }];
    const fields = compareParts({ ...old }, { ...row }).map(({ path, before: was, after: is }) =>
      `${path} ${wordOf(was)} → ${wordOf(is)}`
    );
    return fields.length === 0 ? [] : [{ id, line: `~ price ${id}: ${fields.join(", ")}` }];
  });
  return [...gone, ...put];
}

/** The usual rates, in a line. */
export function priceWords({ cost }: Pick<PriceRow, "cost">): string {
  const rates = Object.entries(cost).filter(([, rate]) => typeof rate === "string")
    .map(([name, rate]) => `${name} ${rate}`);
  const when = Array.isArray(cost.when) ? `, and ${cost.when.length} under conditions` : "";
  return rates.join(", ") + when;
}

function wordOf(value: unknown): string {
  if (value === undefined) return "(none)";
  return typeof value === "string" ? value : JSON.stringify(value);
}
