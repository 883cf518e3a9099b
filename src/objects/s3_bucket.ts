/**
 * A bucket of an S3 server: AWS', or any that speaks its protocol.
 *
 * @module
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html
 */

import type {
  GetOptions,
  ListedObject,
  ObjectFacts,
  ObjectSource,
  ObjectStore,
  OpenUpload,
  PutOptions,
  ReadObject,
} from "./object_store.ts";
import { type ListedPage, readFolders, readList, readUploads, textOf } from "./s3_answer.ts";
import { S3Client, type S3ClientOptions } from "./s3_client.ts";
import { errorOf, S3Error } from "./s3_error.ts";

/** One request carries so much at most, and memory holds no more of an object. */
const PART_BYTES = 8 * 1024 ** 2;
/** S3's bound; longer objects have longer parts. */
const MOST_PARTS = 10_000;
/** Of 1,000 objects each: a list that goes on has no end. */
const MOST_PAGES = 10_000;
const SHA256 = "x-amz-meta-sha256";

export class S3Bucket implements ObjectStore {
  readonly #client: S3Client;
  readonly #partBytes: number;

  /** @param options.partBytes At least 5 MiB, says S3. */
  constructor({ partBytes = PART_BYTES, ...options }: S3ClientOptions & {
    readonly partBytes?: number;
  }) {
    this.#client = new S3Client(options);
    this.#partBytes = partBytes;
  }

  addressOf(key: string): string {
    return `s3://${this.#client.bucket}/${key}`;
  }

