/**
 * Requests to an S3 server: signed (Signature Version 4, with the hash of every body), bounded in
 * time, tried again where that may help.
 *
 * @module
 */

import { AwsV4Signer } from "aws4fetch";
import { hashOf } from "./bytes_source.ts";
import { errorOf, S3Error } from "./s3_error.ts";

type SignerOptions = ConstructorParameters<typeof AwsV4Signer>[0];

/** Who signs. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that end. */
  readonly sessionToken?: string | undefined;
}

/** Where a server is, and who asks it. */
export interface S3Access {
  /** Of a server that is not AWS': buckets are folders of it. `undefined` for AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** As they are now. @throws {Error} Saying which is missing. */
  keys(): S3Keys;
}

/** What requests need from outside. */
export interface S3ClientOptions {
  readonly bucket: string;
  readonly access: S3Access;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  /** Waits between two tries. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Before the second try, the third …; default: three of them, 20 s in all. */
  readonly waitsMs?: readonly number[];
  /** Without an answer, or more of one, in so many milliseconds a server counts as blocked. */
  readonly patienceMs?: number;
}

/** A request in a bucket. */
export interface S3Request {
  /** Such as `write s3://bucket/key`, for whoever is told that it failed. */
  readonly what: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** "" for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Which statuses besides 200 to 299 are an answer. */
  readonly accepts?: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

/** An answer whose body has been read. */
export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An answer whose body is still to be read. */
export interface OpenS3Answer {
  readonly headers: Headers;
  /** Breaks with an {@linkcode S3Error} where the server falls silent. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** The patience with a server; longer with a body to be sent. */
const PATIENCE_MS = 60_000;
/** The slowest line on which a body is sent: 64 KiB a second. */
const SLOWEST_BYTES_PER_MS = 64;
/** Unless told otherwise. */
const WAITS_MS = [1_000, 4_000, 15_000];
/** A page of a list has 1,000 keys of at most 3 KiB each, escaped. */
const MOST_TEXT = 8 * 1024 ** 2;

export class S3Client {
  readonly bucket: string;
  readonly #access: S3Access;
  readonly #fetch: typeof fetch;
  readonly #now: () => number;
  readonly #wait: NonNullable<S3ClientOptions["wait"]>;
  readonly #patienceMs: number;
  readonly #waitsMs: readonly number[];

  constructor(options: S3ClientOptions) {
    this.bucket = options.bucket;
    this.#access = options.access;
    this.#fetch = options.fetch ?? fetch;
    this.#now = options.now ?? Date.now;
    this.#wait = options.wait ?? pause;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.#waitsMs = options.waitsMs ?? WAITS_MS;
  }

  /**
   * Asks, and reads what is answered.
   *
   * @throws {S3Error} When the answer is no, or there is none.
   */
  async ask(request: S3Request): Promise<S3Answer> {
    const { response, patience } = await this.#again(request);
    try {
      const text = await textWithin(response, request.what);
      return { status: response.status, headers: response.headers, text };
    } catch (error) {
      throw this.#explained(error, request);
    } finally {
      patience.end();
    }
  }

  /**
   * Asks for something long: only its head is waited for here; the caller reads the body, as slowly
   * as it likes.
   *
   * @throws {S3Error} When the answer is no, or there is none.
   */
  async open(request: S3Request): Promise<OpenS3Answer> {
    const { response, patience } = await this.#again(request);
    patience.end();
    return {
      headers: response.headers,
      body: ReadableStream.from(this.#piecesOf(response, { patience, request })),
    };
  }

  /** An address at which anybody may read an object for so long. */
  async linkTo(
    key: string,
    { seconds, query }: {
      readonly seconds: number;
      readonly query: Readonly<Record<string, string>>;
    },
  ): Promise<string> {
    const url = this.#urlOf(key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    url.searchParams.set("X-Amz-Expires", String(seconds));
    const signed = await this.#signer({ method: "GET", url: url.href, signQuery: true }).sign();
    return signed.url.href;
  }

  async *#piecesOf(
    { body }: Response,
    { patience, request }: { readonly patience: Patience; readonly request: S3Request },
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const reader = body?.getReader();
    try {
      while (reader !== undefined) {
        patience.begin(this.#patienceMs);
        const { done, value } = await reader.read();
        patience.end();
        if (done) return;
        yield value;
      }
    } catch (error) {
      throw this.#explained(error, request);
    } finally {
      patience.end();
      // What is not read to its end would keep its connection.
      await reader?.cancel().catch(() => {});
    }
  }

  async #again(request: S3Request) {
    for (let tries = 0;; tries++) {
      try {
        return await this.#once(request);
      } catch (error) {
        request.signal?.throwIfAborted();
        const isPassing = error instanceof S3Error && error.isPassing;
        if (!isPassing || tries >= this.#waitsMs.length) throw error;
        await this.#wait(this.#waitsMs[tries]!, request.signal);
      }
    }
  }

  /** The patience goes on for the rest of the answer, until it is ended. */
  async #once(request: S3Request): Promise<{ response: Response; patience: Patience }> {
    const { what, method, body, accepts = [], signal } = request;
    const signed = await this.#signed(request);
    const patience = new Patience();
    patience.begin(this.#patienceMs + (body?.length ?? 0) / SLOWEST_BYTES_PER_MS);
    try {
      const response = await this.#fetch(signed.url, {
        method,
        headers: signed.headers,
        ...(body !== undefined && { body }),
        // What leads elsewhere would take a signature with it that is good for this server.
        redirect: "manual",
        signal: signal === undefined ? patience.signal : AbortSignal.any([signal, patience.signal]),
      });
      if (response.ok || accepts.includes(response.status)) {
        return { response, patience };
      }
      const text = await textWithin(response, what);
      const region = response.headers.get("x-amz-bucket-region");
      throw this.#concealed(
        errorOf(`Cannot ${what}`, { status: response.status, body: text, region }),
      );
    } catch (error) {
      patience.end();
      throw this.#explained(error, request);
    }
  }

