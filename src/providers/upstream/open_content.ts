/**
 * Downloads of finished films: from the start, or on from where one was cut.
 *
 * @module
 */

import { MAX_CONTENT_BYTES } from "../../domain/video_size.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { VideoContent } from "../contract/video_upstream.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import type { Endpoint } from "./endpoint.ts";
import { errorText, isSuccess, shortType } from "./upstream_json.ts";

/** What is known of a film before its first byte. */
export interface ContentFacts {
  readonly from: number;
  readonly totalBytes: number | undefined;
  readonly etag: string | undefined;
  /** Longest wait for more, milliseconds. */
  readonly idleMs: number;
}

/**
 * The body of an answer as a film, counted: one that is cut, or longer than it says, is noticed whatever
 * the framing of its answer.
 */
class ReceivedContent implements VideoContent {
  readonly from: number;
  readonly totalBytes: number | undefined;
  readonly etag: string | undefined;
  readonly #response: UpstreamResponse;
  readonly #idleMs: number;
  /** Offset of the next byte. */
  #at: number;

  constructor(response: UpstreamResponse, facts: ContentFacts) {
    this.#response = response;
    this.from = facts.from;
    this.totalBytes = facts.totalBytes;
    this.etag = facts.etag;
    this.#idleMs = facts.idleMs;
    this.#at = facts.from;
  }

