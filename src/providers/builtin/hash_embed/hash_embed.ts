/**
 * `hash-embed-1`: embeddings without a model and without a network. Texts that
 * share words, forms of words and pairs of words come out close to each other;
 * what it has no word in common with, it knows nothing of.
 *
 * @module
 */

import type { Clock } from "../../../domain/clock.ts";
import { countTokens } from "../../../domain/tokenizer.ts";
import { NO_USAGE } from "../../../domain/usage.ts";
import { type Embedded, embeddingsAnswer } from "../../embeddings/embeddings_answer.ts";
import { refuseDimensions } from "../../embeddings/refuse_dimensions.ts";
import { encodeVector, type Vector } from "../../embeddings/vector_format.ts";
import { type ProviderAnswer, type ProviderCall, UpstreamError } from "../../provider.ts";
import type { BuiltinCall } from "../chat_model.ts";
import { giveWayToAll, throwIfAborted } from "../pace.ts";
import { Patience } from "../patience.ts";
import { faultOfStatus, sufferFaults } from "../suffer_faults.ts";
import { hashVector } from "./hash_vector.ts";

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
const CHARACTERS_PER_TURN = 10_000;

type Input = string | readonly number[];

/**
 * Embeds every input of a call. Other calls have their turn between two inputs.
 *
 * @throws {UpstreamError} `caller` for dimensions that there are not and for inputs that are too
 * long; `aborted` by the signal; what its faults say.
 */
export async function hashEmbed(builtinCall: BuiltinCall, clock: Clock): Promise<ProviderAnswer> {
  const { call, faults, signal } = builtinCall;
  throwIfAborted(signal);
  if (faults.status !== undefined) throw faultOfStatus(faults.status, clock);
  const promptTokens = countAll(call.body.input as readonly Input[]);
  const vectors = await embedAll(call, signal);
  const patience = new Patience(builtinCall, { clock, stream: false });
  await sufferFaults(faults, { patience, tokens: promptTokens });
  const usage = faults.noUsage ? undefined : { ...NO_USAGE, promptTokens };
  return embeddingsAnswer({ vectors, usage }, call.route.upstreamModel);
}

async function embedAll(
  { body, room }: ProviderCall,
  signal: AbortSignal,
): Promise<Embedded["vectors"]> {
  const dimensions = readDimensions(body.dimensions);
  const vectors: Vector[] = [];
  let left = CHARACTERS_PER_TURN;
  const isBase64 = body.encoding_format === "base64";
  const bytes = dimensions * BYTES_PER_NUMBER[isBase64 ? "base64" : "float"];
  for (const input of body.input as readonly Input[]) {
    room?.countAnswer(bytes);
    const vector = hashVector(input, dimensions);
    vectors.push(isBase64 ? encodeVector(vector) : [...vector]);
    left -= input.length + dimensions;
    if (left > 0) continue;
    await giveWayToAll();
    throwIfAborted(signal);
    left = CHARACTERS_PER_TURN;
  }
  return vectors;
}

/** Tokens of all inputs. */
function countAll(inputs: readonly Input[]): number {
  let sum = 0;
  for (const [index, input] of inputs.entries()) {
    const tokens = countOne(input);
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

/** Exact up to the most that an input may have. */
function countOne(input: Input): number {
  return typeof input === "string"
    ? countTokens(input.slice(0, MOST_TOKENS * LONGEST_TOKEN + 1))
    : input.length;
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
