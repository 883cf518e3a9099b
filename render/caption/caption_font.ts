/**
 * The fonts that captions are set in, read from inside the executable.
 *
 * @module
 */

/** Font files (OpenType), as bytes: parsed anew for each caption, so that no glyph stays behind. */
export interface CaptionFont {
  /** Latin, Greek, Cyrillic, punctuation and symbols: asked first. */
  readonly european: Uint8Array<ArrayBuffer>;
  /** Han in its mainland Chinese form, kana and Hangul. */
  readonly cjk: Uint8Array<ArrayBuffer>;
  /** Han where its Japanese form differs: asked before `cjk` when the text is Japanese. */
  readonly japanese: Uint8Array<ArrayBuffer>;
}

/**
 * Reads the fonts (5 MB): once per Worker is enough. The build puts the files of `assets` beside the
 * bundles under the same name, so the address is the same from source and in the executable.
 */
export async function loadCaptionFont(): Promise<CaptionFont> {
  const [european, cjk, japanese] = await Promise.all([
    Deno.readFile(new URL("./assets/noto_sans.ttf", import.meta.url)),
    Deno.readFile(new URL("./assets/noto_sans_cjk.otf", import.meta.url)),
    Deno.readFile(new URL("./assets/noto_sans_jp.otf", import.meta.url)),
  ]);
  return { european, cjk, japanese };
}
