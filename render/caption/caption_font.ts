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

/** The same where threads share it. */
export type SharedCaptionFont = { readonly [name in keyof CaptionFont]: SharedArrayBuffer };

declare global {
  interface ImportMeta {
    /** A file that is attached to the executable; absent where nothing is. */
    readonly attached?: (name: string) => Uint8Array;
  }
}

const FILES = {
  european: "assets/noto_sans.ttf",
  cjk: "assets/noto_sans_cjk.otf",
  japanese: "assets/noto_sans_jp.otf",
} as const;

/**
 * Reads the fonts (5 MB): once per Worker is enough. The build puts the files of `assets` beside the
 * bundles under the same name, so the address is the same from source and in the executable.
 */
export async function loadCaptionFont(): Promise<CaptionFont> {
  const [european, cjk, japanese] = await Promise.all([
    Deno.readFile(new URL(`./${FILES.european}`, import.meta.url)),
    Deno.readFile(new URL(`./${FILES.cjk}`, import.meta.url)),
    Deno.readFile(new URL(`./${FILES.japanese}`, import.meta.url)),
  ]);
  return { european, cjk, japanese };
}

/**
 * The fonts to give to Workers, where they are attached to the executable: `undefined` elsewhere.
 * Only the main thread has had it open since the start; another may stand in its place by now.
 */
export function attachedCaptionFont(): SharedCaptionFont | undefined {
  const { attached } = import.meta;
  if (attached === undefined) return undefined;
  const shared = (name: string) => {
    const bytes = attached(name);
    const memory = new SharedArrayBuffer(bytes.length);
    new Uint8Array(memory).set(bytes);
    return memory;
  };
  return {
    european: shared(FILES.european),
    cjk: shared(FILES.cjk),
    japanese: shared(FILES.japanese),
  };
}

/** The fonts as a Worker was given them. */
export function ownCaptionFont({ european, cjk, japanese }: SharedCaptionFont): CaptionFont {
  const own = (memory: SharedArrayBuffer) => new Uint8Array(memory).slice();
  return { european: own(european), cjk: own(cjk), japanese: own(japanese) };
}
