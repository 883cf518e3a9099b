/**
 * One call by its request id, as the operator sees it.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import type { StoredCall } from "../domain/call.ts";
import { knownArchives } from "./archives/known_archives.ts";
import type { KnownArchive } from "./base/archive_report.ts";
import type { RefusedRequest } from "../domain/refused_request.ts";
import { GatewayError } from "../errors.ts";
import { heldToOwn } from "./accounts/own_project.ts";
import { defineOperation } from "./base/operation.ts";
import type { AdminDeps } from "./base/deps.ts";
import { shownPath } from "./base/shown_path.ts";
import { callAnswer, refusedAnswer, shownCall } from "./shown_call.ts";
import { priceOf, shownPrice } from "./shown_price.ts";

const shownWhole = shownCall.extend({ price: shownPrice.optional() });

/** All that is known of one call. */
export type WholeCall = Shown<typeof shownWhole>;

export const showCall = defineOperation({
  name: "calls.show",
  method: "GET",
  path: "/calls/{request_id}",
  role: "viewer",
  summary: "Show what a call was, used, cost and was charged.",
  input: z.strictObject({
    request_id: z.string().min(1).max(100).describe("the answer's x-request-id"),
  }),
  output: shownWhole,
  errors: ["not_found"],
  async heldTo(project, input, deps) {
    return heldToOwn(input, {
      of: await projectOfCall(deps, input.request_id),
      project,
      missing: () => noSuchCall(input.request_id),
    });
  },
  async run(deps, { request_id }) {
    const { call, refused, archive, unread } = await findCall(deps, request_id);
    const viewed = { currency: deps.catalogue.current.catalogue.currency, origin: deps.origin };
    if (refused !== undefined) return { ...refusedAnswer(refused, viewed), price: null };
    if (call === undefined) throw missingCall(deps, request_id, unread);
    const price = await priceOf(deps, call);
    return {
      ...callAnswer(call, viewed),
      archive: archive === undefined ? null : shownPath(deps.origin, archive.file),
      price,
    };
  },
});

/** An archive that could not be read; `damage` is what is wrong with a file that is there. */
type UnreadArchive = Pick<KnownArchive, "number" | "file"> & {
  readonly damage?: string | undefined;
};

/** A call, wherever it is; `unread` are archives that may have it and cannot be read. */
interface CallSearch {
  readonly call: StoredCall | undefined;
  /** The request, if it was refused before it became a call. */
  readonly refused?: RefusedRequest;
  readonly archive?: KnownArchive;
  readonly unread: readonly UnreadArchive[];
}

/**
 * A call, or a request that was refused before it became one, wherever it is.
 *
 * @throws {GatewayError} `not_found`
 */
export async function requireCall(deps: AdminDeps, requestId: string) {
  const { call, refused, unread } = await findCall(deps, requestId);
  if (call !== undefined) return { projectId: call.projectId, at: call.openedAt };
  if (refused !== undefined) return { projectId: refused.projectId, at: refused.at };
  throw missingCall(deps, requestId, unread);
}

/** Whose a call, or a request that was refused before it became one, is; `undefined` for nobody's. */
export async function projectOfCall(
  deps: AdminDeps,
  requestId: string,
): Promise<string | undefined> {
  const { call, refused } = await findCall(deps, requestId);
  return (call ?? refused)?.projectId;
}

/** What is said of a call that is not there. */
export function noSuchCall(requestId: string): GatewayError {
  return new GatewayError("not_found", notFoundText(requestId, []));
}

function missingCall(
  { origin }: Pick<AdminDeps, "origin">,
  requestId: string,
  unread: readonly UnreadArchive[],
): GatewayError {
  const files = unread.map((archive) => ({ ...archive, file: shownPath(origin, archive.file) }));
  return new GatewayError("not_found", notFoundText(requestId, files));
}

async function findCall(deps: AdminDeps, requestId: string): Promise<CallSearch> {
  const callId = deps.requestIds.callIdOf(requestId);
  // A hold may still be on its way to disk.
  await deps.commits.flush();
  if (callId === undefined) return { call: undefined, unread: [] };
  const call = await deps.storage.calls.find(callId);
  if (call?.requestId === requestId) return { call, unread: [] };
  await deps.refusals?.flush();
  const refused = await deps.storage.refusals.find(callId, requestId);
  if (refused !== undefined) return { call: undefined, refused, unread: [] };
  const { found, unread } = await findArchivedCall(deps, { callId, requestId });
  return { call: undefined, unread, ...found };
}

function notFoundText(
  requestId: string,
  unread: readonly UnreadArchive[],
): string {
  if (unread.length === 0) {
    return `There is no call '${requestId}': take the id from the answer's x-request-id (of requests that were refused before a first attempt only the last ones are kept)`;
  }
  const files = unread.map(({ number, file }) => `${number}, written to ${file}`).join(", or ");
  const lost =
    `The database has no call '${requestId}'. If there was one, it is in archive ${files}`;
  const damage = unread.find((archive) => archive.damage !== undefined)?.damage;
  return damage === undefined
    ? `${lost}, which cannot be read there: put the file back and ask again`
    : `${lost}, which cannot be read there (${damage}): put a sound copy of the file in its place and ask ` +
      "again; calls on its other pages can be read";
}

/** Where a call may be that the database has no more. */
interface ArchivedSearch {
  readonly found: { readonly call: StoredCall; readonly archive: KnownArchive } | undefined;
  /** Archives that may have it, and whose file is not where it was written. */
  readonly unread: readonly UnreadArchive[];
}

/** Looks for a call by its id. */
async function findArchivedCall(
  deps: Pick<AdminDeps, "storage" | "archives">,
  { callId, requestId }: { readonly callId: number; readonly requestId: string },
): Promise<ArchivedSearch> {
  const unread: UnreadArchive[] = [];
  for (const archive of await knownArchives(deps)) {
    if (callId < archive.firstCallId || callId > archive.lastCallId) continue;
    const result = await deps.archives.findCall(archive, callId);
    if (result.kind === "unreadable") unread.push({ ...archive, damage: result.damage });
    if (result.kind === "found" && result.call.requestId === requestId) {
      return { found: { call: result.call, archive }, unread: [] };
    }
  }
  return { found: undefined, unread };
}
