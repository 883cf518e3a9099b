/**
 * Project keys: made, listed, switched and deleted. A key itself is told once,
 * by the operation that makes it.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { makeKey } from "../../accounts/project_key.ts";
import type { ProjectKey } from "../../domain/account.ts";
import type { AuditFields } from "../../domain/audit.ts";
import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import { deletedAnswer, shownTime, warningsField } from "../base/answer_fields.ts";
import {
  budgetsField,
  budgetsPatchField,
  budgetsToJson,
  spendFields,
  spendRow,
  toBudgets,
} from "./budgets.ts";
import { commitChange, commitDifference } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
import {
  limitsField,
  limitsPatchField,
  limitsToJson,
  modelPatternsField,
  timeToJson,
  toLimits,
} from "../base/input_fields.ts";
import { readMoment } from "../base/moments.ts";
import { oneAtATime } from "../base/one_at_a_time.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { goneCursor, pageAnswer, pageFields, pageOfIds } from "../base/page.ts";
import { patternWarnings } from "./pattern_warnings.ts";
import { projectField, requireProject } from "./projects.ts";

/** A key as shown: never the key, never its hash. */
export const shownKey = z.object({
  id: z.string(),
  project: z.string(),
  name: z.string(),
  prefix: z.string().describe("The key's first characters, to recognise it by"),
  models: z.array(z.string()).nullable().describe("null: every model of the project"),
  limits: limitsField,
  budgets: budgetsField,
  ...spendFields,
  expires_at: shownTime.nullable(),
  expired: z.boolean(),
  disabled: z.boolean(),
  created_at: shownTime,
});

/** The value of {@linkcode shownKey}. */
export type KeyRow = Shown<typeof shownKey>;

/** The key that an operation is about. */
export const keyField = z.string().min(1).describe("id of the key");

const byKey = z.strictObject({ key_id: keyField });

const nameField = z.string().max(100).regex(
  /^\P{Cc}*$/u,
  "Expected text without control characters",
).describe("what the key is for").register(optionWords, { placeholder: "text" });

const expiresField = z.string().register(optionWords, { placeholder: "when" });

export const createKey = defineOperation({
  name: "keys.create",
  method: "POST",
  path: "/keys",
  effects: "changes",
  summary: "Makes a key for a project and tells it, this once.",
  input: z.strictObject({
    project: projectField.describe("the project that owns and pays"),
    name: nameField.default(""),
    models: modelPatternsField.optional()
      .describe("only these of the project's models: ids, prefix*"),
    expires: expiresField.optional()
      .describe("date (2027-01-31), time with zone, or duration (12h, 30d)"),
    limits: limitsField.default({}),
    budgets: budgetsField.default({}),
  }),
  output: shownKey.extend({
    key: z.string().describe("Told this once"),
    warnings: warningsField,
  }),
  errors: ["not_found"],
  async run(deps, input) {
    const { id: projectId } = requireProject(deps, input.project);
    const now = deps.clock.now();
    const { key, stored } = newKey({
      projectId,
      name: input.name,
      models: input.models,
      limits: toLimits(input.limits),
      budgets: toBudgets(input.budgets),
      expiresAt: input.expires === undefined ? undefined : readExpiry(input.expires, now),
      disabled: false,
      createdAt: now,
    });
    await commitChange(deps, {
      operation: "keys.create",
      subject: `key:${stored.id}`,
      after: auditedKey(deps, stored),
      entries: [{ kind: "create_key", key: stored }],
    }, {
      missing: `There is no project '${projectId}'`,
    });
    deps.directory.putKey(stored);
    const warnings = patternWarnings(deps, input.models ?? []);
    return { key, ...keyRow(deps, stored), warnings };
  },
});

/** A key to be told once, and what is stored of it. */
export function newKey(
  settings: Omit<ProjectKey, "id" | "prefix" | "hash">,
): { readonly key: string; readonly stored: ProjectKey } {
  const { key, hash, prefix } = makeKey();
  return { key, stored: { ...settings, id: `key_${randomName(12)}`, prefix, hash } };
}

export const listKeys = defineOperation({
  name: "keys.list",
  method: "GET",
  path: "/keys",
  effects: "reads",
  summary: "Lists keys, never the keys themselves.",
  input: z.strictObject({
    ...pageFields,
    project: projectField.optional().describe("only this project's"),
  }),
  output: pageAnswer(shownKey),
  errors: ["not_found"],
  async run(deps, { project, limit, after: afterId }) {
    if (project !== undefined) requireProject(deps, project);
    const after = afterId === undefined ? undefined : deps.directory.key(afterId);
    if (afterId !== undefined && after === undefined) throw goneCursor("key", afterId);
    const ids = await deps.storage.accounts.keyIds({ projectId: project, after, limit: limit + 1 });
    return pageOfIds(ids, limit, (id) => {
      const key = deps.directory.key(id);
      return key && keyRow(deps, key);
    });
  },
});

export const showKey = defineOperation({
  name: "keys.show",
  method: "GET",
  path: "/keys/{key_id}",
  effects: "reads",
  summary: "Shows a key, never the key itself.",
  input: byKey,
  output: shownKey,
  errors: ["not_found"],
  run: (deps, { key_id }) => Promise.resolve(keyRow(deps, requireKey(deps, key_id))),
});

