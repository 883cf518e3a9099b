/**
 * A film that came inside of an answer.
 *
 * @module
 */

import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { VideoContent } from "../../contract/video_upstream.ts";

const PIECE_BYTES = 256 * 1024;

/**
 * Gives it piece by piece, on from where it was cut.
 *
 * @param base64 The whole of it.
 * @throws {UpstreamError} `broken` where it is none.
 */
export function heldContent(base64: string, { from }: { readonly from: number }): VideoContent {
  const bytes = decoded(base64);
  const start = from <= bytes.length ? from : 0;
  let at = start;
  return {
    from: start,
    totalBytes: bytes.length,
    etag: undefined,
    read() {
      if (at >= bytes.length) return Promise.resolve(undefined);
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      at += piece.length;
      return Promise.resolve(piece);
    },
    close() {},
  };
}

function decoded(base64: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(base64);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UpstreamError("broken", "The upstream's film is no base64");
  }
}
