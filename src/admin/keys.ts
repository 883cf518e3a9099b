/**
 * Project keys: made, listed, switched and deleted. A key itself is told once,
 * by the operation that makes it.
 *
 * @module
 */

import * as z from "zod";
import { makeKey } from "../accounts/project_key.ts";
import type { ProjectKey } from "../domain/account.ts";
import type { AuditFields } from "../domain/audit.ts";
import { randomName } from "../domain/ids.ts";
import { GatewayError } from "../errors.ts";
import {
  budgetsField,
  type BudgetsJson,
  budgetsPatchField,
  budgetsToJson,
  type SpendRow,
  spendRow,
  toBudgets,
} from "./budgets.ts";
import { commitChange, commitDifference } from "./commit_change.ts";
import type { AdminDeps } from "./deps.ts";
import {
  limitsField,
  limitsPatchField,
  limitsToJson,
  modelPatternsField,
  nameField,
  timeToJson,
  toLimits,
} from "./input_fields.ts";
import type { LimitsJson } from "./input_fields.ts";
import { readMoment } from "./moments.ts";
import { oneAtATime } from "./one_at_a_time.ts";
import { defineOperation } from "./operation.ts";
import { goneCursor, type Page, pageFields, pageOfIds } from "./page.ts";
import { patternWarnings } from "./pattern_warnings.ts";
import { requireProject } from "./projects.ts";

/** A key as shown: never the key, never its hash. */
export interface KeyRow extends SpendRow {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  /** The key's first characters, to recognise it by. */
  readonly prefix: string;
  /** `null`: every model of the project. */
  readonly models: readonly string[] | null;
  readonly limits: LimitsJson;
  readonly budgets: BudgetsJson;
  readonly expires_at: string | null;
  readonly expired: boolean;
  readonly disabled: boolean;
  readonly created_at: string;
}

/** What making a key answers: the only time the key is told. */
export interface CreatedKey extends KeyRow {
  readonly key: string;
  readonly warnings: readonly string[];
}

export const createKey = defineOperation({
  name: "keys.create",
  method: "POST",
  path: "/keys",
  summary: "Makes a key for a project and tells it, this once.",
  input: z.strictObject({
    project: z.string().min(1),
    name: nameField.default(""),
    models: modelPatternsField.optional(),
    expires: z.string().optional(),
    limits: limitsField.default({}),
    budgets: budgetsField.optional(),
  }),
  async run(deps, input): Promise<CreatedKey> {
    const { id: projectId } = requireProject(deps, input.project);
    const now = deps.clock.now();
    const { key, stored } = newKey({
      projectId,
      name: input.name,
      models: input.models,
      limits: toLimits(input.limits),
      budgets: toBudgets(input.budgets ?? {}),
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
  summary: "Lists keys, never the keys themselves.",
  input: z.strictObject({ project: z.string().min(1).optional(), ...pageFields }),
  async run(deps, { project, limit, after: afterId }): Promise<Page<KeyRow>> {
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

export const setKey = defineOperation({
  name: "keys.set",
  method: "POST",
  path: "/keys/{key_id}",
  summary: "Changes the given settings of a key; what is null is taken away.",
  input: z.strictObject({
    key_id: z.string().min(1),
    name: nameField.optional(),
    models: modelPatternsField.nullable().optional(),
    expires: z.string().nullable().optional(),
    limits: limitsPatchField.optional(),
    budgets: budgetsPatchField.optional(),
  }),
  run(deps, { key_id, name, models, expires, limits, budgets }) {
    return oneAtATime(
      deps,
      async (): Promise<KeyRow & { readonly warnings: readonly string[] }> => {
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
      },
    );
  },
});

const keyById = z.strictObject({ key_id: z.string().min(1) });

export const enableKey = defineOperation({
  name: "keys.enable",
  method: "POST",
  path: "/keys/{key_id}/enable",
  summary: "Lets a key be used again.",
  input: keyById,
  run: (deps, { key_id }) => switchKey(deps, key_id, { operation: "keys.enable", disabled: false }),
});

export const disableKey = defineOperation({
  name: "keys.disable",
  method: "POST",
  path: "/keys/{key_id}/disable",
  summary: "Refuses a key, at once.",
  input: keyById,
  run: (deps, { key_id }) => switchKey(deps, key_id, { operation: "keys.disable", disabled: true }),
});

export const deleteKey = defineOperation({
  name: "keys.delete",
  method: "DELETE",
  path: "/keys/{key_id}",
  summary: "Deletes a key for good; its calls stay.",
  input: keyById,
  run(deps, { key_id }): Promise<{ readonly id: string; readonly deleted: true }> {
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
      return { id, deleted: true };
    });
  },
});

function switchKey(
  deps: AdminDeps,
  name: string,
  { operation, disabled }: Pick<ProjectKey, "disabled"> & { readonly operation: string },
): Promise<KeyRow> {
  return oneAtATime(deps, async () => {
    const before = requireKey(deps, name);
    const key = { ...before, disabled };
    await update(deps, key, { operation, before });
    return keyRow(deps, key);
  });
}

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
