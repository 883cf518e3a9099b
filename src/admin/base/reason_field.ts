/**
 * Why an operator does something, in his words.
 *
 * @module
 */

import * as z from "zod";
import { ONE_LINE } from "./line_patterns.ts";

const MOST_CHARACTERS = 200;

/**
 * One line of text, which is shown as it is wherever what was done is. Of a state that holds already
 * whoever asks for it again without a word leaves the words that are there.
 */
export const reasonField = z.string().trim().min(1).max(MOST_CHARACTERS).regex(
  ONE_LINE,
  "Expected one line of text",
).describe(
  `why, in at most ${MOST_CHARACTERS} characters, for whoever looks at it later; left out: what was said before`,
);
