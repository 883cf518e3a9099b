/**
 * Content that a URL holds itself (`data:`, RFC 2397).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { invalidField } from "./refusals.ts";

/** Of the head alone: a caller may send megabytes without a comma, and each way to part them takes time. */
const HEAD = /^data:([\w.+-]+\/[\w.+-]+)?/i;
const CODED = /;base64$/i;

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
  const comma = value.indexOf(",");
  const head = value.slice(0, Math.max(0, comma));
  const found = HEAD.exec(head);
  if (found === null) return undefined;
  const data = value.slice(comma + 1);
  return {
    media: found[1]?.toLowerCase(),
    base64: CODED.test(head) ? data : encoded(data, at),
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
