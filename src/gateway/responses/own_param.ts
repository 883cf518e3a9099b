/**
 * Faults of the whole conversation, told in the words of the request.
 *
 * @module
 */

import { UpstreamError } from "../../domain/upstream_error.ts";

const ITEM = /^input\[(\d{1,9})\]/;

/**
 * Runs `ask`; where it refuses an item of the conversation, the item is named as
 * the request counts it, or as part of what it goes on from.
 *
 * @throws {UpstreamError} Whatever `ask` throws.
 */
export async function withOwnParam<Answer>(
  earlierItems: number,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof UpstreamError ? renamed(error, earlierItems) : error;
  }
}

function renamed(error: UpstreamError, earlierItems: number): UpstreamError {
  const [found, digits] = ITEM.exec(error.param ?? "") ?? [];
  if (found === undefined || earlierItems === 0) return error;
  const index = Number(digits) - earlierItems;
  const param = index < 0
    ? "previous_response_id"
    : `input[${index}]${error.param!.slice(found.length)}`;
  const { failure, message, status, code, retryAfterSeconds, publicMessage } = error;
  return new UpstreamError(failure, message, {
    ...{ status, code, param, retryAfterSeconds, publicMessage },
    cause: error,
  });
}
