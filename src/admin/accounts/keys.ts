/**
 * Project keys: made, listed, switched and deleted. A key itself is told once,
 * by the operation that makes it.
 *
 * @module
 */

import * as z from "zod";
import { makeKey } from "../../accounts/project_key.ts";
import type { Shown } from "../../documents/shown.ts";
import type { ProjectKey } from "../../domain/account.ts";
import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import { deletedAnswer, shownTime, timeToJson, warningsField } from "../base/fields.ts";
import { WITHOUT_CONTROL } from "../base/line_patterns.ts";
import { commitChange, oneAtATime } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
import { readMoment } from "../base/moments.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { pageAnswer, pageFields } from "../base/page.ts";
import {
  accountFields,
  type AccountKind,
  accountOperations,
  accountRowOf,
  changeAccount,
  pageOfAccounts,
  requireAccount,
  settingsOf,
} from "./account.ts";
import { heldToOwn, heldToProject } from "./own_project.ts";
import { budgets, limits, modelPatternsField, patternWarnings } from "./bounds.ts";
import { projectField, requireProject } from "./projects.ts";

/** A key as shown: never the key, never its hash. */
const shownKey = z.object({
  id: z.string(),
  project: z.string(),
  name: z.string(),
  prefix: z.string().describe("The key's first characters, to recognise it by"),
  models: z.array(z.string()).nullable().describe("null: every model of the project"),
  expires_at: shownTime.nullable(),
  expired: z.boolean(),
  earlier: z.object({ prefix: z.string(), until: shownTime }).nullable().optional().describe(
    "What it was before it was rotated, and until when that works; null for nothing",
  ),
  ...accountFields,
});

export type KeyRow = Shown<typeof shownKey>;

const byKey = z.strictObject({ key_id: z.string().min(1).describe("id of the key") });

/** Keys among {@linkcode AccountKind}s. */
export const KEYS: AccountKind<ProjectKey, typeof byKey, typeof shownKey> = {
  scope: "key",
  path: "/keys/{key_id}",
  input: byKey,
  idOf: ({ key_id }) => key_id,
  shown: shownKey,
  row: (deps, key) => ({
    id: key.id,
    project: key.projectId,
    name: key.name,
    prefix: key.prefix,
    models: key.models ?? null,
    expires_at: timeToJson(key.expiresAt),
    expired: key.expiresAt !== undefined && key.expiresAt <= deps.clock.now(),
    earlier: key.earlier === undefined || key.earlier.until <= deps.clock.now()
      ? null
      : { prefix: key.earlier.prefix, until: timeToJson(key.earlier.until) },
    ...accountRowOf(deps, "key", key),
  }),
  find: ({ directory }, id) => directory.key(id),
  missing(_deps, id) {
    // A whole key is a secret: it is not repeated where it may be logged.
    const shown = id.startsWith("sk-tg-") ? `${id.slice(0, 12)}…` : id;
    return new GatewayError(
      "not_found",
      `There is no key '${shown}': name it by its id, see \`tollgate keys list\``,
    );
  },
  heldTo: (project, input, deps) =>
    heldToOwn(input, {
      of: deps.directory.key(input.key_id)?.projectId,
      project,
      missing: () => KEYS.missing(deps, input.key_id),
    }),
  update: (key) => ({ kind: "update_key", key }),
  put: ({ directory }, key) => directory.putKey(key),
};

const nameField = z.string().max(100).regex(
  WITHOUT_CONTROL,
  "Expected text without control characters",
).describe("what the key is for").register(optionWords, { placeholder: "text" });

const modelsField = modelPatternsField
  .describe("only these of the project's models: ids, prefix*")
  .register(optionWords, { none: "all" });

const expiresField = z.string()
  .describe("date (2027-01-31), time with zone, or duration (12h, 30d)")
  .register(optionWords, { placeholder: "when", none: "never" });

export const createKey = defineOperation({
  name: "keys.create",
  method: "POST",
  path: "/keys",
  role: "operator",
  changes: "key",
  summary: "Make a key for a project and tell it, this once.",
  input: z.strictObject({
    project: projectField.describe("the project that owns and pays"),
    name: nameField.default(""),
    models: modelsField.optional(),
    expires: expiresField.optional(),
    limits: limits.field.default({}),
    budgets: budgets.field.default({}),
  }),
  output: z.object({
    ...shownKey.pick({ id: true }).shape,
    key: z.string().describe("Told this once"),
    ...shownKey.omit({ id: true }).shape,
    warnings: warningsField,
  }),
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, { project, name, models, expires, ...bounds }) {
    const { id: projectId } = requireProject(deps, project);
    const now = deps.clock.now();
    const { key, stored } = newKey({
      projectId,
      name,
      models,
      limits: limits.read(bounds.limits),
      budgets: budgets.read(bounds.budgets),
      expiresAt: expires === undefined ? undefined : readExpiry(expires, now),
      disabled: false,
      createdAt: now,
    });
    await commitChange(deps, {
      id: stored.id,
      after: settingsOf(deps, KEYS, stored),
      entries: [{ kind: "create_key", key: stored }],
      put: () => KEYS.put(deps, stored),
    }, { missing: `There is no project '${projectId}'` });
    const { id, ...row } = KEYS.row(deps, stored);
    return { id, key, ...row, warnings: patternWarnings(deps, models) };
  },
});

