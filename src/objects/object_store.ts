/**
 * Objects by their keys, wherever they are kept.
 *
 * @module
 */

/** Bytes that can be read from any place, again if need be. */
export interface ObjectSource {
  readonly bytes: number;
  /** Of all of it, in hexadecimal: kept beside the object. */
  readonly sha256: string;
  /** Exactly those bytes. @throws {Error} Where they are not there any more. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** An object in a list. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  /** When it was put, in milliseconds since the epoch; `NaN` where the server does not tell. */
  readonly putAt: number;
}

/** An upload in parts that has not ended. */
export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
  /** When it was begun, in milliseconds since the epoch; `NaN` where the server does not tell. */
  readonly begunAt: number;
}

/** What is known of an object without reading it. */
export interface ObjectFacts {
  readonly bytes: number;
  /** As it was given when it was put; `undefined` of what others have put there. */
  readonly sha256: string | undefined;
}

/** An object that is read. */
export interface ReadObject extends ObjectFacts {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Which part of an object to read. */
export interface GetOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: all of it. It must lie within the object. */
  readonly span?: { readonly start: number; readonly length: number } | undefined;
}

/** How to put an object. */
export interface PutOptions {
  readonly signal?: AbortSignal;
  /** Told the name of an upload in parts before its first part: it stays until it is ended. */
  readonly onUpload?: (uploadId: string) => Promise<void>;
}

/**
 * A place for objects. Each method rejects with an `Error` whose message says what could not be
 * done, why, and what to do; it has no secret in it.
 */
export interface ObjectStore {
  /** The address of a key, as an operator writes it: `s3://bucket/key`. */
  addressOf(key: string): string;
  /** The object is there when this resolves, and whole; until then there is none, or the one before. */
  put(key: string, source: ObjectSource, options?: PutOptions): Promise<void>;
  /** `undefined` where there is none. */
  head(key: string, signal?: AbortSignal): Promise<ObjectFacts | undefined>;
  /** `undefined` where there is none. Of a part of it, `bytes` are the part's. */
  get(key: string, options?: GetOptions): Promise<ReadObject | undefined>;
  /** An address at which anybody may read it for so long, with these headers in the answer. */
  linkTo(
    key: string,
    options: { readonly seconds: number; readonly headers: Readonly<Record<string, string>> },
  ): Promise<string>;
  /** Every object whose key begins so, in order of their keys. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<ListedObject>;
  /** What keys that begin so have up to the next `/` behind it, with that, each once and in order. */
  folders(prefix: string, signal?: AbortSignal): AsyncIterable<string>;
  /** Resolves also where there is none. */
  delete(key: string, signal?: AbortSignal): Promise<void>;
  /** Ends an upload in parts that was broken off; resolves also where there is none. */
  abandon(key: string, uploadId: string, signal?: AbortSignal): Promise<void>;
  /** Uploads in parts that nobody has ended, of keys that begin so. */
  uploads(prefix: string, signal?: AbortSignal): AsyncIterable<OpenUpload>;
}
