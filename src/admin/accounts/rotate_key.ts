/**
 * Keys made anew: another secret for the same id, limits, budgets and counters, while the earlier one
 * works on for a while, so that clients can be changed one by one.
 *
 * @module
 */

import * as z from "zod";
import { makeKey } from "../../accounts/project_key.ts";
import type { EarlierSecret } from "../../domain/account.ts";
import { GatewayError } from "../../errors.ts";
import { readMoment } from "../base/moments.ts";
import { defineOperation } from "../base/operation.ts";
import { optionWords } from "../base/option_words.ts";
import { changeAccount } from "./account.ts";
import { KEYS } from "./keys.ts";

const DAY_MS = 86_400_000;
const LONGEST_GRACE_MS = 30 * DAY_MS;

const shown = KEYS.shown;

export const rotateKey = defineOperation({
  name: "keys.rotate",
  method: "POST",
  path: `${KEYS.path}/rotate`,
  role: "operator",
  changes: "key",
  summary: "Make a key anew and tell it, this once; the earlier one works until its grace ends.",
  input: KEYS.input.extend({
    grace: z.string().default("24h").describe(
      "how long the earlier key works on: duration (12h, 7d) up to 30d, or 0 for no longer",
    ).register(optionWords, { placeholder: "duration" }),
  }),
  output: z.object({
    ...shown.pick({ id: true }).shape,
    key: z.string().describe("Told this once"),
    ...shown.omit({ id: true }).shape,
  }),
  errors: ["not_found"],
  heldTo: KEYS.heldTo,
  async run(deps, { key_id, grace }) {
    const until = graceEnd(grace, deps.clock.now());
    const { key, hash, prefix } = makeKey();
    const row = await changeAccount(deps, KEYS, {
      id: key_id,
      change: (before) => ({
        ...before,
        hash,
        prefix,
        earlier: until === undefined
          ? undefined
          : { hash: before.hash, prefix: before.prefix, until },
      }),
    });
    const { id, ...rest } = row;
    return { id, key, ...rest };
  },
});

export const endGrace = defineOperation({
  name: "keys.end_grace",
  method: "POST",
  path: `${KEYS.path}/end-grace`,
  role: "operator",
  changes: "key",
  summary: "Refuse what a key was before it was rotated, at once.",
  input: KEYS.input,
  output: shown,
  errors: ["not_found"],
  heldTo: KEYS.heldTo,
  run: (deps, { key_id: id }) =>
    changeAccount(deps, KEYS, { id, change: (before) => ({ ...before, earlier: undefined }) }),
});

/** `undefined` for no grace. */
function graceEnd(text: string, nowMs: number): EarlierSecret["until"] | undefined {
  if (/^0[mhdw]?$/.test(text)) return undefined;
  const until = readMoment(text, { nowMs, duration: "ahead", param: "grace" });
  if (until > nowMs && until <= nowMs + LONGEST_GRACE_MS) return until;
  throw new GatewayError(
    "invalid_value",
    `Cannot let the earlier key work for '${text}': expected up to 30d, or 0 to refuse it at once`,
    { param: "grace" },
  );
}
