/**
 * Tokens of administration: made for a role, listed and revoked. A token itself is told once, by the
 * operation that makes it.
 *
 * @module
 */

import * as z from "zod";
import { makeToken, TOKEN_PREFIX } from "../../accounts/admin_tokens.ts";
import type { Shown } from "../../documents/shown.ts";
import { type AdminToken, stateOfToken } from "../../domain/admin_token.ts";
import type { AuditFields } from "../../domain/audit.ts";
import { randomName } from "../../domain/ids.ts";
import { type Rights, ROLES } from "../../domain/roles.ts";
import { GatewayError } from "../../errors.ts";
import { commitChange, oneAtATime } from "../base/commit_change.ts";
import type { AdminDeps } from "../base/deps.ts";
import { shownTime, timeToJson } from "../base/fields.ts";
import { WITHOUT_CONTROL } from "../base/line_patterns.ts";
import { readMoment } from "../base/moments.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { pageAnswer, pageFields, pageOfItems } from "../base/page.ts";
import { projectField, requireProject } from "./projects.ts";

const shownToken = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe("The token's first characters, to recognise it by"),
  role: z.enum(ROLES),
  project: z.string().nullable().describe("A member's; null of every other role"),
  state: z.enum(["active", "expired", "revoked"]),
  expires_at: shownTime.nullable(),
  created_at: shownTime,
  last_used_at: shownTime.nullable().describe("To the hour or so; null where it never was"),
  revoked_at: shownTime.nullable(),
});

export type TokenRow = Shown<typeof shownToken>;

/** What a role is asked for by, where a link or a token is made for it. */
export const rightsFields = {
  role: z.enum(ROLES),
  project: projectField.optional().describe("the project that a member is of"),
};

/**
 * The rights that are meant.
 *
 * @throws {GatewayError} `invalid_value` where a member has no project, or somebody else has one;
 * `not_found`.
 */
export function readRights(
  deps: AdminDeps,
  { role, project }: z.output<z.ZodObject<typeof rightsFields>>,
): Rights {
  if (role !== "member") {
    if (project === undefined) return { role };
    throw new GatewayError(
      "invalid_value",
      `A project is a member's alone: leave it out, or take the role member instead of ${role}`,
      { param: "project" },
    );
  }
  if (project === undefined) {
    throw new GatewayError("invalid_value", "Say which project the member is of", {
      param: "project",
    });
  }
  return { role, project: requireProject(deps, project).id };
}

export const createToken = defineOperation({
  name: "tokens.create",
  method: "POST",
  path: "/tokens",
  role: "owner",
  changes: "token",
  summary: "Make a token of administration for a role and tell it, this once.",
  input: z.strictObject({
    name: z.string().min(1).max(100).regex(
      WITHOUT_CONTROL,
      "Expected text without control characters",
    ).describe("whose it is, as the audit log tells it").register(optionWords, {
      placeholder: "text",
    }),
    ...rightsFields,
    role: rightsFields.role.describe("what it may do: owner, operator, viewer, member"),
    expires: z.string()
      .describe("date (2027-01-31), time with zone, or duration (12h, 90d)").optional()
      .register(optionWords, { placeholder: "when" }),
  }),
  output: z.object({
    ...shownToken.pick({ id: true }).shape,
    token: z.string().describe("Told this once"),
    ...shownToken.omit({ id: true }).shape,
  }),
  errors: ["not_found"],
  async run(deps, { name, expires, ...asked }) {
    const now = deps.clock.now();
    const { key, hash, prefix } = makeToken();
    const token: AdminToken = {
      id: `tok_${randomName(12)}`,
      name,
      prefix,
      hash,
      rights: readRights(deps, asked),
      expiresAt: expires === undefined ? undefined : readExpiry(expires, now),
      createdAt: now,
      lastUsedAt: undefined,
      revokedAt: undefined,
    };
    await commitChange(deps, {
      id: token.id,
      after: settingsOf(token, now),
      entries: [{ kind: "create_token", token }],
      put: () => deps.tokens.put(token),
    });
    const { id, ...row } = tokenRow(token, now);
    return { id, token: key, ...row };
  },
});

export const listTokens = defineOperation({
  name: "tokens.list",
  method: "GET",
  path: "/tokens",
  role: "owner",
  summary: "List tokens of administration, never the tokens themselves.",
  input: z.strictObject(pageFields),
  output: pageAnswer(shownToken),
  errors: [],
  run(deps, page) {
    const now = deps.clock.now();
    const show = (token: AdminToken) => tokenRow(token, now);
    return Promise.resolve(pageOfItems(deps.tokens.all(), { ...page, show, what: "token" }));
  },
});

export const revokeToken = defineOperation({
  name: "tokens.revoke",
  method: "POST",
  path: "/tokens/{token_id}/revoke",
  role: "owner",
  changes: "token",
  summary: "Take a token back for good: its next request is refused, and its sessions end.",
  input: z.strictObject({
    token_id: z.string().min(1).max(100).describe("id of the token"),
  }),
  output: shownToken,
  errors: ["not_found"],
  run(deps, { token_id: id }) {
    return oneAtATime(deps, async (deps) => {
      const token = requireToken(deps, id);
      const now = deps.clock.now();
      if (token.revokedAt !== undefined) return tokenRow(token, now);
      await commitChange(deps, {
        id,
        before: settingsOf(token, now),
        after: settingsOf({ ...token, revokedAt: now }, now),
        entries: [{ kind: "revoke_token", tokenId: id, at: now }],
        put: () => deps.tokens.put({ ...requireToken(deps, id), revokedAt: now }),
      });
      return tokenRow(requireToken(deps, id), now);
    });
  },
});

function requireToken({ tokens }: AdminDeps, id: string): AdminToken {
  const token = tokens.byId(id);
  if (token !== undefined) return token;
  // A whole token is a secret: it is not repeated where it may be logged.
  const shown = id.startsWith(TOKEN_PREFIX) ? `${id.slice(0, 12)}…` : id;
  throw new GatewayError(
    "not_found",
    `There is no token '${shown}': name it by its id, see \`tollgate tokens list\``,
  );
}

function tokenRow(token: AdminToken, now: number): TokenRow {
  const { rights } = token;
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    role: rights.role,
    project: rights.role === "member" ? rights.project : null,
    state: stateOfToken(token, now),
    expires_at: timeToJson(token.expiresAt),
    created_at: timeToJson(token.createdAt),
    last_used_at: timeToJson(token.lastUsedAt),
    revoked_at: timeToJson(token.revokedAt),
  };
}

/** For the audit log: never a token and never its hash. */
function settingsOf(token: AdminToken, now: number): AuditFields {
  const { id: _id, state: _state, last_used_at: _used, ...settings } = tokenRow(token, now);
  return settings;
}

function readExpiry(text: string, nowMs: number): number {
  const at = readMoment(text, { nowMs, duration: "ahead", param: "expires" });
  if (at > nowMs) return at;
  throw new GatewayError("invalid_value", `Cannot make a token that expires in the past: ${text}`, {
    param: "expires",
  });
}
