/**
 * The settings of signing in by OpenID Connect, and what is wrong with them together.
 *
 * @module
 */

import * as z from "zod";
import type { Problem } from "../documents/problem.ts";
import { systemClock } from "../domain/clock.ts";
import { type ClaimRole, isPrivateWay, type OidcSettings } from "../domain/oidc.ts";
import { percentDecoded } from "../domain/percent_decoded.ts";
import { RANKS } from "../domain/roles.ts";
import { isSecretReference } from "../domain/secret_uses.ts";
import { createSecretResolver } from "./secrets.ts";
import type { Surroundings } from "./surroundings.ts";

const MOST_ROLES = 200;
const ROLES_HINT =
  "Expected CLAIM:VALUE=ROLE, such as groups:admins=owner, separated by commas; a role is " +
  `${RANKS.join(", ")} or member:PROJECT. In a claim or value, write %3A for : and %2C for a comma`;

/** `groups:shop=member:shop`; `undefined` where it is none. */
export function parseClaimRole(text: string): ClaimRole | undefined {
  const [, claim, value, role, project] =
    /^([^:]{1,300}):(.{1,500})=([a-z]+)(?::([A-Za-z0-9._-]{1,64}))?$/s.exec(text.trim()) ?? [];
  if (claim === undefined || value === undefined) return undefined;
  const read = { claim: percentDecoded(claim), value: percentDecoded(value) };
  if (read.claim === undefined || read.value === undefined) return undefined;
  const { claim: name, value: says } = read;
  if (role === "member" && project !== undefined) {
    return { claim: name, value: says, rights: { role, project } };
  }
  const rank = RANKS.find((one) => one === role);
  if (rank === undefined || project !== undefined) return undefined;
  return { claim: name, value: says, rights: { role: rank } };
}

export const OIDC_FIELDS = {
  oidc_issuer: z.string().max(1_000).refine(
    (text) => isPrivateWay(text) && !/[?#]/.test(text),
    "Expected https:// and an issuer without '?' and '#'; http:// only on this machine, such as " +
      "http://localhost:9000",
  ).optional().meta({
    placeholder: "URL",
    description: "OpenID Connect issuer whose people may sign in at the console, such as " +
      "https://login.example.com/realms/staff. It sends them back to " +
      "BASE_URL/console/oidc/callback. Default: nobody signs in that way.",
  }),
  oidc_client_id: z.string().regex(/^[\x21-\x7e]{1,255}$/, "Expected printable ASCII").optional()
    .meta({
      placeholder: "ID",
      description: "What the gateway is called at oidc_issuer. Default: none.",
    }),
  oidc_client_secret: z.string().refine(
    isSecretReference,
    "Expected a reference, not the secret itself: write env:NAME, file:/path or credential:NAME",
  ).optional().meta({
    placeholder: "REFERENCE",
    description: "env:NAME, file:/path or credential:NAME of the secret that oidc_issuer has " +
      "given with the client ID. Default: none, for a public client.",
  }),
  oidc_roles: z.union([z.string(), z.array(z.string()).max(MOST_ROLES)], ROLES_HINT)
    .transform((given, context) => {
      const texts = (typeof given === "string" ? given.split(",") : given).map((text) =>
        text.trim()
      );
      if (texts.length <= MOST_ROLES && texts.every((text) => parseClaimRole(text) !== undefined)) {
        return texts;
      }
      context.addIssue({ code: "custom", message: ROLES_HINT });
      return z.NEVER;
    }).optional().meta({
      placeholder: "ROLES",
      description: "What people of oidc_issuer may do, as CLAIM:VALUE=ROLE, separated by commas, " +
        "such as groups:admins=owner,groups:shop=member:shop. A role is " +
        `${RANKS.join(", ")} or member:PROJECT; the first that fits counts, and whom none fits ` +
        "is refused. Default: none.",
    }),
  oidc_scopes: z.string().regex(
    /^(?:[\x21\x23-\x5b\x5d-\x7e]+ )*[\x21\x23-\x5b\x5d-\x7e]+$/,
    "Expected scopes with single blanks between them",
  ).max(500).refine((text) => text.split(" ").includes("openid"), "Expected openid among them")
    .default("openid email profile").meta({
      placeholder: "SCOPES",
      description: "What oidc_issuer is asked to tell; some tell groups for a scope alone.",
    }),
};

/** The values of {@linkcode OIDC_FIELDS}. */
export type OidcValues = z.output<z.ZodObject<typeof OIDC_FIELDS>>;

/** As the program takes them; `undefined` where nobody signs in that way. */
export function toOidcSettings(values: OidcValues): OidcSettings | undefined {
  const { oidc_issuer: issuer, oidc_client_id: clientId, oidc_roles: roles } = values;
  if (issuer === undefined || clientId === undefined || roles === undefined) return undefined;
  return Object.freeze({
    issuer,
    clientId,
    clientSecret: values.oidc_client_secret,
    scopes: values.oidc_scopes,
    roles: Object.freeze(roles.map((text) => parseClaimRole(text)!)),
  });
}

const NEEDED = ["oidc_issuer", "oidc_client_id", "oidc_roles"] as const;

/** @param sources Where each value comes from. */
export function problemsOfOidc(
  values: Partial<OidcValues>,
  sources: Readonly<Record<string, string>>,
  { env, secretsAreElsewhere }: Surroundings,
): readonly Problem[] {
  const { oidc_client_secret: secret } = values;
  const given = [...NEEDED, "oidc_client_secret" as const].find((name) =>
    values[name] !== undefined
  );
  if (given === undefined) return [];
  const missing = NEEDED.filter((name) => values[name] === undefined);
  // One that is there and wrong has been told already.
  if (missing.length > 0) {
    const flags = missing.map((name) => `--${name.replaceAll("_", "-")}`).join(" and ");
    const message = `Nobody could sign in by it alone: set ${flags} as well`;
    return [{ source: sources[given]!, path: given, message }];
  }
  if (secret === undefined || secretsAreElsewhere === true) return [];
  const found = createSecretResolver({ env, clock: systemClock }).resolve(secret);
  if (found.ok) return [];
  const source = sources.oidc_client_secret!;
  return [{ source, path: "oidc_client_secret", message: found.message }];
}
