/**
 * Text in which what stands between backticks is code: how descriptions of the program are written,
 * whatever shows them.
 *
 * @module
 */

/** Text as code, whatever is in it. */
export function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** The pieces of such a text, in their order; none is empty. */
export function piecesOf(
  text: string,
): readonly { readonly text: string; readonly isCode: boolean }[] {
  return text.split(/(`` .+? ``|`[^`]*`)/).filter((piece) => piece !== "").map((piece) => {
    const [, inside] = /^(?:`` (.+) ``|`([^`]*)`)$/.exec(piece)?.filter((one) =>
      one !== undefined
    ) ?? [];
    return inside === undefined ? { text: piece, isCode: false } : { text: inside, isCode: true };
  });
}
