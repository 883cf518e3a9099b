/**
 * Project keys: made, listed, switched and deleted. A key itself is told once,
 * by the operation that makes it.
 *
 * @module
 */

import * as z from "zod";
import { makeKey } from "../accounts/project_key.ts";
import type { ProjectKey } from "../domain/account.ts";
import { randomName } from "../domain/ids.ts";
import { GatewayError } from "../errors.ts";
import { commitChange } from "./commit_change.ts";
import type { AdminDeps } from "./deps.ts";
import {
  limitsField,
  limitsToJson,
  modelPatternsField,
  timeToJson,
  toLimits,
} from "./input_fields.ts";
import type { LimitsJson } from "./input_fields.ts";
import { readMoment } from "./moments.ts";
import { oneAtATime } from "./one_at_a_time.ts";
import { defineOperation } from "./operation.ts";
import { patternWarnings } from "./pattern_warnings.ts";
import { requireProject } from "./projects.ts";

/** A key as shown: never the key, never its hash. */
export interface KeyRow {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  /** The key's first characters, to recognise it by. */
  readonly prefix: string;
  /** `null`: every model of the project. */
  readonly models: readonly string[] | null;
  readonly limits: LimitsJson;
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

/** Fewer characters of an id or prefix name nothing, not even when they are unique. */
const SHORTEST_NAME = 5;

export const createKey = defineOperation({
  name: "keys.create",
  method: "POST",
  path: "/keys",
  summary: "Makes a key for a project and tells it, this once.",
  input: z.strictObject({
    project: z.string().min(1),
    name: z.string().max(100).default(""),
    models: modelPatternsField.optional(),
    expires: z.string().optional(),
    limits: limitsField.default({}),
  }),
  async run(deps, input): Promise<CreatedKey> {
    const { id: projectId } = requireProject(deps, input.project);
    const { key, hash, prefix } = makeKey();
    const now = deps.clock.now();
    const stored: ProjectKey = {
      id: `key_${randomName(12)}`,
      projectId,
      name: input.name,
      prefix,
      hash,
      models: input.models,
      limits: toLimits(input.limits),
      expiresAt: input.expires === undefined ? undefined : readExpiry(input.expires, now),
      disabled: false,
      createdAt: now,
    };
    await commitChange(deps, { kind: "create_key", key: stored }, {
      missing: `There is no project '${projectId}'`,
    });
    deps.directory.putKey(stored);
    const warnings = patternWarnings(deps, input.models ?? []);
    return { key, ...keyRow(stored, now), warnings };
  },
});

export const listKeys = defineOperation({
  name: "keys.list",
  method: "GET",
  path: "/keys",
  summary: "Lists keys, never the keys themselves.",
  input: z.strictObject({ project: z.string().min(1).optional() }),
  run(deps, { project }): Promise<readonly KeyRow[]> {
    if (project !== undefined) requireProject(deps, project);
    const now = deps.clock.now();
    const rows = deps.directory.keys()
      .filter((key) => project === undefined || key.projectId === project)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      .map((key) => keyRow(key, now));
    return Promise.resolve(rows);
  },
});

const keyById = z.strictObject({ key_id: z.string().min(1) });

export const enableKey = defineOperation({
  name: "keys.enable",
  method: "POST",
  path: "/keys/{key_id}/enable",
  summary: "Lets a key be used again.",
  input: keyById,
  run: (deps, { key_id }) => switchKey(deps, key_id, { disabled: false }),
});

export const disableKey = defineOperation({
  name: "keys.disable",
  method: "POST",
  path: "/keys/{key_id}/disable",
  summary: "Refuses a key, at once.",
  input: keyById,
  run: (deps, { key_id }) => switchKey(deps, key_id, { disabled: true }),
});

export const deleteKey = defineOperation({
  name: "keys.delete",
  method: "DELETE",
  path: "/keys/{key_id}",
  summary: "Deletes a key for good; its calls stay.",
  input: keyById,
  run(deps, { key_id }): Promise<{ readonly id: string; readonly deleted: true }> {
    return oneAtATime(deps, async () => {
      const { id } = findKey(deps, key_id);
      await commitChange(deps, { kind: "delete_key", keyId: id }, { missing: noKey(id).message });
      deps.directory.removeKey(id);
      return { id, deleted: true };
    });
  },
});

function switchKey(
  deps: AdminDeps,
  name: string,
  { disabled }: Pick<ProjectKey, "disabled">,
): Promise<KeyRow> {
  return oneAtATime(deps, async () => {
    const key = { ...findKey(deps, name), disabled };
    await commitChange(deps, { kind: "update_key", key }, { missing: noKey(key.id).message });
    deps.directory.putKey(key);
    return keyRow(key, deps.clock.now());
  });
}

/**
 * The key of that id, or the only one whose id or visible prefix begins so.
 *
 * @throws {GatewayError} `not_found`, `conflict` when several begin so.
 */
export function findKey({ directory }: Pick<AdminDeps, "directory">, name: string): ProjectKey {
  const exact = directory.key(name);
  if (exact !== undefined) return exact;
  const found = name.length < SHORTEST_NAME || name === "sk-tg-" ? [] : directory.keys().filter(
    ({ id, prefix }) => id.startsWith(name) || prefix.startsWith(name),
  );
  if (found.length > 1) {
    const ids = found.slice(0, 8).map(({ id }) => id).join(", ");
    throw new GatewayError("conflict", `Several keys begin with '${name}': name one of ${ids}`);
  }
  if (found[0] === undefined) throw noKey(name);
  return found[0];
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

function keyRow(key: ProjectKey, now: number): KeyRow {
  return {
    id: key.id,
    project: key.projectId,
    name: key.name,
    prefix: key.prefix,
    models: key.models ?? null,
    limits: limitsToJson(key.limits),
    expires_at: timeToJson(key.expiresAt),
    expired: key.expiresAt !== undefined && key.expiresAt <= now,
    disabled: key.disabled,
    created_at: timeToJson(key.createdAt),
  };
}
