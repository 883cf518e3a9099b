/**
 * A film as a fake upstream serves it: whole or in part, late, cut, or not a
 * film at all.
 *
 * @module
 */

/** How films are served. */
export interface FilmBehaviour {
  readonly film: Uint8Array<ArrayBuffer>;
  readonly filmType: string;
  /** `undefined` sends none. */
  readonly etag: string | undefined;
  /** Whether `Range` and `If-Range` are honoured, as newer servers do. */
  readonly hasRanges: boolean;
  /** Content requests of a completed job that are answered 404 first. */
  readonly lateBy: number;
  /** Cuts the connection after this many bytes of an answer, this many times (Infinity for ever). */
  readonly cut: { readonly afterBytes: number; readonly times: number } | undefined;
}

const PIECE_BYTES = 16 * 1024;
const FLUSH_MS = 5;

/** Answers a content request; `cut.left` counts the cuts that are still to come. */
export function filmAnswer(
  behaviour: FilmBehaviour,
  headers: Headers,
  cut: { left: number },
): Response {
  const { film, filmType, etag, hasRanges } = behaviour;
  const from = hasRanges ? startOf(headers, etag) : 0;
  const answerHeaders = new Headers({ "content-type": filmType });
  if (etag !== undefined) answerHeaders.set("etag", etag);
  if (hasRanges) answerHeaders.set("accept-ranges", "bytes");
  if (from >= film.length && from > 0) {
    answerHeaders.set("content-range", `bytes */${film.length}`);
    return new Response(null, { status: 416, headers: answerHeaders });
  }
  if (from > 0) {
    answerHeaders.set("content-range", `bytes ${from}-${film.length - 1}/${film.length}`);
  }
  answerHeaders.set("content-length", String(film.length - from));
  const cutAt = behaviour.cut !== undefined && cut.left-- > 0
    ? behaviour.cut.afterBytes
    : undefined;
  return new Response(pieces(film.subarray(from), cutAt), {
    status: from > 0 ? 206 : 200,
    headers: answerHeaders,
  });
}

/** The offset that is asked for, if the client's film is still this one. */
function startOf(headers: Headers, etag: string | undefined): number {
  const range = /^bytes=(\d+)-$/.exec(headers.get("range") ?? "");
  const condition = headers.get("if-range");
  if (range === null || (condition !== null && condition !== etag)) return 0;
  return Number(range[1]);
}

function pieces(
  film: Uint8Array<ArrayBuffer>,
  cutAt: number | undefined,
): ReadableStream<Uint8Array> {
  const end = Math.min(film.length, cutAt ?? Infinity);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at < end) {
        const piece = film.slice(at, Math.min(at + PIECE_BYTES, end));
        at += piece.length;
        controller.enqueue(piece);
      } else if (cutAt === undefined || cutAt > film.length) controller.close();
      else {
        // The server sends what it has only while it waits for more.
        await new Promise((resolve) => setTimeout(resolve, FLUSH_MS));
        controller.error(new Error("Cut by the test"));
      }
    },
  });
}
