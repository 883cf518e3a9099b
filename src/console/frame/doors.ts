/**
 * Who may open which page and send which form: each stands for an operation, and is for those who may
 * run that. What has no row is for owners alone.
 *
 * @module
 */

import type { MiddlewareHandler } from "@hono/hono";
import { creditProject } from "../../admin/accounts/credit_project.ts";
import {
  createKey,
  deleteKey,
  disableKey,
  enableKey,
  listKeys,
  resumeKey,
  setKey,
  showKey,
} from "../../admin/accounts/keys.ts";
import {
  createProject,
  disableProject,
  enableProject,
  listProjects,
  resumeProject,
  setProject,
  showProject,
} from "../../admin/accounts/projects.ts";
import { endGrace, rotateKey } from "../../admin/accounts/rotate_key.ts";
import type { AdminDeps } from "../../admin/base/deps.ts";
import type { Operation } from "../../admin/base/operation.ts";
import { mayRun, requireRights } from "../../admin/base/run_operation.ts";
import { createBackup, listBackups } from "../../admin/backups.ts";
import { cancelBatch, listBatches, showBatch } from "../../admin/batches.ts";
import { forgetPrompts, showContent } from "../../admin/call_content.ts";
import { showCall } from "../../admin/calls.ts";
import { deleteModel, listModels, setModel, showModel } from "../../admin/catalogue/models.ts";
import {
  deleteProvider,
  listProviders,
  setProvider,
  showProvider,
  testProviders,
} from "../../admin/catalogue/providers.ts";
import { disableRoute, enableRoute, maintainRoute } from "../../admin/catalogue/route_switches.ts";
import { deleteRoute, listRoutes, setRoute, showRoute } from "../../admin/catalogue/routes.ts";
import { cancelJob, showJob } from "../../admin/jobs/jobs.ts";
import { verifyLedger } from "../../admin/ledger_check/check_ledger.ts";
import { listCalls } from "../../admin/list_calls.ts";
import { listAudit } from "../../admin/operations.ts";
import { diagnoseServer, showSettings } from "../../admin/process.ts";
import { showSystem } from "../../admin/system.ts";
import { reportUsage } from "../../admin/usage.ts";
import { moveVideo, pauseVideos, resumeVideos } from "../../admin/video_queue.ts";
import { deleteVideo, listVideos, retryVideo, showVideo } from "../../admin/videos.ts";
import { resendWebhook } from "../../admin/webhooks.ts";
import type { Rights } from "../../domain/roles.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleEnv } from "./console_env.ts";

/** A page or a form, by its path below `/console`: `:name` is one part, `*` whatever follows. */
export interface Door {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly operation: Operation;
  /** In the menu. */
  readonly name?: string;
}

const page = (path: string, operation: Operation, name?: string): Door => ({
  method: "GET",
  path,
  operation,
  ...(name !== undefined && { name }),
});
const form = (path: string, operation: Operation): Door => ({ method: "POST", path, operation });

/** The editor of a piece of the catalogue. */
function settings(
  kind: string,
  show: Operation,
  set: Operation,
  remove: Operation,
): readonly Door[] {
  return [
    page(`/settings/${kind}`, set),
    page(`/settings/${kind}/:id`, show),
    form(`/settings/${kind}/difference`, set),
    form(`/settings/${kind}/apply`, set),
    form(`/settings/${kind}/removal`, remove),
    form(`/settings/${kind}/delete`, remove),
  ];
}

/** Every page and form that is not for owners alone; those with a name in the menu's order. */
export const DOORS: readonly Door[] = [
  page("/", listProjects, "Overview"),
  page("/usage/export", reportUsage),
  page("/calls", listCalls, "Calls"),
  page("/calls/export", listCalls),
  page("/calls/:request_id", showCall),
  page("/calls/:request_id/content", showContent),
  page("/projects", listProjects, "Projects"),
  page("/projects/:project", showProject),
  page("/keys", listKeys, "Keys"),
  page("/keys/:key_id", showKey),
  page("/models", listModels, "Models"),
  page("/routes", listRoutes, "Routes"),
  page("/providers", listProviders, "Providers"),
  page("/providers/tests", testProviders),
  page("/providers/tests/progress/:job_id", showJob),
  // Whoever may make a key of a project may spend its money.
  page("/playground", createKey, "Playground"),
  form("/play/v1/:path*", createKey),
  page("/videos", listVideos, "Videos"),
  page("/videos/:video_id*", showVideo),
  page("/batches", listBatches, "Batches"),
  page("/batches/:batch_id*", showBatch),
  page("/ledger", verifyLedger, "Ledger"),
  page("/ledger/progress/:job_id", showJob),
  page("/backups", listBackups, "Backups"),
  page("/backups/progress/:job_id", showJob),
  page("/audit", listAudit, "Audit log"),
  page("/export/projects", listProjects),
  page("/export/keys", listKeys),
  page("/export/models", listModels),
  page("/export/routes", listRoutes),
  page("/export/providers", listProviders),
  page("/export/videos", listVideos),
  page("/export/batches", listBatches),
  page("/export/backups", listBackups),
  page("/export/audit", listAudit),
  page("/export/tests", testProviders),
  page("/export/settings", showSettings),
  page("/export/secrets", showSystem),
  page("/export/doctor", diagnoseServer),
  page("/export/ledger", verifyLedger),
  page("/doctor", diagnoseServer, "Doctor"),
  page("/doctor/progress/:job_id", showJob),
  page("/system", showSystem, "System and settings"),
  // Whoever is signed in may read it: keys are what every role may list.
  page("/docs", listKeys, "API reference"),
  ...settings("provider", showProvider, setProvider, deleteProvider),
  ...settings("model", showModel, setModel, deleteModel),
  ...settings("route", showRoute, setRoute, deleteRoute),
  form("/projects", createProject),
  form("/projects/:project/enable", enableProject),
  form("/projects/:project/disable", disableProject),
  form("/projects/:project/resume", resumeProject),
  form("/projects/:project/budgets", setProject),
  form("/projects/:project/limits", setProject),
  form("/projects/:project/credit", creditProject),
  form("/projects/:project/prompts", setProject),
  form("/projects/:project/forget-prompts", forgetPrompts),
  form("/keys", createKey),
  form("/keys/:key_id/settings", setKey),
  form("/keys/:key_id/budgets", setKey),
  form("/keys/:key_id/limits", setKey),
  form("/keys/:key_id/rotate", rotateKey),
  form("/keys/:key_id/end-grace", endGrace),
  form("/keys/:key_id/enable", enableKey),
  form("/keys/:key_id/disable", disableKey),
  form("/keys/:key_id/resume", resumeKey),
  form("/keys/:key_id/delete", deleteKey),
  form("/routes/enable", enableRoute),
  form("/routes/disable", disableRoute),
  form("/routes/maintenance", maintainRoute),
  form("/routes/back", maintainRoute),
  form("/providers/tests/run", testProviders),
  form("/providers/tests/cancel", cancelJob),
  form("/video-queue/pause", pauseVideos),
  form("/video-queue/resume", resumeVideos),
  form("/videos/:video_id/move", moveVideo),
  form("/videos/:video_id/delete", deleteVideo),
  form("/videos/:video_id/retry", retryVideo),
  form("/videos/:video_id/resend", resendWebhook),
  form("/batches/:batch_id/cancel", cancelBatch),
  form("/ledger/verify", verifyLedger),
  form("/ledger/cancel", cancelJob),
  form("/backups/make", createBackup),
  form("/backups/cancel", cancelJob),
  form("/doctor/run", diagnoseServer),
  form("/doctor/cancel", cancelJob),
];

