/**
 * The input of a request as items that can be kept and listed.
 *
 * @module
 */

import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { Buffer } from "node:buffer";
import type { ResponseStore } from "../../storage/ports/storage.ts";
import { conversationTooLarge } from "./conversation.ts";

const ID_CHARACTERS = 24;
/** What the ids of items begin with, by their type. */
const ID_PREFIXES: { readonly [type: string]: string | undefined } = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "cto",
};

/** Every item with a type and an id; a text is one message of the user. */
export function inputItems(input: string | readonly JsonObject[]): readonly JsonObject[] {
  if (typeof input === "string") {
    return [
      withId({ type: "message", role: "user", content: [{ type: "input_text", text: input }] }),
    ];
  }
  return input.map((item) => withId({ ...item, type: item.type ?? "message" }));
}

/**
 * Sees to it that every output answers a call of the conversation.
 *
 * @param earlier How many of `items` are from earlier answers.
 * @throws {GatewayError} `invalid_value`, naming the item as the request counts it.
 */
export function requireCalls(items: readonly JsonObject[], earlier: number): void {
  const calls = new Set<unknown>();
  for (const [index, { type, call_id: callId }] of items.entries()) {
    if (type === "function_call" || type === "custom_tool_call") calls.add(callId);
    const isOutput = type === "function_call_output" || type === "custom_tool_call_output";
    if (!isOutput || calls.has(callId)) continue;
    throw new GatewayError(
      "invalid_value",
      `No tool call found for the output with call_id '${
        String(callId).slice(0, 100)
      }': send the call before its output, or name the answer with the call as 'previous_response_id'`,
      { param: `input[${index - earlier}].call_id` },
    );
  }
}

function withId(item: JsonObject): JsonObject {
  if (typeof item.id === "string" && item.id !== "") return item;
  const prefix = ID_PREFIXES[String(item.type)] ?? "item";
  return { ...item, id: `${prefix}_${randomName(ID_CHARACTERS)}` };
}

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