  async read(): Promise<Uint8Array | undefined> {
    const bytes = await this.#response.read(this.#idleMs);
    const { totalBytes } = this;
    if (bytes === undefined) {
      if (totalBytes === undefined || this.#at === totalBytes) return undefined;
      throw new UpstreamError(
        "broken",
        `The upstream's film ended after ${this.#at} of ${totalBytes} bytes`,
      );
    }
    this.#at += bytes.length;
    const limit = totalBytes ?? MAX_CONTENT_BYTES;
    if (this.#at <= limit) return bytes;
    this.#response.close();
    throw new UpstreamError("broken", `The upstream's film is longer than ${limit} bytes`);
  }

  close(): void {
    this.#response.close();
  }
}

/** Where a film is, and whose it is. */
export interface ContentPlace {
  /** Behind the base URL. */
  readonly path: string;
  /** Of the key that its job was started with. */
  readonly keyReference: string | undefined;
}

/** What is asked of a film. */
export interface ContentOptions {
  /** Bytes that are there already. */
  readonly from: number;
  /** Their film's `ETag`. */
  readonly etag: string | undefined;
  readonly signal: AbortSignal;
}

/** Answers that mean "not there (yet)"; whether it will be, its status says. */
const NOT_YET: ReadonlySet<number> = new Set([202, 204, 404, 409, 410, 425]);
/** What TensorRT-LLM and others say with a 400 instead. */
const IN_PROGRESS =
  /in.?progress|not (?:yet |been )?(?:ready|complete|available|finish)|\bstill\b|\bqueued\b/i;
const VIDEO_TYPE = /^(?:video\/|application\/(?:mp4|octet-stream)\b|binary\/octet-stream\b)/i;
const FILM = "video/mp4, */*;q=0.5";
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 4;
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,256}"$/;

/**
 * Opens a film. Where the upstream cannot go on from `from`, or has another film
 * than the one whose bytes are there, it starts over.
 *
 * @returns `undefined` while the film is not there.
 * @throws {UpstreamError}
 */
export async function openContent(
  endpoint: Endpoint,
  film: ContentPlace,
  options: ContentOptions,
): Promise<VideoContent | undefined> {
  const { path, keyReference } = film;
  const credential = endpoint.keys.of(keyReference);
  return await openBy(
    endpoint,
    options,
    (headers) =>
      endpoint.send(
        { method: "GET", path, accept: FILM, headers, credential, stream: true },
        options.signal,
      ),
  );
}

/** A film wherever an answer says that it is. */
export interface ContentAddress {
  readonly url: string;
  /** Of the key that its job was started with. */
  readonly keyReference: string | undefined;
  /** Whether the vendor's key may go to another host of its. */
  readonly isTrusted?: (url: URL) => boolean;
}

/**
 * Opens a film at an address, as {@linkcode openContent} does, over redirects. The key goes to the
 * upstream itself and to where it is trusted.
 *
 * @returns `undefined` while the film is not there.
 * @throws {UpstreamError}
 */
export async function openContentAt(
  endpoint: Endpoint,
  { url, keyReference, isTrusted }: ContentAddress,
  options: ContentOptions,
): Promise<VideoContent | undefined> {
  const credential = endpoint.keys.of(keyReference);
  return await openBy(endpoint, options, async (headers) => {
    let at = new URL(url);
    for (let step = 0; step < MOST_REDIRECTS; step++) {
      const key = isTrusted?.(at) === true || endpoint.isOwn(at) ? credential : undefined;
      const request = { accept: FILM, headers, credential: key };
      const response = await endpoint.fetchAt(at, request, options.signal);
      const next = response.header("location");
      if (!REDIRECTS.has(response.status) || next === undefined || !URL.canParse(next, at)) {
        return response;
      }
      response.release();
      at = new URL(next, at);
    }
    throw new UpstreamError("broken", "The upstream's film is behind too many redirects");
  });
}

async function openBy(
  endpoint: Endpoint,
  { from, etag, signal }: ContentOptions,
  ask: (headers: Readonly<Record<string, string>>) => Promise<UpstreamResponse>,
): Promise<VideoContent | undefined> {
  const response = await ask(rangeHeaders(from, etag));
  const { status } = response;
  if (from > 0 && (status === 206 || status === 416)) {
    const rest = status === 206
      ? continued(response, { from, etag, idleMs: endpoint.timeouts.idleMs })
      : nothingLeft(response, from);
    if (rest !== undefined) return rest;
    response.close();
    return await openBy(endpoint, { from: 0, etag: undefined, signal }, ask);
  }
  if (NOT_YET.has(status)) {
    response.release();
    return undefined;
  }
  if (!isSuccess(status)) {
    const text = await errorText(response);
    if (status === 400 && IN_PROGRESS.test(text)) return undefined;
    throw endpoint.errorOfText(response, text);
  }
  return whole(response, endpoint.timeouts.idleMs);
}

/** Without a coding, so that offsets are those of the film. A weak tag does not do for If-Range. */
function rangeHeaders(from: number, etag: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  if (from === 0) return headers;
  headers.range = `bytes=${from}-`;
  if (etag !== undefined && ETAG.test(etag) && !etag.startsWith("W/")) headers["if-range"] = etag;
  return headers;
}

/** A film from its beginning; `undefined` for an empty one, which is still being written. */
function whole(response: UpstreamResponse, idleMs: number): VideoContent | undefined {
  checkType(response);
  if (response.status === 206) {
    response.close();
    throw new UpstreamError("broken", "The upstream sent a part where the whole film was asked");
  }
  const totalBytes = isCoded(response) ? undefined : lengthOf(response.header("content-length"));
  if (totalBytes === 0) {
    response.release();
    return undefined;
  }
  checkSize(response, totalBytes);
  return new ReceivedContent(response, { from: 0, totalBytes, etag: etagOf(response), idleMs });
}

/** The rest of a film; `undefined` when it is not the rest of what is there. */
function continued(
  response: UpstreamResponse,
  { from, etag, idleMs }: {
    readonly from: number;
    readonly etag: string | undefined;
    readonly idleMs: number;
  },
): VideoContent | undefined {
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(
    response.header("content-range") ?? "",
  );
  if (range === null || Number(range[1]) !== from || isCoded(response)) return undefined;
  const newEtag = etagOf(response);
  if (etag !== undefined && newEtag !== undefined && newEtag !== etag) return undefined;
  if (!VIDEO_TYPE.test(response.header("content-type") ?? "video/")) return undefined;
  const totalBytes = lengthOf(range[3]);
  checkSize(response, totalBytes);
  return new ReceivedContent(response, { from, totalBytes, etag: newEtag ?? etag, idleMs });
}

/** The end of a film whose bytes are all there: the upstream names its length as what we have. */
function nothingLeft(response: UpstreamResponse, from: number): VideoContent | undefined {
  const length = /^bytes \*\/(\d{1,15})$/.exec(response.header("content-range") ?? "")?.[1];
  if (lengthOf(length) !== from) return undefined;
  response.close();
  return {
    from,
    totalBytes: from,
    etag: etagOf(response),
    read: () => Promise.resolve(undefined),
    close() {},
  };
}

function checkType(response: UpstreamResponse): void {
  const type = response.header("content-type");
  if (type === undefined || VIDEO_TYPE.test(type)) return;
  response.close();
  throw new UpstreamError(
    "broken",
    `The upstream answered with ${shortType(type)} where a film was asked`,
    { status: response.status },
  );
}

function checkSize(response: UpstreamResponse, totalBytes: number | undefined): void {
  if (totalBytes === undefined || totalBytes <= MAX_CONTENT_BYTES) return;
  response.close();
  throw new UpstreamError(
    "broken",
    `The upstream's film is larger than ${MAX_CONTENT_BYTES} bytes`,
  );
}

function isCoded(response: UpstreamResponse): boolean {
  const coding = response.header("content-encoding") ?? "";
  return coding !== "" && coding.toLowerCase() !== "identity";
}

function lengthOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function etagOf(response: UpstreamResponse): string | undefined {
  const etag = response.header("etag");
  return etag !== undefined && ETAG.test(etag) ? etag : undefined;
}
