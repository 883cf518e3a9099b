/**
 * Text that is sent part by part.
 *
 * @module
 */

import type { TextParts } from "../domain/text_parts.ts";

const PIECE_CHARACTERS = 64 * 1024;

/** Whether a text of this length (characters or bytes) is sent in pieces, to leave turns to others. */
export function isLong(length: number): boolean {
  return length > PIECE_CHARACTERS;
}

/** A text in pieces, so that sending it holds no second copy of all of it. */
export function textInPieces(text: string, onDone = () => {}): TextParts {
  let at = 0;
  let isDone = false;
  const done = () => {
    if (!isDone) onDone();
    isDone = true;
    return Promise.resolve(undefined);
  };
  return {
    next() {
      if (at >= text.length || isDone) return done();
      let end = Math.min(at + PIECE_CHARACTERS, text.length);
      // Half of a character would become another one in UTF-8.
      if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end++;
      const piece = text.slice(at, end);
      at = end;
      return Promise.resolve(piece);
    },
    cancel: () => done(),
  };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
