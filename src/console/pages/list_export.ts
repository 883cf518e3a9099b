/**
 * Lists as files: each is that of a page, with its filters.
 *
 * @module
 */

import * as z from "zod";
import { listKeys } from "../../admin/accounts/keys.ts";
import { listProjects } from "../../admin/accounts/projects.ts";
import type { Operation } from "../../admin/base/operation.ts";
import { listBackups } from "../../admin/backups.ts";
import { listBatches } from "../../admin/batches.ts";
import { listModels } from "../../admin/catalogue/models.ts";
import { listProviders } from "../../admin/catalogue/providers.ts";
import { listRoutes } from "../../admin/catalogue/routes.ts";
import { listAudit } from "../../admin/operations.ts";
import { listVideos } from "../../admin/videos.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { type Cells, sendRows } from "../parts/download.ts";
import { listPages, MOST_EXPORTED } from "../parts/list_pages.ts";
import type { ConsoleApp } from "./page_routes.ts";

/** The operation behind each, by the name of its page. */
const LISTS: Readonly<Record<string, Operation>> = {
  projects: listProjects,
  keys: listKeys,
  models: listModels,
  routes: listRoutes,
  providers: listProviders,
  videos: listVideos,
  batches: listBatches,
  backups: listBackups,
  audit: listAudit,
};

type Row = Readonly<Record<string, unknown>>;

/** Adds `/export/NAME` of each list; who may have it, doors.ts says and its operation checks. */
export function mountListExports(app: ConsoleApp): void {
  for (const [name, operation] of Object.entries(LISTS)) {
    app.get(`/export/${name}`, (plain) => sendList(plain as ConsoleContext, name, operation));
  }
}

/** @throws {GatewayError} `invalid_value`, and what the operation throws. */
function sendList(context: ConsoleContext, name: string, operation: Operation): Promise<Response> {
  const { format: _format, limit, ...query } = context.req.query();
  if (limit !== undefined) {
    const text = `Leave limit out: a file has the whole list, as far as ${MOST_EXPORTED} rows`;
    throw new GatewayError("invalid_value", text, { param: "limit" });
  }
  const advice = "the admin API has them all";
  return sendRows<Row>(context, {
    name,
    cells: cellsOf(operation),
    pages: listPages(context, { operation, query, advice }),
  });
}

/** A column for each field that the operation's rows may have, as its answer declares them. */
function cellsOf({ output }: Operation): Cells<Row> {
  const { data } = (output as z.ZodObject<{ data: z.ZodArray<z.ZodObject> }>).shape;
  return Object.fromEntries(
    Object.keys(data.element.shape).map((column) => [column, (row: Row) => row[column]]),
  );
}
