/**
 * A long answer whose request stays until all of it is sent.
 *
 * @module
 */

import type { TextParts } from "../../domain/text_parts.ts";
import type { Stay } from "../../limits/stay.ts";

/** The same parts; the stay lasts until they are sent. */
export function stayingParts(parts: TextParts, stay: Stay): TextParts {
  stay.send();
  return {
    async next() {
      const part = await parts.next();
      if (part === undefined) stay.sent();
      return part;
    },
    async cancel() {
      stay.sent();
      await parts.cancel();
    },
  };
}
