/**
 * Finds a piece of code in a source by its tokens: spaces, lines, comments and commas before a
 * closing bracket do not count, so that a formatter's work hides nothing.
 *
 * @module
 */

/** Where a piece of code is in a text. */
export interface CodePlace {
  readonly from: number;
  readonly to: number;
}

interface Token extends CodePlace {
  readonly text: string;
}

const COMMENT = /\/\*[^]*?\*\/|\/\/[^\n]*/;
const QUOTED = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/;
const PLAIN = /[\w$]+|\S/g;
const PIECE = new RegExp(`${COMMENT.source}|${QUOTED.source}|${PLAIN.source}`, "g");

/** Every place of `code`, which may be any run of tokens, also within a quoted text. */
export function findCode(text: string, code: string): readonly CodePlace[] {
  const source = tokensOf(text);
  const wanted = tokensOf(code).map((token) => token.text);
  if (wanted.length === 0) return [];
  return source.flatMap(({ from }, at) =>
    wanted.every((token, index) => source[at + index]?.text === token)
      ? [{ from, to: source[at + wanted.length - 1]!.to }]
      : []
  );
}

/** Not a full parser: a quote inside a regular expression can make one token of what follows. */
function tokensOf(text: string): readonly Token[] {
  const tokens = [...text.matchAll(PIECE)].flatMap(({ 0: piece, index }) => {
    if (/^\/[*/]/.test(piece)) return [];
    return [...piece.matchAll(PLAIN)].map((part) => ({
      text: part[0],
      from: index + part.index,
      to: index + part.index + part[0].length,
    }));
  });
  return tokens.filter(({ text }, at) =>
    text !== "," || !/^[)\]}]$/.test(tokens[at + 1]?.text ?? "}")
  );
}
