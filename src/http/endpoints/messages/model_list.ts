/**
 * The models that a key may use, as Anthropic's clients are told of them.
 *
 * @module
 */

import * as z from "zod";
import { capabilitiesOf } from "../../../domain/capabilities.ts";
import type { Model, Route } from "../../../domain/catalogue.ts";
import { validate } from "../../bodies/validate.ts";

/** One of them. */
export const messageModelSchema = z.lazy(() =>
  z.object({
    type: z.literal("model"),
    id: z.string(),
    display_name: z.string(),
    created_at: z.string().describe("RFC 3339"),
    lifecycle: z.enum(["active", "deprecated", "retired"]),
    deprecated_at: z.string().nullable(),
    retires_at: z.string().nullable(),
    line: z.string().nullable(),
    max_input_tokens: z.int().nullable().describe("The most of any route; null when unknown"),
    max_tokens: z.int().nullable().describe("The most output of any route; null when unknown"),
    capabilities: z.null(),
  })
);

/** A page of them. */
export const messageModelsSchema = z.lazy(() =>
  z.object({
    data: z.array(messageModelSchema),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
);

type MessageModel = z.infer<typeof messageModelSchema>;

const pageQuery = z.lazy(() =>
  z.object({
    limit: z.coerce.number().int().min(1).max(1_000).default(20),
    after_id: z.string().optional(),
    before_id: z.string().optional(),
  })
);

/** Whether a model can be asked for messages. */
export function takesMessages({ kind }: Model): boolean {
  return capabilitiesOf(kind).includes("messages");
}

/** A model by the routes that its callers may use. */
export function messageModel(
  { id, createdAt }: Model,
  routes: readonly Route[],
): MessageModel {
  return {
    type: "model",
    id,
    display_name: id,
    created_at: new Date(createdAt * 1_000).toISOString(),
    lifecycle: "active",
    deprecated_at: null,
    retires_at: null,
    line: null,
    max_input_tokens: mostOf(routes.map(({ supports }) => supports.contextTokens)),
    max_tokens: mostOf(routes.map(({ supports }) => supports.maxOutputTokens)),
    capabilities: null,
  };
}

/**
 * The page that a query asks for. A model that is not there begins it at the list's own end.
 *
 * @throws {GatewayError} `invalid_value`
 */
export function pageOf(
  entries: readonly MessageModel[],
  query: Readonly<Record<string, string>>,
): z.infer<typeof messageModelsSchema> {
  const { limit, after_id: after, before_id: before } = validate(pageQuery, query);
  const placeOf = (id: string) => entries.findIndex((entry) => entry.id === id);
  const start = after === undefined ? 0 : placeOf(after) + 1;
  const end = before === undefined ? entries.length : Math.max(0, placeOf(before));
  const all = entries.slice(start, end);
  const isBackward = before !== undefined && after === undefined;
  const data = isBackward ? all.slice(-limit) : all.slice(0, limit);
  return {
    data,
    has_more: data.length < all.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function mostOf(counts: readonly (number | undefined)[]): number | null {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? null : Math.max(...known);
}
