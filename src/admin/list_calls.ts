/**
 * Calls of all projects, newest first, by whatever is known of them.
 *
 * @module
 */

import * as z from "zod";
import { CAPABILITY_NAMES } from "../domain/capabilities.ts";
import { tryParseAmount } from "../domain/money.ts";
import type { Shown } from "../documents/shown.ts";
import type { CallOutcome, CallPageCut } from "../storage/ports/call_pages.ts";
import type { RefusedPageQuery } from "../storage/ports/refusals.ts";
import type { AdminDeps } from "./base/deps.ts";
import { projectField, requireProject } from "./accounts/projects.ts";
import { heldToProject } from "./accounts/own_project.ts";
import { listField, timeToJson, wholeNumberField } from "./base/fields.ts";
import { readSpan, spanFields } from "./base/moments.ts";
import { defineOperation } from "./base/operation.ts";
import { optionWords } from "./base/option_words.ts";
import { goneCursor, type Page, pageAnswer, pageFields, pageOf } from "./base/page.ts";
import type { StoredCall } from "../domain/call.ts";
import type { RefusedRequest } from "../domain/refused_request.ts";
import { callAnswer, refusedAnswer, shownCall } from "./shown_call.ts";
import { oneTag, readTags } from "./tag_fields.ts";

/** How a call ended, in the words that lists take, and the results that it stands for. */
const STATUSES: { readonly [status: string]: readonly CallOutcome[] } = {
  open: ["open"],
  served: ["completed"],
  failed: ["upstream_failed", "gateway_stopped"],
  aborted: ["client_aborted"],
  refused: ["refused"],
};

/** What one page looks at, at most: rows, and for how long. */
const MOST_ROWS = 200_000;
const WITHIN_MS = 2_000;

/** A whole request id tells which call it is: nothing has to be looked through. */
const WHOLE_ID = /^req_[a-z2-7]{26}$/;

const listedCall = shownCall.omit({ archive: true });

export type CallRow = Shown<typeof listedCall>;

const text = (about: string) => z.string().min(1).max(200).optional().describe(about);

export const listCalls = defineOperation({
  name: "calls.list",
  method: "GET",
  path: "/calls",
  role: "viewer",
  summary:
    "List calls, and the last requests that were refused before they became calls, newest first.",
  input: z.strictObject({
    ...pageFields,
    project: projectField.optional().describe("only this project's"),
    key: text("only those made with this key, by its id"),
    model: text("only calls of this model"),
    route: text("only calls that ended on this route"),
    provider: text("only calls that ended at this provider"),
    capability: z.enum(CAPABILITY_NAMES).optional().describe("only this endpoint's"),
    batch: text("only lines of this batch"),
    status: listField(z.enum(["open", "served", "failed", "aborted", "refused"])).describe(
      "open, served, failed, aborted (by its caller) or refused (by the gateway or an upstream); several with commas",
    ).register(optionWords, { placeholder: "statuses" }),
    error: text("only calls that ended with this error code"),
    tag: listField(oneTag).describe("only calls with this tag, as NAME=VALUE; may be repeated")
      .register(optionWords, { placeholder: "name=value", repeats: true }),
    id: text("only calls whose request id has this text in it"),
    slower_than: wholeNumberField(z.int().min(0)).optional()
      .describe("only calls that took more milliseconds than this")
      .register(optionWords, { placeholder: "ms" }),
    dearer_than: z.string().refine(
      (amount) => tryParseAmount(amount) !== undefined,
      "Expected a decimal number such as 0.05",
    ).optional().describe("only calls priced at more than this")
      .register(optionWords, { placeholder: "amount" }),
    within_ms: wholeNumberField(z.int().min(10).max(WITHIN_MS)).default(WITHIN_MS)
      .describe(`look through calls no longer than so many milliseconds, at most ${WITHIN_MS}`)
      .register(optionWords, { placeholder: "ms" }),
    ...spanFields("the first call"),
  }),
  output: pageAnswer(listedCall),
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, input) {
    const { limit, after, project, status, tag } = input;
    if (project !== undefined) requireProject(deps, project);
    const { fromMs, toMs } = readSpan(input, deps.clock.now());
    const beforeCallId = after === undefined ? undefined : placeOf(deps.requestIds, after);
    const shared = {
      projectId: project,
      keyId: input.key,
      capability: input.capability,
      model: input.model,
      idText: input.id,
      fromMs,
      toMs,
      beforeCallId,
      limit: limit + 1,
    };
    const [{ calls, cut }, refused] = await Promise.all([
      deps.storage.calls.page({
        ...shared,
        provider: input.provider,
        route: input.route,
        batchId: input.batch,
        outcomes: status?.flatMap((one) => STATUSES[one]!),
        errorCode: input.error,
        tags: readTags(tag),
        slowerThanMs: input.slower_than,
        dearerThanE8: input.dearer_than === undefined
          ? undefined
          : tryParseAmount(input.dearer_than),
        mostRows: MOST_ROWS,
        callId: input.id !== undefined && WHOLE_ID.test(input.id)
          ? deps.requestIds.callIdOf(input.id)
          : undefined,
        withinMs: input.within_ms,
      }),
      isOfCallsAlone(input) ? [] : readRefused(deps, { ...shared, reason: input.error }),
    ]);
    const viewed = { currency: deps.catalogue.current.catalogue.currency, origin: deps.origin };
    // Behind the last call that was looked at nothing is known of calls yet.
    const shown = refused.filter(({ callId }) => cut === undefined || callId >= cut.callId);
    const rows = newestFirst([...calls, ...shown]).map((one): CallRow => {
      const { archive: _, ...row } = "reason" in one
        ? refusedAnswer(one, viewed)
        : callAnswer(one, viewed);
      return row;
    });
    const page = pageOf(rows, { limit, idOf: ({ request_id }) => request_id });
    return cut === undefined || page.has_more ? page : cutPage(page, cut);
  },
});

/** Whether what is asked for is nothing that a request has which became no call. */
function isOfCallsAlone(
  { status, route, provider, batch, tag, slower_than: slower, dearer_than: dearer }: {
    readonly [filter: string]: unknown;
    readonly status?: readonly string[] | undefined;
  },
): boolean {
  return (status !== undefined && !status.includes("refused")) ||
    (route ?? provider ?? batch ?? tag ?? slower ?? dearer) !== undefined;
}

async function readRefused(
  { refusals, storage }: Pick<AdminDeps, "refusals" | "storage">,
  query: RefusedPageQuery,
): Promise<readonly RefusedRequest[]> {
  await refusals?.flush();
  return await storage.refusals.page(query);
}

/** By their numbers, which rise in the order of arrival. */
function newestFirst(
  all: readonly (StoredCall | RefusedRequest)[],
): readonly (StoredCall | RefusedRequest)[] {
  return all.toSorted((one, other) => other.callId - one.callId);
}

function placeOf(
  requestIds: { callIdOf(requestId: string): number | undefined },
  after: string,
): number {
  const callId = requestIds.callIdOf(after);
  if (callId === undefined) throw goneCursor("call", after);
  return callId;
}

/** A page that goes on behind the last call that was looked at. */
function cutPage(page: Page<CallRow>, { requestId, openedAt, rows }: CallPageCut): Page<CallRow> {
  const since = timeToJson(openedAt);
  return {
    ...page,
    last_id: requestId,
    has_more: true,
    cut: {
      looked_at: rows,
      since,
      advice:
        `Stopped after ${rows} calls, back to ${since}; name the time with --from and --to, ` +
        "or go on behind the last one that was looked at",
    },
  };
}
