/**
 * Tables that are no lists, as files: what one operation answers, or what came of its last job.
 *
 * @module
 */

import * as z from "zod";
import type { Operation } from "../../admin/base/operation.ts";
import { testProviders } from "../../admin/catalogue/providers.ts";
import { verifyLedger } from "../../admin/ledger_check/check_ledger.ts";
import { diagnoseServer, showSettings } from "../../admin/process.ts";
import { showSystem } from "../../admin/system.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { type Cells, type RowPages, sendRows } from "../parts/download.ts";
import { lastJob } from "../parts/job_progress.tsx";
import type { ConsoleApp } from "./page_routes.ts";

/** Where the rows of each are in what its operation answers, by the name of the file. */
const TABLES: Readonly<
  Record<string, {
    readonly operation: Operation;
    /** Absent where the answer is the rows. */
    readonly field?: string;
  }>
> = {
  tests: { operation: testProviders },
  settings: { operation: showSettings, field: "settings" },
  secrets: { operation: showSystem, field: "secrets" },
  doctor: { operation: diagnoseServer, field: "findings" },
  ledger: { operation: verifyLedger, field: "differences" },
};

type Row = Readonly<Record<string, unknown>>;

/** Adds `/export/NAME` of each; who may have it, doors.ts says and its operation checks. */
export function mountReportExports(app: ConsoleApp): void {
  for (const [name, { operation, field }] of Object.entries(TABLES)) {
    const cells = cellsOf(operation, field);
    app.get(`/export/${name}`, async (plain) => {
      const context = plain as ConsoleContext;
      const answer = operation.isLong === true
        ? await lastResult(context, operation)
        : await context.var.admin.call(operation, {});
      return await sendRows<Row>(context, { name, cells, pages: onePage(answer, field) });
    });
  }
}

/** @throws {GatewayError} `not_found` where none has ended well. */
async function lastResult(context: ConsoleContext, operation: Operation): Promise<unknown> {
  const job = await lastJob(context, operation);
  if (job?.state === "completed" && job.result !== null) return job.result;
  throw new GatewayError("not_found", "There is no result yet: begin it on its page, and wait");
}

async function* onePage(answer: unknown, field: string | undefined): RowPages<Row> {
  const { omitted, ...fields } = answer as Row;
  yield (field === undefined ? answer : fields[field]) as readonly Row[];
  return typeof omitted === "number" && omitted > 0
    ? `There are ${omitted} more: mend these, and verify again`
    : undefined;
}

/** A column for each field that its rows may have, as the operation's answer declares them. */
function cellsOf({ output }: Operation, field: string | undefined): Cells<Row> {
  const rows = field === undefined
    ? output as z.ZodArray<z.ZodObject>
    : (output as z.ZodObject<Record<string, z.ZodArray<z.ZodObject>>>).shape[field]!;
  return Object.fromEntries(
    Object.keys(rows.element.shape).map((column) => [column, (row: Row) => row[column]]),
  );
}