  async #signed({ method, key, query = {}, headers = {}, body }: S3Request) {
    const url = this.#urlOf(key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signer = this.#signer({
      method,
      url: url.href,
      // The hash of the body: a server refuses what was changed on its way.
      headers: { ...headers, "x-amz-content-sha256": await hashOf(body ?? new Uint8Array()) },
      ...(body !== undefined && { body }),
    });
    const signed = await signer.sign();
    // Sizes are those of the objects. Not signed: servers in between change this one.
    signed.headers.set("accept-encoding", "identity");
    return signed;
  }

  #signer(request: Pick<SignerOptions, "method" | "url" | "headers" | "body" | "signQuery">) {
    const { accessKeyId, secretAccessKey, sessionToken } = this.#access.keys();
    return new AwsV4Signer({
      ...request,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: "s3",
      region: this.#access.region,
      datetime: new Date(this.#now()).toISOString().replace(/[:-]|\.\d{3}/g, ""),
    });
  }

  #urlOf(key: string): URL {
    const path = key.split("/").map(encodeURIComponent).join("/");
    const { endpoint, region } = this.#access;
    if (endpoint !== undefined) return new URL(`${endpoint}/${this.bucket}/${path}`);
    const server = `s3.${region}.amazonaws.com`;
    // A dot in a bucket's name is none that AWS' certificate covers.
    return this.bucket.includes(".")
      ? new URL(`https://${server}/${this.bucket}/${path}`)
      : new URL(`https://${this.bucket}.${server}/${path}`);
  }

  #explained(error: unknown, { what, signal }: S3Request): unknown {
    if (error instanceof S3Error || signal?.aborted === true) return error;
    const server = this.#urlOf("").origin;
    if (error instanceof Silence) {
      const seconds = Math.round(error.ms / 1_000);
      return new S3Error(`Cannot ${what}: ${server} answered nothing in ${seconds} s`, {
        isPassing: true,
      });
    }
    if (!(error instanceof TypeError)) return error;
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    return this.#concealed(
      new S3Error(`Cannot ${what}: ${server} cannot be reached: ${cause}`, { isPassing: true }),
    );
  }

  /** A server may repeat what it was sent. */
  #concealed(error: S3Error): S3Error {
    const { accessKeyId, secretAccessKey, sessionToken } = this.#access.keys();
    for (const secret of [accessKeyId, secretAccessKey, sessionToken]) {
      if (secret) error.message = error.message.replaceAll(secret, "(hidden)");
    }
    return error;
  }
}

/** Ends a request whose server says nothing for too long. */
class Patience {
  readonly #abort = new AbortController();
  readonly signal = this.#abort.signal;
  #timer: ReturnType<typeof setTimeout> | undefined;

  begin(ms: number): void {
    this.end();
    this.#timer = setTimeout(() => this.#abort.abort(new Silence(ms)), ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** The server did not answer in time. */
class Silence extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super();
    this.ms = ms;
  }
}

async function textWithin(response: Response, what: string): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > MOST_TEXT) {
      throw new S3Error(`Cannot ${what}: the answer is longer than any of S3's`, {
        isPassing: false,
      });
    }
    pieces.push(piece);
  }
  return await new Blob(pieces).text();
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
