/**
 * A request to an operation of administration: one that fits, one that nearly does, or one that has
 * little to do with it, as somebody of any role.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";
import type { Schema } from "../api_operation.ts";
import { type FuzzCase, joined, latin1 } from "../fuzz_case.ts";
import { oddText, oddValue } from "../generate/odd_values.ts";
import { SchemaValues } from "../generate/schema_values.ts";
import { adminHints, plainInput } from "./admin_values.ts";
import type { AdminOperation, AdminRole, AdminWorld } from "./admin_world.ts";

/** A case, and who asks. */
export interface AdminCase extends FuzzCase {
  readonly operation: AdminOperation;
  readonly role: AdminRole;
  /** Whether all that the document says of a request is so of this one. */
  readonly isFitting: boolean;
}

type CaseWorld = Pick<AdminWorld, "ids" | "tokens">;

const MANNERS = { fitting: 56, near: 24, wild: 12, protocol: 8 } as const;
const ROLES = { owner: 12, operator: 34, viewer: 16, member: 32, stranger: 3, outcast: 3 } as const;
const ODD_PARTS = ["0", "a".repeat(300), "%00", "..%2f..%2fetc%2fpasswd", "%2e%2e", "x%2Fy", "%zz"];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"];

/** What the operation is for, as its document wants it, by an owner. */
export function plainAdminCase(operation: AdminOperation, world: CaseWorld): AdminCase {
  const input = plainInput(operation.id, world.ids);
  const { path, names } = filledPath(
    operation,
    (name) => encodeURIComponent(String(input.path[name])),
  );
  const rest = Object.entries(input.rest).filter(([name]) => !names.includes(name));
  const isPost = operation.method === "POST";
  return written(operation, world, {
    ...{ manner: "plain", role: "owner", isFitting: true, method: operation.method },
    target: isPost ? path : withQuery(path, rest.map(([name, value]) => [name, String(value)])),
    body: isPost ? JSON.stringify(Object.fromEntries(rest)) : undefined,
    headers: operation.id === "ledger.verify" ? { Prefer: "respond-async" } : {},
  });
}

/** A case by chance. */
export function randomAdminCase(
  operation: AdminOperation,
  world: CaseWorld,
  random: SeededRandom,
): AdminCase {
  const manner = random.weighted(MANNERS);
  const values = new SchemaValues(random, adminHints(operation.path, world.ids));
  const valueOf = (schema: Schema, name: string) =>
    manner === "near" && random.chance(0.4)
      ? values.broken(schema, name)
      : values.fitting(schema, name);
  const { path } = filledPath(operation, (name) => {
    if (manner !== "fitting" && random.chance(0.25)) return random.pick(ODD_PARTS);
    const odd = manner === "wild" && random.chance(0.4);
    if (odd) return encodeURIComponent(oddText(random).toWellFormed().slice(0, 300)) || "%20";
    const { schema } = operation.parameters.find((one) => one.name === name)!;
    return encodeURIComponent(textOf(values.fitting(schema, name)).toWellFormed());
  });
  const query = operation.parameters.filter((one) =>
    one.in === "query" && (random.chance(0.35) || one.required && manner === "fitting")
  )
    .map(({ name, schema }): [string, string] => [
      name,
      manner === "wild" ? oddText(random) : textOf(valueOf(schema, name)),
    ]);
  if (manner === "wild" && random.chance(0.3)) query.push([oddText(random), oddText(random)]);
  const [[, schema] = []] = operation.bodies;
  const value = schema === undefined
    ? undefined
    : manner === "wild"
    ? oddValue(random)
    : manner === "near"
    ? values.broken(schema)
    : values.fitting(schema);
  const isProtocol = manner === "protocol";
  const method = isProtocol && random.chance(0.3) ? random.pick(METHODS) : operation.method;
  const { body, headers } = isProtocol
    ? protocolBody(value, random)
    : { body: value === undefined ? undefined : JSON.stringify(value), headers: {} };
  return written(operation, world, {
    ...{ manner, method, body, headers },
    role: random.weighted(ROLES),
    isFitting: manner === "fitting",
    target: withQuery(path, query),
  });
}

/** What is wrong below JSON, or beside it. */
function protocolBody(value: unknown, random: SeededRandom) {
  const text = value === undefined ? "{}" : JSON.stringify(value);
  const body = random.pick([
    text.slice(0, random.integer(0, text.length)),
    `[${text}]`,
    `\ufeff${text}`,
    `{"__proto__":{"role":"owner"},"constructor":1}`,
    `${"[".repeat(5_000)}`,
    text,
  ]);
  const headers: Record<string, string> = {
    ...(random.chance(0.3) && {
      "Content-Type": random.pick(["text/plain", "multipart/form-data", "", "application/json;é"]),
    }),
    ...(random.chance(0.2) && { "Content-Encoding": random.pick(["gzip", "br", "identity"]) }),
    ...(random.chance(0.3) && { "X-Tollgate-User": random.pick(["root", "%zz", "%00"]) }),
    ...(random.chance(0.2) && { "Prefer": random.pick(["respond-async", "wait=1", ",;,"]) }),
  };
  return { body, headers };
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function filledPath({ path }: AdminOperation, valueOf: (name: string) => string) {
  const names: string[] = [];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return valueOf(name);
  });
  return { path: filled, names };
}

function withQuery(path: string, query: readonly (readonly [string, string])[]): string {
  const words = query.map(([name, value]) =>
    `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`
  );
  return words.length === 0 ? path : `${path}?${words.join("&")}`;
}

function written(
  operation: AdminOperation,
  { tokens }: CaseWorld,
  { manner, role, isFitting, method, target, body, headers }: {
    readonly manner: string;
    readonly role: AdminRole;
    readonly isFitting: boolean;
    readonly method: string;
    readonly target: string;
    readonly body: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
  },
): AdminCase {
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const lines = Object.entries({
    "Host": "gateway.test",
    "Authorization": `Bearer ${tokens[role]}`,
    ...(bytes !== undefined && { "Content-Type": "application/json" }),
    ...headers,
    ...((bytes !== undefined || method === "POST") && {
      "Content-Length": String(bytes?.length ?? 0),
    }),
  }).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = latin1(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`);
  return {
    ...{ operation, role, isFitting, isWhole: true },
    name: `${operation.id} ${manner} as ${role}`,
    bytes: bytes === undefined ? head : joined(head, bytes),
  };
}