export const setKey = defineOperation({
  name: "keys.set",
  method: "POST",
  path: "/keys/{key_id}",
  effects: "changes",
  summary: "Changes the given settings of a key; what is null is taken away.",
  input: z.strictObject({
    key_id: keyField,
    name: nameField.optional(),
    models: modelPatternsField.nullable().optional()
      .describe("only these of the project's models, or all").register(optionWords, {
        none: "all",
      }),
    expires: expiresField.nullable().optional()
      .describe("date, time with zone, duration (12h, 30d), or never")
      .register(optionWords, { none: "never" }),
    limits: limitsPatchField.optional(),
    budgets: budgetsPatchField.optional(),
  }),
  output: shownKey.extend({ warnings: warningsField }),
  errors: ["not_found"],
  run(deps, { key_id, name, models, expires, limits, budgets }) {
    return oneAtATime(deps, async () => {
      const before = requireKey(deps, key_id);
      const key: ProjectKey = {
        ...before,
        name: name ?? before.name,
        models: models === undefined ? before.models : models ?? undefined,
        expiresAt: expires === undefined
          ? before.expiresAt
          : expires === null
          ? undefined
          : readExpiry(expires, deps.clock.now()),
        limits: toLimits({ ...limitsToJson(before.limits), ...limits }),
        budgets: toBudgets({ ...budgetsToJson(before.budgets), ...budgets }),
      };
      await update(deps, key, { operation: "keys.set", before });
      return { ...keyRow(deps, key), warnings: patternWarnings(deps, models ?? []) };
    });
  },
});

export const enableKey = switchOperation("enable", "Lets a key be used again.");
export const disableKey = switchOperation("disable", "Refuses a key, at once.");

function switchOperation(verb: "enable" | "disable", summary: string) {
  const name = `keys.${verb}`;
  return defineOperation({
    name,
    method: "POST",
    path: `/keys/{key_id}/${verb}`,
    effects: "changes",
    summary,
    input: byKey,
    output: shownKey,
    errors: ["not_found"],
    run: (deps, { key_id }) =>
      oneAtATime(deps, async () => {
        const before = requireKey(deps, key_id);
        const key = { ...before, disabled: verb === "disable" };
        await update(deps, key, { operation: name, before });
        return keyRow(deps, key);
      }),
  });
}

export const deleteKey = defineOperation({
  name: "keys.delete",
  method: "DELETE",
  path: "/keys/{key_id}",
  effects: "changes",
  summary: "Deletes a key for good; its calls stay.",
  input: byKey,
  output: deletedAnswer,
  errors: ["not_found"],
  run(deps, { key_id }) {
    return oneAtATime(deps, async () => {
      const key = requireKey(deps, key_id);
      const { id } = key;
      await commitChange(deps, {
        operation: "keys.delete",
        subject: `key:${id}`,
        before: auditedKey(deps, key),
        entries: [{ kind: "delete_key", keyId: id }],
      }, { missing: noKey(id).message });
      deps.directory.removeKey(id);
      deps.spending.forgetKey(id);
      return { id, deleted: true as const };
    });
  },
});

/** Writes what differs from `before`, if anything does. */
async function update(
  deps: AdminDeps,
  key: ProjectKey,
  { operation, before }: { readonly operation: string; readonly before: ProjectKey },
): Promise<void> {
  const isWritten = await commitDifference(deps, {
    operation,
    subject: `key:${key.id}`,
    before: auditedKey(deps, before),
    after: auditedKey(deps, key),
    entries: [{ kind: "update_key", key }],
  }, { missing: noKey(key.id).message });
  if (isWritten) deps.directory.putKey(key);
}

/** A key for the audit log: what makes it known, never the key and never its hash. */
export function auditedKey(deps: KeyRowDeps, key: ProjectKey): AuditFields {
  const {
    id: _id,
    expired: _expired,
    spent: _spent,
    paused: _paused,
    reached_budgets: _reached,
    ...settings
  } = keyRow(deps, key);
  return settings;
}

/**
 * The key of that id, whole: how it begins might be another one's tomorrow.
 *
 * @throws {GatewayError} `not_found`
 */
export function requireKey({ directory }: Pick<AdminDeps, "directory">, id: string): ProjectKey {
  const key = directory.key(id);
  if (key === undefined) throw noKey(id);
  return key;
}

function noKey(name: string): GatewayError {
  // A whole key is a secret: it is not repeated where it may be logged.
  const shown = name.startsWith("sk-tg-") ? `${name.slice(0, 12)}…` : name;
  return new GatewayError(
    "not_found",
    `There is no key '${shown}': name it by its id, see \`tollgate keys list\``,
  );
}

function readExpiry(text: string, nowMs: number): number {
  const at = readMoment(text, { nowMs, duration: "ahead", param: "expires" });
  if (at > nowMs) return at;
  throw new GatewayError("invalid_value", `Cannot make a key that expires in the past: ${text}`, {
    param: "expires",
  });
}

/** What a key's row is made from. */
type KeyRowDeps = Pick<AdminDeps, "clock" | "spending">;

/** A key as it is shown now. */
export function keyRow(deps: KeyRowDeps, key: ProjectKey): KeyRow {
  return {
    id: key.id,
    project: key.projectId,
    name: key.name,
    prefix: key.prefix,
    models: key.models ?? null,
    limits: limitsToJson(key.limits),
    budgets: budgetsToJson(key.budgets),
    ...spendRow(deps, { scope: "key", id: key.id }),
    expires_at: timeToJson(key.expiresAt),
    expired: key.expiresAt !== undefined && key.expiresAt <= deps.clock.now(),
    disabled: key.disabled,
    created_at: timeToJson(key.createdAt),
  };
}
