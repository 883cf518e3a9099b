/**
 * Items that a request refers to by id instead of sending them: looked up among
 * the project's kept answers, as no upstream keeps any.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { ResponseStore } from "../../storage/ports/storage.ts";
import { conversationTooLarge } from "./conversation.ts";

/** What looking items up needs. */
export interface ReferenceQuestion {
  readonly projectId: string;
  /** Items of earlier answers, which the conversation has already. */
  readonly earlier: readonly JsonObject[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Bytes of JSON that the answers with the items may have, and the items as often as they are put in. */
  readonly maxBytes: number;
  /** Counts what is put in; throws when too much is held already. */
  readonly reserve: (bytes: number) => void;
  /** Waits until so many bytes of kept answers may be read; throws when that takes too long. */
  readonly awaitTurn: (bytes: number) => Promise<void> | undefined;
}

/** A request's items, none of them a reference. */
export interface ResolvedItems {
  readonly items: readonly JsonObject[];
  /** Bytes of JSON that stand where references stood. */
  readonly bytes: number;
}

/**
 * Puts the items themselves where a request refers to them.
 *
 * @throws {GatewayError} `invalid_value`, naming the reference, `request_too_large` or
 * `pool_limit_exceeded`.
 */
export async function resolveReferences(
  responses: ResponseStore,
  items: readonly JsonObject[],
  question: ReferenceQuestion,
): Promise<ResolvedItems> {
  const ids = new Set(items.filter(isReference).map(({ id }) => id as string));
  if (ids.size === 0) return { items, bytes: 0 };
  const found = await findItems(responses, [...ids], question);
  const earlierIds = new Set(question.earlier.map(({ id }) => id));
  let bytes = 0;
  const resolved = items.map((item, index) => {
    if (!isReference(item)) return item;
    const id = item.id as string;
    const param = `input[${index}].id`;
    if (earlierIds.has(id)) throw alreadyThere(id, param);
    const referenced = found.get(id);
    if (referenced === undefined) throw noSuchItem(id, param);
    bytes += referenced.bytes;
    if (bytes > question.maxBytes) throw conversationTooLarge("input");
    return referenced.item;
  });
  question.reserve(bytes);
  return { items: resolved, bytes };
}

function isReference({ type }: JsonObject): boolean {
  return type === "item_reference";
}

/** An item, measured once however often it is referred to. */
interface FoundItem {
  readonly item: JsonObject;
  /** Of its JSON. */
  readonly bytes: number;
}

/** Each answer is read once, however many of its items are wanted. */
async function findItems(
  responses: ResponseStore,
  itemIds: readonly string[],
  { projectId, now, maxBytes, awaitTurn }: ReferenceQuestion,
): Promise<ReadonlyMap<string, FoundItem>> {
  const owners = await responses.owners({ projectId, itemIds });
  const ownerOf = new Map(itemIds.map((id, index) => [id, owners[index]]));
  const ownerIds = [...new Set(owners)].filter((id) => id !== undefined);
  const sizes = await Promise.all(
    ownerIds.map((responseId) => responses.size({ projectId, responseId })),
  );
  await awaitTurn(sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0));
  const found = new Map<string, FoundItem>();
  let bytes = 0;
  for (const responseId of ownerIds) {
    const kept = await responses.find({ projectId, responseId });
    if (kept === undefined || kept.expiresAt <= now) continue;
    bytes += Buffer.byteLength(kept.body);
    if (bytes > maxBytes) throw conversationTooLarge("input");
    const { output } = JSON.parse(kept.body) as { readonly output: readonly JsonObject[] };
    for (const item of output) {
      const id = item.id as string;
      // Of an id that occurs again, the newest answer with it is the owner.
      if (ownerOf.get(id) !== responseId) continue;
      found.set(id, { item, bytes: Buffer.byteLength(JSON.stringify(item)) });
    }
  }
  return found;
}

function noSuchItem(id: string, param: string): GatewayError {
  return new GatewayError(
    "invalid_value",
    `There is no item '${
      id.slice(0, 100)
    }' to refer to: its response was not stored, is deleted, has expired, or made way for newer ones. Send the item itself`,
    { param },
  );
}

function alreadyThere(id: string, param: string): GatewayError {
  return new GatewayError(
    "invalid_value",
    `The item '${
      id.slice(0, 100)
    }' is part of the previous response already: leave the reference out`,
    { param },
  );
}