const PATTERNS = DOORS.map((door) => ({
  door,
  pattern: new RegExp(
    `^${
      door.path.replaceAll(/:(\w+)\*/g, "(?<$1>[^/]+)(?:/.*)?").replaceAll(
        /:(\w+)/g,
        "(?<$1>[^/]+)",
      )
    }$`,
  ),
}));

interface OpenDoor {
  readonly operation: Operation;
  /** The parts of the path, as they are written in it. */
  readonly parts: Readonly<Record<string, string>>;
}

function doorAt(method: string, path: string): OpenDoor | undefined {
  const asked = method === "HEAD" ? "GET" : method;
  for (const { door, pattern } of PATTERNS) {
    const match = door.method === asked ? pattern.exec(path) : null;
    if (match !== null) return { operation: door.operation, parts: { ...match.groups } };
  }
  return undefined;
}

/** Below `/console`, without the slash at its end. */
function placeOf(pathname: string): string {
  return pathname.replace(/^\/console/, "").replace(/\/+$/, "") || "/";
}

/** Whether somebody may send a form, by its action from `/console` on. */
export function maySend(rights: Rights, action: string): boolean {
  const place = placeOf(action);
  if (place === "/leave") return true;
  const door = doorAt("POST", place);
  return door === undefined ? rights.role === "owner" : mayRun(door.operation, rights);
}

/** Whether somebody may open a page, by an address that leads there from `/console` on. */
export function mayOpen(rights: Rights, address: string): boolean {
  const door = doorAt("GET", placeOf(address.replace(/[?#].*/, "")));
  return door === undefined ? rights.role === "owner" : mayRun(door.operation, rights);
}

/** The menu of somebody: of a member, his project comes first. */
export function menuOf(rights: Rights): readonly (readonly [path: string, name: string])[] {
  const places = DOORS.filter(({ name, operation }) =>
    name !== undefined && mayRun(operation, rights)
  )
    .map(({ path, name }) => [`/console${path === "/" ? "" : path}`, name!] as const);
  return rights.role === "member" ? [[ownPage(rights.project), "Project"], ...places] : places;
}

function ownPage(project: string): string {
  return `/console/projects/${encodeURIComponent(project)}`;
}

/** @throws {GatewayError} `not_found` where it is no part of any address. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new GatewayError(
      "not_found",
      "There is no such page: a % in its address stands for nothing",
    );
  }
}

/**
 * Lets those through who may: by the operation that a page or a form stands for. A member is led to his
 * project from the first page, and what a path names has to be his project's.
 */
export function requireDoor(admin: AdminDeps): MiddlewareHandler<ConsoleEnv> {
  return async function requireDoor(context, next) {
    const { rights } = context.var;
    const { method, path } = context.req;
    const place = placeOf(path);
    if (rights.role === "owner") return await next();
    if (rights.role === "member" && place === "/") {
      return context.redirect(ownPage(rights.project), 303);
    }
    const door = doorAt(method, place);
    if (door === undefined) {
      throw new GatewayError(
        "role_not_allowed",
        `There is no such page, or it is an owner's, and this is a ${rights.role}'s session: the menu ` +
          "has all that this one may open",
      );
    }
    requireRights(door.operation, rights);
    const named = Object.entries(door.parts).map(([name, part]) => [name, decoded(part)] as const);
    if (rights.role === "member" && named.length > 0) {
      await door.operation.heldTo!(rights.project, Object.fromEntries(named) as never, admin);
    }
    return await next();
  };
}
