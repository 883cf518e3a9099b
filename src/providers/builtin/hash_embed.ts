/**
 * `hash-embed-1`: embeddings without a model and without a network. Texts that
 * share words, forms of words and pairs of words come out close to each other;
 * what it has no word in common with, it knows nothing of.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import {
  type Embedded,
  embeddingsAnswer,
  encodeVector,
  refuseDimensions,
  type Vector,
} from "../embeddings/vector_format.ts";
import type { ProviderCall } from "../contract/provider.ts";
import type { Answer } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import { giveWayToAll, throwIfAborted } from "./pace.ts";
import { type BuiltinCall, faultOfStatus, Patience, sufferFaults } from "./patience.ts";
import { TokenTurns } from "./token_turns.ts";
import { hashSteps } from "./hash_vector.ts";

const LEAST_DIMENSIONS = 64;
const MOST_DIMENSIONS = 1_536;
/** As OpenAI's embedding models. */
const MOST_TOKENS = 8_192;
/** Of a request, as at OpenAI: a second or two of work. */
const MOST_TOKENS_TOGETHER = 300_000;
/** No token is longer, so a text's tokens need not be counted far beyond the most there may be. */
const LONGEST_TOKEN = 16;
/** Of a number in an answer, about: as JSON, and in base64. */
const BYTES_PER_NUMBER = { float: 20, base64: 6 };
/** Work between two turns of everything else. */
const TURN_MS = 3;

type Input = string | readonly number[];

/**
 * Embeds every input of a call. Other calls have their turn every few milliseconds, also within
 * an input.
 *
 * @throws {UpstreamError} `caller` for dimensions that there are not and for inputs that are too
 * long; `aborted` by the signal; what its faults say.
 */
export async function hashEmbed(builtinCall: BuiltinCall, clock: Clock): Promise<Answer> {
  const { call, faults, signal } = builtinCall;
  throwIfAborted(signal);
  if (faults.status !== undefined) throw faultOfStatus(faults.status, clock);
  const promptTokens = await countAll(call.body.input as readonly Input[], signal);
  const vectors = await embedAll(call, { clock, signal });
  const patience = new Patience(builtinCall, { clock, stream: false });
  await sufferFaults(faults, { patience, tokens: promptTokens });
  const usage = faults.noUsage ? undefined : { input: promptTokens };
  return embeddingsAnswer({ vectors, usage }, call.route.upstreamModel);
}

async function embedAll(
  { body, room }: ProviderCall,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Embedded["vectors"]> {
  const dimensions = readDimensions(body.dimensions);
  const vectors: Vector[] = [];
  let turnEndsAt = clock.monotonic() + TURN_MS;
  async function endTurn(): Promise<void> {
    await giveWayToAll();
    throwIfAborted(signal);
    turnEndsAt = clock.monotonic() + TURN_MS;
  }
  const isBase64 = body.encoding_format === "base64";
  const bytes = dimensions * BYTES_PER_NUMBER[isBase64 ? "base64" : "float"];
  for (const input of body.input as readonly Input[]) {
    room?.countAnswer(bytes);
    const steps = hashSteps(input, dimensions);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) {
      if (clock.monotonic() >= turnEndsAt) await endTurn();
    }
    vectors.push(isBase64 ? encodeVector(step.value) : [...step.value]);
    if (clock.monotonic() >= turnEndsAt) await endTurn();
  }
  return vectors;
}

/** Tokens of all inputs. */
async function countAll(inputs: readonly Input[], signal: AbortSignal): Promise<number> {
  const turns = new TokenTurns(signal);
  let sum = 0;
  for (const [index, input] of inputs.entries()) {
    const tokens = typeof input === "string"
      // Exact up to the most that an input may have.
      ? await turns.count(input.slice(0, MOST_TOKENS * LONGEST_TOKEN + 1))
      : input.length;
    if (tokens > MOST_TOKENS) {
      throw tooLong(
        `Cannot embed input ${index} as it has more than ${MOST_TOKENS} tokens: split it`,
      );
    }
    sum += tokens;
    if (sum > MOST_TOKENS_TOGETHER) {
      throw tooLong(
        `Cannot embed more than ${MOST_TOKENS_TOGETHER} tokens at once: send the inputs in several requests`,
      );
    }
  }
  return sum;
}

function tooLong(message: string): UpstreamError {
  return new UpstreamError("caller", message, {
    status: 400,
    code: "context_length_exceeded",
    param: "input",
    publicMessage: message,
  });
}

function readDimensions(asked: unknown): number {
  if (asked === undefined || asked === null) return MOST_DIMENSIONS;
  const isOffered = Number.isInteger(asked) && (asked as number) >= LEAST_DIMENSIONS &&
    (asked as number) <= MOST_DIMENSIONS;
  if (isOffered) return asked as number;
  throw refuseDimensions(
    `'dimensions' must be a whole number from ${LEAST_DIMENSIONS} to ${MOST_DIMENSIONS}`,
  );
}
