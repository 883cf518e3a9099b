/**
 * Content that a URL holds itself (`data:`, RFC 2397).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { invalidField } from "./refusals.ts";

const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?[^,]*?(;base64)?,/i;

/** What such a URL holds. */
export interface DataUrl {
  /** The media type, in small letters; `undefined` where it names none. */
  readonly media: string | undefined;
  readonly base64: string;
}

/**
 * Reads one.
 *
 * @returns `undefined` where the text is no such URL.
 * @throws {UpstreamError} `caller`, naming the place, where its text is escaped wrongly.
 */
export function readDataUrl(value: string, at: string): DataUrl | undefined {
  const [head, media, isBase64] = HEAD.exec(value) ?? [];
  if (head === undefined) return undefined;
  const data = value.slice(head.length);
  return {
    media: media?.toLowerCase(),
    base64: isBase64 === undefined ? encoded(data, at) : data,
  };
}

function encoded(escaped: string, at: string): string {
  try {
    return Buffer.from(decodeURIComponent(escaped)).toString("base64");
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw invalidField(at, `Invalid value for '${at}': the data URL has a wrong escape ('%…')`);
  }
}
