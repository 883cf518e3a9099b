/**
 * Thoughts and their seal as one opaque text, which a caller of another dialect keeps
 * and gives back: so they can be shown again to upstreams that read them. Nothing in it is secret, and
 * what comes back is no more than a caller's word, but for the route that its seal names.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { asObject, nonEmptyString } from "../../domain/json_value.ts";
import { ownSeal } from "../turns/own_seal.ts";

const THOUGHTS = "thoughts";
const WRAPPED = /^tg1\.thoughts\.([\w-]+)$/;

/** What was wrapped. */
export interface WrappedThoughts {
  readonly text: string;
  /** As `ThoughtSeals` makes them: it names the route. Absent: nobody has sealed them. */
  readonly seal?: string;
}

/** One text of thoughts. */
export function wrapThoughts(thoughts: WrappedThoughts): string {
  return ownSeal(`${THOUGHTS}.${encode(JSON.stringify(thoughts))}`);
}

/** The thoughts again; `undefined` for what is none of ours, or broken. */
export function unwrapThoughts(wrapped: unknown): WrappedThoughts | undefined {
  const [, payload] = typeof wrapped === "string" ? WRAPPED.exec(wrapped) ?? [] : [];
  if (payload === undefined) return undefined;
  const { text, seal: told } = asObject(parse(decode(payload))) ?? {};
  if (typeof text !== "string") return undefined;
  const seal = nonEmptyString(told);
  return { text, ...(seal !== undefined && { seal }) };
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
