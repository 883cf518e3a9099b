/**
 * The conversation that a request goes on with: earlier answers that are kept,
 * with what was asked for them. Served here, whatever the upstream remembers.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { GatewayError } from "../../errors.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { ResponseStore } from "../../storage/ports/storage.ts";

/** Earlier items, oldest first, and how many bytes of JSON they are. */
export interface Conversation {
  readonly items: readonly JsonObject[];
  readonly bytes: number;
}

/** What looking back needs. */
export interface ConversationQuestion {
  readonly projectId: string;
  readonly previousId: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The whole conversation may be as large as one body. */
  readonly maxBytes: number;
  /** Counts what is read; throws when too much is held already. */
  readonly reserve: (bytes: number) => void;
  /** Waits until so many bytes of kept answers may be read; throws when that takes too long. */
  readonly awaitTurn: (bytes: number) => Promise<void> | undefined;
}

const NOTHING: Conversation = { items: [], bytes: 0 };
/** Answers that one conversation has at most. */
const MOST_ANSWERS = 1_000;
const PARAM = "previous_response_id";

/**
 * Reads the answers that a request goes on from. Instructions are not inherited.
 *
 * @throws {GatewayError} `previous_response_not_found`, `invalid_value`,
 * `request_too_large` or `pool_limit_exceeded`.
 */
export async function loadConversation(
  responses: ResponseStore,
  { projectId, previousId, now, maxBytes, reserve, awaitTurn }: ConversationQuestion,
): Promise<Conversation> {
  if (previousId === undefined) return NOTHING;
  // Answers say their instructions and tools back: that is read and parsed too, however little
  // of them is sent again.
  await awaitTurn(
    await responses.conversationSize({ projectId, responseId: previousId, most: MOST_ANSWERS }),
  );
  const turns: (readonly JsonObject[])[] = [];
  let bytes = 0;
  for (let id: string | undefined = previousId; id !== undefined;) {
    const kept = await responses.find({ projectId, responseId: id });
    if (kept === undefined || kept.expiresAt <= now) throw notFound(id, previousId);
    const { status } = kept;
    if (status !== "completed" && status !== "incomplete") {
      throw new GatewayError(
        "invalid_value",
        `Cannot go on from the response '${id}' as it is ${status}`,
        { param: PARAM },
      );
    }
    const { output } = JSON.parse(kept.body) as { readonly output: readonly JsonObject[] };
    // Of the rest, such as the tools that each answer repeats, nothing is sent again.
    const more = Buffer.byteLength(kept.input) + Buffer.byteLength(JSON.stringify(output));
    bytes += more;
    if (bytes > maxBytes || turns.length >= 2 * MOST_ANSWERS) throw conversationTooLarge(PARAM);
    reserve(more);
    turns.push(output, JSON.parse(kept.input));
    id = kept.previousId;
  }
  return { items: turns.reverse().flat(), bytes };
}

/** What `param` names brings more than a conversation may have. */
export function conversationTooLarge(param: string): GatewayError {
  return new GatewayError(
    "request_too_large",
    `The conversation behind '${param}' has grown too long: begin a new one with what still matters of it`,
    { param },
  );
}

function notFound(id: string, asked: string): GatewayError {
  return new GatewayError(
    "previous_response_not_found",
    id === asked
      ? `There is no response '${
        id.slice(0, 100)
      }' to go on from: it was not stored, is deleted, has expired, or made way for newer ones`
      : `An earlier response of this conversation, '${id}', is deleted, has expired, or made way for newer ones: begin a new conversation with what still matters of it`,
    { param: PARAM },
  );
}