/** A key to be told once, and what is stored of it. */
export function newKey(
  settings: Omit<ProjectKey, "id" | "prefix" | "hash">,
): { readonly key: string; readonly stored: ProjectKey } {
  const { key, hash, prefix } = makeKey();
  const id = `key_${randomName(12)}`;
  return { key, stored: { ...settings, id, prefix, hash, earlier: undefined } };
}

export const listKeys = defineOperation({
  name: "keys.list",
  method: "GET",
  path: "/keys",
  role: "viewer",
  summary: "List keys, never the keys themselves.",
  input: z.strictObject({
    ...pageFields,
    project: projectField.optional().describe("only this project's"),
  }),
  output: pageAnswer(shownKey),
  errors: ["not_found"],
  heldTo: heldToProject,
  async run(deps, { project: projectId, ...page }) {
    if (projectId !== undefined) requireProject(deps, projectId);
    const { accounts } = deps.storage;
    return await pageOfAccounts(
      deps,
      KEYS,
      { ...page, ...(projectId !== undefined && { within: (key) => key.projectId === projectId }) },
      (after, limit) => accounts.keyIds({ projectId, after, limit }),
    );
  },
});

export const setKey = defineOperation({
  name: "keys.set",
  method: "POST",
  path: KEYS.path,
  role: "operator",
  changes: "key",
  summary: "Change the given settings of a key; what is null is taken away.",
  input: byKey.extend({
    name: nameField.optional(),
    models: modelsField.nullable().optional(),
    expires: expiresField.nullable().optional(),
    limits: limits.patch.optional(),
    budgets: budgets.patch.optional(),
  }),
  output: shownKey.extend({ warnings: warningsField }),
  errors: ["not_found"],
  heldTo: KEYS.heldTo,
  async run(deps, { key_id: id, name, models, expires, ...bounds }) {
    const row = await changeAccount(deps, KEYS, {
      id,
      change: (before) => ({
        ...before,
        name: name ?? before.name,
        models: models === undefined ? before.models : models ?? undefined,
        expiresAt: expires === undefined
          ? before.expiresAt
          : expires === null
          ? undefined
          : readExpiry(expires, deps.clock.now()),
        limits: limits.change(before.limits, bounds.limits),
        budgets: budgets.change(before.budgets, bounds.budgets),
      }),
    });
    return { ...row, warnings: patternWarnings(deps, models) };
  },
});

export const { show: showKey, enable: enableKey, disable: disableKey, resume: resumeKey } =
  accountOperations(KEYS, {
    show: "Show a key, never the key itself.",
    enable: "Let a key be used again.",
    disable: "Refuse a key, at once.",
  });

export const deleteKey = defineOperation({
  name: "keys.delete",
  method: "DELETE",
  path: KEYS.path,
  role: "operator",
  changes: "key",
  summary: "Delete a key for good; its calls stay.",
  input: byKey,
  output: deletedAnswer,
  errors: ["not_found"],
  heldTo: KEYS.heldTo,
  run(deps, { key_id: id }) {
    return oneAtATime(deps, async (deps) => {
      await commitChange(deps, {
        id,
        before: settingsOf(deps, KEYS, requireKey(deps, id)),
        entries: [{ kind: "delete_key", keyId: id }],
        put() {
          deps.directory.removeKey(id);
          deps.spending.forgetKey(id);
        },
      }, { missing: KEYS.missing(deps, id).message });
      return { id, deleted: true as const };
    });
  },
});

/** What every id and every key begins with says nothing. */
const SHORTEST_BEGINNING = 5;
const SAYS_NOTHING: ReadonlySet<string> = new Set(["sk-tg", "sk-tg-"]);
const MOST_FOUND = 8;

/** For people, who then say which one they mean: what changes a key takes its whole id. */
export const findKeys = defineOperation({
  name: "keys.find",
  method: "GET",
  path: "/keys/find",
  role: "viewer",
  summary: "Find keys by how their id, or the visible part of the key, begins.",
  input: z.strictObject({
    begins: z.string().min(1).max(100),
    project: projectField.optional().describe("only this project's"),
  }),
  output: z.object({
    keys: z.array(shownKey),
    more: z.boolean().describe("Whether there are more than are shown"),
  }),
  errors: ["not_found"],
  heldTo: heldToProject,
  run(deps, { begins, project }) {
    const found = saysTooLittle(begins) ? [] : deps.directory.keys().filter(
      ({ id, prefix, projectId }) =>
        (project === undefined || projectId === project) &&
        (id.startsWith(begins) || prefix.startsWith(begins)),
    );
    return Promise.resolve({
      keys: found.slice(0, MOST_FOUND).map((key) => KEYS.row(deps, key)),
      more: found.length > MOST_FOUND,
    });
  },
});

/** Whether every key might begin so: nothing is looked for then. */
export function saysTooLittle(begins: string): boolean {
  return begins.length < SHORTEST_BEGINNING || SAYS_NOTHING.has(begins);
}

/** @throws {GatewayError} `not_found` */
export function requireKey(deps: AdminDeps, id: string): ProjectKey {
  return requireAccount(deps, KEYS, id);
}

function readExpiry(text: string, nowMs: number): number {
  const at = readMoment(text, { nowMs, duration: "ahead", param: "expires" });
  if (at > nowMs) return at;
  throw new GatewayError("invalid_value", `Cannot make a key that expires in the past: ${text}`, {
    param: "expires",
  });
}
