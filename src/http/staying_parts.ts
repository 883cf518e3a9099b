/**
 * A long answer whose request stays until all of it is sent.
 *
 * @module
 */

import type { TextParts } from "../idempotency/text_parts.ts";
import type { Stay } from "../limits/stay.ts";

/** The same parts; the stay, taken over here, ends with them. */
export function stayingParts(parts: TextParts, stay: Stay): TextParts {
  stay.takeOver();
  return {
    async next() {
      const part = await parts.next();
      if (part === undefined) stay.end();
      return part;
    },
    async cancel() {
      stay.end();
      await parts.cancel();
    },
  };
}
