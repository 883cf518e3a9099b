/**
 * Tags as operations take them.
 *
 * @module
 */

import * as z from "zod";
import type { Tags } from "../domain/tags.ts";

/** A tag that calls have to have. */
const ONE_TAG = /^([A-Za-z0-9_.-]{1,32})=(.{1,128})$/;

/** One as `team=search`. */
export const oneTag = z.string().regex(ONE_TAG, "Expected a tag such as team=search");

/** The tags that {@linkcode oneTag}s tell. */
export function readTags(texts: readonly string[] | undefined): Tags | undefined {
  if (texts === undefined) return undefined;
  return Object.fromEntries(
    texts.map((text) => ONE_TAG.exec(text)!.slice(1) as [string, string]),
  );
}
