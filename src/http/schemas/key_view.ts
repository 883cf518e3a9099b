/**
 * A project key, as `GET /v1/key` shows it to its holder.
 *
 * @module
 */

import * as z from "zod";

const limits = z.object({
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
  concurrent: z.int().nullable(),
  open_video_tasks: z.int().nullable().describe("Unfinished video tasks"),
}).describe("null is no limit");

const remaining = z.object({
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
  concurrent: z.int().nullable(),
  open_video_tasks: z.int().nullable(),
}).describe("What the limits leave at this moment; null where there is no limit");

/** The key, its project and what is left. */
export const keyViewSchema = z.object({
  id: z.string(),
  object: z.literal("key"),
  name: z.string(),
  prefix: z.string().describe("The first characters of the key"),
  expires_at: z.int().nullable().describe("Unix time in seconds"),
  limits,
  remaining,
  models: z.array(z.string()).describe("Logical models this key may use"),
  project: z.object({
    id: z.string(),
    unlimited: z.boolean().describe("Metered and priced, never charged"),
    currency: z.string(),
    balance: z.string().describe("What can still be spent, 8 fractional digits"),
    held: z.string().describe("Held for calls under way, 8 fractional digits"),
    limits,
    remaining,
  }),
});

/** See {@linkcode keyViewSchema}. */
export type KeyView = z.infer<typeof keyViewSchema>;
