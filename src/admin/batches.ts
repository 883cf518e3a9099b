/**
 * Batches of all projects, as an operator sees them.
 *
 * @module
 */

import * as z from "zod";
import type { ShownBatch } from "../batches/batches.ts";
import type { Shown } from "../documents/shown.ts";
import type { BatchStatus } from "../domain/batch.ts";
import { GatewayError } from "../errors.ts";
import { shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { noteOf } from "./base/commit_change.ts";
import type { AdminDeps } from "./base/deps.ts";
import { defineOperation } from "./base/operation.ts";
import { goneCursor, pageAnswer, pageFields, pageOf } from "./base/page.ts";
import { heldToOwn, heldToProject } from "./accounts/own_project.ts";
import { projectField, requireProject } from "./accounts/projects.ts";

const BATCH_STATUSES = [
  "validating",
  "in_progress",
  "cancelling",
  "finalizing",
  "failed",
  "completed",
  "expired",
  "cancelled",
] as const satisfies readonly BatchStatus[];

const shownBatch = z.object({
  id: z.string(),
  project: z.string(),
  key: z.string(),
  endpoint: z.string(),
  model: z.string().nullable().describe("What its first line names"),
  status: z.enum(BATCH_STATUSES),
  waiting: z.string().nullable().describe("Why it asks for nothing now although it could"),
  total: shownCount.describe("Lines; 0 until they are checked"),
  completed: shownCount,
  failed: shownCount,
  input_tokens: shownCount,
  output_tokens: shownCount,
  created_at: shownTime,
  expires_at: shownTime.describe("When lines that were not asked expire"),
  ended_at: shownTime.nullable(),
  input_file: z.string(),
  output_file: z.string().nullable(),
  error_file: z.string().nullable(),
  errors: z.array(z.object({ line: z.number().nullable(), code: z.string(), message: z.string() })),
});

export type BatchRow = Shown<typeof shownBatch>;

const byBatch = z.strictObject({
  batch_id: z.string().min(1).max(100).describe("id of the batch"),
});

export const listBatches = defineOperation({
  name: "batches.list",
  method: "GET",
  path: "/batches",
  role: "viewer",
  summary: "List batches, newest first.",
  input: z.strictObject({
    ...pageFields,
    project: projectField.optional().describe("only this project's"),
  }),
  output: pageAnswer(shownBatch),
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, { project, limit, after }) {
    if (project !== undefined) requireProject(deps, project);
    const page = await deps.batches.page({ projectId: project, after, limit });
    if (page === undefined) throw goneCursor("batch", after!);
    const { batches, hasMore } = page;
    return pageOf(batches.map(batchRow), { limit, idOf: ({ id }) => id, hasMore });
  },
});

export const showBatch = defineOperation({
  name: "batches.show",
  method: "GET",
  path: "/batches/{batch_id}",
  role: "viewer",
  summary: "Show a batch.",
  input: byBatch,
  output: shownBatch,
  errors: ["not_found"],
  heldTo: heldToOwnBatch,
  run: async (deps, { batch_id }) => batchRow(await requireBatch(deps, batch_id)),
});

export const cancelBatch = defineOperation({
  name: "batches.cancel",
  method: "POST",
  path: "/batches/{batch_id}/cancel",
  role: "operator",
  changes: "batch",
  summary: "Have a batch ask for nothing more; what was answered is kept and charged.",
  input: byBatch,
  output: shownBatch,
  errors: ["not_found", "conflict"],
  heldTo: heldToOwnBatch,
  async run(deps, { batch_id }) {
    const { batch } = await requireBatch(deps, batch_id);
    const note = noteOf(deps, {
      id: batch.id,
      before: { status: batch.status },
      after: { status: "cancelling" },
    });
    const cancelled = await deps.batches.cancel(batch.id, { note });
    if (cancelled === undefined) {
      throw new GatewayError(
        "conflict",
        `Batch ${batch.id} has ended as ${batch.status}: there is nothing to cancel`,
      );
    }
    return batchRow(cancelled);
  },
});

async function requireBatch({ batches }: AdminDeps, id: string): Promise<ShownBatch> {
  const found = await batches.find(id);
  if (found === undefined) throw noBatch(id);
  return found;
}

async function heldToOwnBatch<Input extends z.output<typeof byBatch>>(
  project: string,
  input: Input,
  { batches }: AdminDeps,
): Promise<Input> {
  const { batch_id: id } = input;
  const of = (await batches.find(id))?.batch.projectId;
  return heldToOwn(input, { of, project, missing: () => noBatch(id) });
}

function noBatch(id: string): GatewayError {
  return new GatewayError("not_found", `There is no batch '${id}': see \`tollgate batches list\``);
}

function batchRow({ batch, wait }: ShownBatch): BatchRow {
  const { counts: { completed, failed, usage }, endedAt } = batch;
  const hasEnded = endedAt !== undefined;
  return {
    id: batch.id,
    project: batch.projectId,
    key: batch.keyId,
    endpoint: batch.endpoint,
    model: batch.model ?? null,
    status: batch.status,
    waiting: wait ?? null,
    total: batch.total,
    completed,
    failed,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    created_at: timeToJson(batch.createdAt),
    expires_at: timeToJson(batch.expiresAt),
    ended_at: timeToJson(endedAt),
    input_file: batch.inputFileId,
    output_file: hasEnded && batch.outputBytes > 0 ? batch.outputFileId : null,
    error_file: hasEnded && batch.errorBytes > 0 ? batch.errorFileId : null,
    errors: batch.faults.map(({ line, code, message }) => ({ line, code, message })),
  };
}
