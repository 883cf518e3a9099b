/**
 * Thoughts and their seal, or a summary, as one opaque text, which a caller of another dialect keeps
 * and gives back: so they can be shown again to upstreams that read them. Nothing in it is secret, and
 * what comes back is no more than a caller's word.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { asObject, nonEmptyString } from "../../domain/json_value.ts";
import type { Seal } from "../turns/blocks.ts";
import { ownSeal } from "../turns/own_seal.ts";

/** Of thoughts that nobody has sealed. */
const UNSEALED = "thoughts";
const WRAPPED = /^tg1\.([a-z_]{1,64})\.([\w-]*)\.([\w-]+)$/;

/** What was wrapped. */
export interface WrappedThoughts {
  readonly text: string;
  /** Absent: nobody has sealed them. */
  readonly seal?: Seal;
  /** The route that they are from, by its id. */
  readonly route?: string;
}

/** One text of thoughts. */
export function wrapThoughts({ text, seal, route = "" }: WrappedThoughts): string {
  const { of = UNSEALED, ...rest } = seal ?? {};
  const payload = JSON.stringify({ text, ...rest });
  return ownSeal(`${of}.${encode(route)}.${encode(payload)}`);
}

/** The thoughts again; `undefined` for what is none of ours, or broken. */
export function unwrapThoughts(wrapped: unknown): WrappedThoughts | undefined {
  const [, of, routeText = "", payload = ""] = typeof wrapped === "string"
    ? WRAPPED.exec(wrapped) ?? []
    : [];
  if (of === undefined) return undefined;
  const { text, value, form } = asObject(parse(decode(payload))) ?? {};
  if (typeof text !== "string") return undefined;
  const route = nonEmptyString(decode(routeText));
  const seal = of === UNSEALED || typeof value !== "string"
    ? undefined
    : { of, value, ...(typeof form === "string" && { form }) };
  return { text, ...(seal && { seal }), ...(route !== undefined && { route }) };
}

/** Of a summary that stands for a conversation. */
const SUMMARY = "summary";

/** A summary as an opaque text. */
export function wrapSummary(text: string): string {
  return ownSeal(`${SUMMARY}..${encode(JSON.stringify({ text }))}`);
}

/** The summary again; `undefined` for what is none of ours, or broken. */
export function unwrapSummary(wrapped: unknown): string | undefined {
  const isSummary = typeof wrapped === "string" && wrapped.startsWith(ownSeal(`${SUMMARY}.`));
  return isSummary ? unwrapThoughts(wrapped)?.text : undefined;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function decode(text: string): string {
  return Buffer.from(text, "base64url").toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
