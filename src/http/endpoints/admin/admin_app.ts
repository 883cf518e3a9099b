/**
 * `/admin/v1`: every administrative operation at its path. Who may come here is
 * decided where this is mounted.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import type { AdminDeps, ChangeOrigin } from "../../../admin/base/deps.ts";
import type { Operation } from "../../../admin/base/operation.ts";
import { rowOf } from "../../../admin/jobs/jobs.ts";
import { canBeJob, startJob } from "../../../admin/jobs/start_job.ts";
import { OPERATIONS } from "../../../admin/operations.ts";
import { runOperation } from "../../../admin/base/run_operation.ts";
import { UNLIMITED_PERMIT } from "../../../limits/permit.ts";
import { Stay } from "../../../limits/stay.ts";
import { OWNER } from "../../../domain/roles.ts";
import { GatewayError } from "../../../errors.ts";
import { createBodyBudget } from "../../bodies/body_budget.ts";
import { jsonResponse } from "../../answers/text_response.ts";
import { type JsonLimits, readJson } from "../../bodies/read_json.ts";
import { letIn } from "../../callers/require_admin.ts";
import type { AppContext, AppEnv } from "../../context/request_context.ts";
import { adminDocument } from "./admin_document.ts";

/** Catalogue files are the largest bodies; administration does not compete with calls for memory. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** The header in which the command line says who runs it: believed where it may as well be a lie. */
const USER_HEADER = "x-tollgate-user";
const MOST_USER_CHARACTERS = 200;

/** By which way its requests come. */
export type AdminWay = "control_socket" | "admin_api";

/** Makes the sub-app that is mounted at `/admin/v1` of the control socket or of TCP. */
export function createAdminApp(
  deps: AdminDeps,
  channel: AdminWay,
): Hono<AppEnv> {
  const limits = {
    maxBytes: MAX_BODY_BYTES,
    maxDepth: 200,
    budget: createBodyBudget(3 * MAX_BODY_BYTES),
  };
  const app = new Hono<AppEnv>();
  const operations = OPERATIONS.filter(({ isLocal }) =>
    isLocal !== true || channel === "control_socket"
  );
  app.get(
    "/openapi.json",
    ({ env }) => jsonResponse(adminDocument(operations), env.identity.requestId),
  );
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(operation.method, path, async (context) => {
      const input = await readInput(context, operation, limits);
      const run = { deps, input, origin: originOf(context, channel) };
      const { requestId } = context.env.identity;
      if (canBeJob(operation) && prefersJob(context)) {
        const job = rowOf(await startJob(operation, run));
        return jsonResponse(job, requestId, 202, {
          location: `/admin/v1/jobs/${job.id}`,
          "preference-applied": ASYNC,
        });
      }
      return jsonResponse(await runOperation(operation, run), requestId);
    });
  }
  return app;
}

/** RFC 7240: whoever does not want to wait for the answer. */
const ASYNC = "respond-async";

function prefersJob({ req }: AppContext): boolean {
  return (req.header("prefer") ?? "").split(/[,;]/).some((one) =>
    one.trim().toLowerCase() === ASYNC
  );
}

/** On the socket only its owner can knock, so a name there is a note; over TCP it would be a forgery. */
function originOf(
  { env, req }: AppContext,
  channel: AdminWay,
): ChangeOrigin {
  const { identity: { requestId }, remoteAddress: address } = env;
  if (channel === "admin_api") {
    const { rights, user } = letIn(env);
    return { actor: { channel, user, address }, rights, requestId };
  }
  const user = readUser(req.header(USER_HEADER));
  return { actor: { channel, user, address: undefined }, rights: OWNER, requestId };
}

/** Percent-encoded UTF-8, as headers carry no more than ASCII. */
function readUser(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    return decodeURIComponent(header).slice(0, MOST_USER_CHARACTERS);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new GatewayError("invalid_value", `The header ${USER_HEADER} is not percent-encoded`);
  }
}

/** Parts of the path, and the body (POST) or the query (GET, DELETE). */
async function readInput(
  { req }: AppContext,
  { method }: Operation,
  limits: JsonLimits,
): Promise<unknown> {
  const rest = method === "POST" ? await readBody(req.raw, limits) : readQuery(req.queries());
  return { ...rest, ...req.param() };
}

async function readBody(request: Request, limits: JsonLimits): Promise<object> {
  const { headers } = request;
  const isEmpty = !headers.has("transfer-encoding") &&
    Number(headers.get("content-length") ?? "0") === 0;
  if (isEmpty) return {};
  const stay = new Stay(UNLIMITED_PERMIT, limits.budget);
  try {
    const body = await readJson(request, { ...limits, budget: stay });
    if (typeof body.value === "object" && body.value !== null && !Array.isArray(body.value)) {
      return body.value;
    }
    throw new GatewayError("invalid_value", "The body must be a JSON object");
  } finally {
    stay.leave();
  }
}

/** A name that is given once is a value, one that is given again a list. */
function readQuery(query: Record<string, string[]>): object {
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}
