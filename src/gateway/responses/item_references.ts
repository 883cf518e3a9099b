/**
 * References to items of kept answers, in the place of the items: what some
 * clients send instead of a `previous_response_id`.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../providers/provider.ts";
import type { ResponseStore } from "../../storage/ports/storage.ts";

/** Longer ids are nobody's. */
const ID_CHARACTERS = 200;

/**
 * The items with every reference resolved.
 *
 * @throws {GatewayError} `invalid_value` for a reference to what is not kept.
 */
export async function resolveReferences(
  responses: ResponseStore,
  items: readonly JsonObject[],
  { projectId, now }: { readonly projectId: string; readonly now: number },
): Promise<readonly JsonObject[]> {
  const itemIds = items.filter(isReference).map(({ id }) => String(id).slice(0, ID_CHARACTERS));
  if (itemIds.length === 0) return items;
  const found = await responses.items({ projectId, itemIds, now });
  const byId = new Map(
    found.map((text) => JSON.parse(text) as JsonObject).map((item) => [item.id, item]),
  );
  return items.map((item, index) => {
    if (!isReference(item)) return item;
    const kept = byId.get(item.id);
    if (kept !== undefined) return kept;
    throw new GatewayError(
      "invalid_value",
      `There is no item '${
        String(item.id).slice(0, 100)
      }' to refer to: its response was not stored, is deleted, or has expired; send the item itself`,
      { param: `input[${index}].id` },
    );
  });
}

function isReference({ type }: JsonObject): boolean {
  return type === "item_reference";
}