  async put(key: string, source: ObjectSource, options: PutOptions = {}): Promise<void> {
    const { signal } = options;
    const what = `write ${this.addressOf(key)}`;
    if (source.bytes <= this.#partBytes) {
      const body = await source.read(0, source.bytes);
      const headers = { [SHA256]: source.sha256 };
      await this.#client.ask({ what, method: "PUT", key, body, headers, signal });
    } else {
      await this.#putInParts(key, source, { ...options, what });
    }
    const facts = await this.head(key, signal);
    if (facts?.bytes === source.bytes) return;
    throw new S3Error(
      `Cannot ${what}: the server took ${source.bytes} bytes, and has ${facts?.bytes ?? "none"}`,
      { isPassing: false },
    );
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectFacts | undefined> {
    const what = `look at ${this.addressOf(key)}`;
    // Its answer has no body: a bucket that is not there looks like a key that is not.
    const { status, headers } = await this.#client.ask({
      ...{ what, key, signal },
      method: "HEAD",
      accepts: [404],
    });
    return status === 404 ? undefined : factsOf(headers);
  }

  async get(
    key: string,
    { signal, span }: GetOptions = {},
  ): Promise<ReadObject | undefined> {
    const what = `read ${this.addressOf(key)}`;
    const headers: Record<string, string> = span === undefined
      ? {}
      : { range: `bytes=${span.start}-${span.start + span.length - 1}` };
    const found = this.#client.open({ what, key, signal, method: "GET", headers });
    const answer = await unlessCode("NoSuchKey", found);
    if (answer === undefined) return undefined;
    const facts = factsOf(answer.headers);
    if (span === undefined || facts.bytes === span.length) return { ...facts, body: answer.body };
    await answer.body.cancel();
    throw new S3Error(
      `Cannot ${what}: ${span.length} bytes were asked for, and ${facts.bytes} came`,
      { isPassing: false },
    );
  }

  linkTo(
    key: string,
    { seconds, headers }: Parameters<ObjectStore["linkTo"]>[1],
  ): Promise<string> {
    const query = Object.entries(headers).map(([name, value]) => [`response-${name}`, value]);
    return this.#client.linkTo(key, { seconds, query: Object.fromEntries(query) });
  }

  list(prefix: string, signal?: AbortSignal): AsyncGenerator<ListedObject> {
    const what = `list ${this.addressOf(prefix)}`;
    return this.#pages({ what, signal, query: { "list-type": "2", prefix } }, readList);
  }

  folders(prefix: string, signal?: AbortSignal): AsyncGenerator<string> {
    const what = `list the folders of ${this.addressOf(prefix)}`;
    const query = { "list-type": "2", prefix, delimiter: "/" };
    return this.#pages({ what, signal, query }, readFolders);
  }

  uploads(prefix: string, signal?: AbortSignal): AsyncGenerator<OpenUpload> {
    const what = `list the uploads of ${this.addressOf(prefix)}`;
    return this.#pages({ what, signal, query: { uploads: "", prefix } }, readUploads);
  }

  async *#pages<Thing>(
    { what, signal, query }: {
      readonly what: string;
      readonly signal: AbortSignal | undefined;
      readonly query: Readonly<Record<string, string>>;
    },
    read: (text: string) => ListedPage<Thing>,
  ): AsyncGenerator<Thing> {
    let next: ListedPage<Thing>["next"] = {};
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const { text } = await this.#client.ask({
        ...{ what, key: "", method: "GET", signal },
        query: { ...query, ...next },
      });
      const page = readPage(read, { text, what });
      yield* page.listed;
      if (page.next === undefined) return;
      if (JSON.stringify(page.next) === JSON.stringify(next)) {
        throw new S3Error(`Cannot ${what}: the server gives the same page again and again`, {
          isPassing: false,
        });
      }
      next = page.next;
    }
    throw new S3Error(
      `Cannot ${what}: its list does not end behind ${MOST_PAGES} pages. Use a path in the bucket that nobody else writes to`,
      { isPassing: false },
    );
  }

  async delete(key: string, signal?: AbortSignal): Promise<void> {
    const what = `delete ${this.addressOf(key)}`;
    await this.#client.ask({ what, key, signal, method: "DELETE" });
  }

  async abandon(key: string, uploadId: string, signal?: AbortSignal): Promise<void> {
    const what = `end the upload of ${this.addressOf(key)}`;
    const query = { uploadId };
    await unlessCode(
      "NoSuchUpload",
      this.#client.ask({ what, key, signal, method: "DELETE", query }),
    );
  }

  async #putInParts(
    key: string,
    source: ObjectSource,
    { what, signal, onUpload }: PutOptions & { readonly what: string },
  ): Promise<void> {
    const { text } = await this.#client.ask({
      ...{ what, key, signal },
      method: "POST",
      query: { uploads: "" },
      headers: { [SHA256]: source.sha256 },
    });
    const uploadId = textOf(text, "UploadId");
    if (uploadId === undefined) {
      throw new S3Error(`Cannot ${what}: the server names no upload`, { isPassing: false });
    }
    try {
      await onUpload?.(uploadId);
      const tags = await this.#sendParts(key, source, { what, signal, uploadId });
      await this.#complete(key, tags, { what, signal, uploadId, source });
    } catch (error) {
      // Parts that nobody joins are paid for until somebody ends the upload. The caller's end leaves
      // no time for it, and what failed is what is told.
      if (signal?.aborted !== true) await this.abandon(key, uploadId, signal).catch(() => {});
      throw error;
    }
  }

  async #sendParts(
    key: string,
    source: ObjectSource,
    { what, signal, uploadId }: UploadRequest,
  ): Promise<readonly string[]> {
    const size = Math.max(this.#partBytes, Math.ceil(source.bytes / MOST_PARTS));
    const tags: string[] = [];
    for (let offset = 0; offset < source.bytes; offset += size) {
      signal?.throwIfAborted();
      const body = await source.read(offset, Math.min(size, source.bytes - offset));
      const query = { partNumber: String(tags.length + 1), uploadId };
      const { headers } = await this.#client.ask({ what, key, signal, method: "PUT", query, body });
      const tag = headers.get("etag");
      if (tag === null) {
        throw new S3Error(`Cannot ${what}: the server names no part`, { isPassing: false });
      }
      tags.push(tag);
    }
    return tags;
  }

  async #complete(
    key: string,
    tags: readonly string[],
    { what, signal, uploadId, source }: UploadRequest & { readonly source: ObjectSource },
  ): Promise<void> {
    const parts = tags.map((tag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`
    );
    const asked = this.#client.ask({
      ...{ what, key, signal },
      method: "POST",
      query: { uploadId },
      body: new TextEncoder().encode(
        `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${
          parts.join("")
        }</CompleteMultipartUpload>`,
      ),
    });
    let answer;
    try {
      answer = await asked;
    } catch (error) {
      // Joined by a try whose answer was lost: then it may have been asked again.
      const isUnclear = error instanceof S3Error &&
        (error.code === "NoSuchUpload" || error.isPassing);
      const facts = isUnclear ? await this.head(key, signal).catch(() => undefined) : undefined;
      if (facts?.bytes === source.bytes && facts.sha256 === source.sha256) return;
      throw error;
    }
    const { status, text } = answer;
    // It is answered with 200 before the server knows how it ends.
    if (!text.includes("CompleteMultipartUploadResult")) {
      throw errorOf(`Cannot ${what}`, { status, body: text });
    }
  }
}

interface UploadRequest {
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  readonly uploadId: string;
}

/** What comes of a request; `undefined` where the server says no with this code. */
async function unlessCode<Value>(code: string, asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof S3Error && error.code === code) return undefined;
    throw error;
  }
}

function factsOf(headers: Headers): ObjectFacts {
  return {
    bytes: Number(headers.get("content-length") ?? NaN),
    sha256: headers.get(SHA256) ?? undefined,
  };
}

function readPage<Thing>(
  read: (text: string) => ListedPage<Thing>,
  { text, what }: { readonly text: string; readonly what: string },
): ListedPage<Thing> {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new S3Error(
      `Cannot ${what}: ${error.message}. Look whether AWS_ENDPOINT_URL_S3 is the address of an S3 server`,
      { isPassing: false, cause: error },
    );
  }
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
