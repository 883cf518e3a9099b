/**
 * Providers as the catalogue file writes them.
 *
 * @module
 */

import * as z from "zod";
import { DEFAULT_TIMEOUTS } from "../domain/catalogue.ts";
import type { ProviderKind } from "../providers/contract/kind.ts";
import { PROVIDER_KINDS } from "../providers/kinds.ts";
import { UPSTREAM_SETTINGS } from "../providers/upstream/settings.ts";

/** A day: longer than any call, shorter than the largest timer. */
const MAX_TIMEOUT_MS = 86_400_000;

function milliseconds(fallback: number, description: string) {
  return z.int().min(1).max(MAX_TIMEOUT_MS).default(fallback).describe(description);
}

const timeouts = z.strictObject({
  connect_ms: milliseconds(DEFAULT_TIMEOUTS.connectMs, "Until a connection stands."),
  first_byte_ms: milliseconds(
    DEFAULT_TIMEOUTS.firstByteMs,
    "From the request being sent to the first event; streams only.",
  ),
  idle_ms: milliseconds(DEFAULT_TIMEOUTS.idleMs, "Between two reads of an answer."),
  total_ms: milliseconds(DEFAULT_TIMEOUTS.totalMs, "For the whole call."),
});

/** An identifier of a provider or project. */
export const shortId = z.string().max(64).regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  "Expected letters, digits, '.', '_' and '-', starting with a letter or digit",
);

/** What every provider has. */
const COMMON = {
  id: shortId.describe("Name of the upstream account; callers see it as `provider`."),
  kind: z.enum(PROVIDER_KINDS.map(({ name }) => name)).describe(
    PROVIDER_KINDS.map(({ name, about }) => `${name}: ${about}.`).join(" "),
  ),
  official: z.boolean().default(false).describe("The vendor itself, not a reseller."),
  timeouts: timeouts.prefault({}).describe("Time limits of upstream calls, milliseconds."),
};

/** The settings of every kind: which of them a provider may have, its kind says. */
const OF_KINDS: Record<string, z.ZodType> = {};
for (const { name, settings } of PROVIDER_KINDS) {
  for (const [key, schema] of Object.entries(settings)) {
    if (key in COMMON || (key in OF_KINDS && OF_KINDS[key] !== schema)) {
      throw new TypeError(`Cannot have another setting '${key}' for kind '${name}'`);
    }
    OF_KINDS[key] = schema;
  }
}

/** Every setting that only some kinds have. */
export const KIND_SETTINGS: readonly string[] = Object.keys(OF_KINDS);

/** One entry of `providers`. Settings that one kind alone has are in it by their keys. */
export const providerSchema = z.strictObject({
  ...COMMON,
  ...OF_KINDS as typeof UPSTREAM_SETTINGS,
});

/** {@linkcode providerSchema}'s value. */
export type FileProvider = z.output<typeof providerSchema>;

/** The settings of a kind's own, by their keys: without those that all upstreams share. */
export function ownKeys(kind: ProviderKind | undefined): readonly string[] {
  return Object.keys(kind?.settings ?? {}).filter((key) => !(key in UPSTREAM_SETTINGS));
}
