/**
 * Makes a prompt fit to be set as type: one line of visible characters, no longer than can be shown.
 *
 * @module
 */

/** More UTF-16 units than any caption can show: what follows is not even looked at. */
const LONGEST = 1000;

/** A prompt as it goes into a caption. */
export interface CaptionText {
  /** Composed (NFC), without control characters, lone surrogates, bidi controls and emoji. */
  readonly text: string;
  /** Whether the prompt goes on beyond `text`. */
  readonly isCut: boolean;
}

/**
 * Reads the start of `prompt`. Line ends, tabs and other controls become spaces. Emoji are left out,
 * whole sequences at once, since the fonts are of one colour and have none.
 */
export function captionText(prompt: string): CaptionText {
  const trimmed = prompt.trim();
  const text = trimmed.slice(0, LONGEST)
    .normalize("NFC")
    .replace(/\p{RGI_Emoji}/gv, "")
    .replace(/[\p{Cc}\p{Z}]/gu, " ")
    .replace(/[\p{Cf}\p{Cs}\p{Emoji_Modifier}\p{Variation_Selector}]/gu, "");
  return { text, isCut: trimmed.length > LONGEST };
}
