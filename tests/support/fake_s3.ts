/**
 * An S3 server in the test's own process, with the faults that a test asks for: objects in memory,
 * uploads in parts, lists, ranges. It checks who asks and the hash of each body, and no signature: a
 * real server's tests do that.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as faults see it. */
export interface AskedS3 {
  readonly method: string;
  /** "" for the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  /** How many requests came before it. */
  readonly nth: number;
}

/**
 * - a status with S3's code: nothing is done;
 * - `reset`: nothing is done, and the connection is cut;
 * - `lost`: it is done, and the connection is cut instead of an answer;
 * - `cut`: half of the body comes, and then nothing;
 * - `short`: it is said to have a byte less than it has.
 */
export type S3Fault =
  | { readonly status: number; readonly code: string }
  | "reset"
  | "lost"
  | "cut"
  | "short";

interface FakeObject {
  readonly body: Buffer;
  readonly sha256: string | undefined;
  readonly etag: string;
  putAt: number;
}

interface FakeUpload {
  readonly key: string;
  readonly sha256: string | undefined;
  readonly parts: Map<number, Buffer>;
  begunAt: number;
}

interface Answered {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

const BUCKET = "films";
const KEY_ID = "AKIAFAKE";
const PAGE = 1_000;

export class FakeS3 implements AsyncDisposable {
  readonly objects = new Map<string, FakeObject>();
  readonly uploads = new Map<string, FakeUpload>();
  /** `METHOD key?query` of each request, in order. */
  readonly asked: string[] = [];
  /** Decides what goes wrong. */
  fault: (asked: AskedS3) => S3Fault | undefined = () => undefined;
  /** A request is looked at once this resolves. */
  hold: (asked: AskedS3) => Promise<void> = () => Promise.resolve();
  /** Whether what was written over is still read: a server of weak consistency. */
  isStale = false;
  /** How far its clock is ahead, in milliseconds. */
  aheadMs = 0;
  readonly #server: Server;
  #count = 0;
  #uploadCount = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error) => {
        response.destroy(error);
      });
    });
  }

  static async start(): Promise<FakeS3> {
    const fake = new FakeS3();
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For `TOLLGATE_S3_URL`. */
  get url(): string {
    return `${this.endpoint}/${BUCKET}/of/tests`;
  }

  /** What a process needs to keep its films here. */
  env(): Record<string, string> {
    return {
      TOLLGATE_S3_URL: this.url,
      AWS_ACCESS_KEY_ID: KEY_ID,
      AWS_SECRET_ACCESS_KEY: "a-secret-that-signs-for-it",
    };
  }

  /** Keys of films, thumbnails and images, below the prefix. */
  films(): string[] {
    return [...this.objects.keys()].map((key) => key.replace("of/tests/", ""))
      .filter((key) => key.startsWith("video_")).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.endpoint);
    const [, bucket, ...rest] = url.pathname.split("/").map(decodeURIComponent);
    const asked: AskedS3 = {
      method: request.method!,
      key: rest.join("/"),
      query: url.searchParams,
      nth: this.#count++,
    };
    this.asked.push(`${asked.method} ${asked.key}${url.search}`);
    const body = await bodyOf(request);
    await this.hold(asked);
    const fault = this.fault(asked);
    if (fault === "reset") return void request.socket.destroy();
    const answered = typeof fault === "object"
      ? refused(fault.status, fault.code)
      : this.#refusalOf(request, { bucket, query: asked.query, body }) ??
        this.#answer(asked, request, body);
    if (fault === "lost") return void request.socket.destroy();
    this.#send(response, answered, { isHead: asked.method === "HEAD", fault });
  }

  #send(
    response: ServerResponse,
    { status, headers = {}, body = "" }: Answered,
    { isHead, fault }: { readonly isHead: boolean; readonly fault: S3Fault | undefined },
  ): void {
    const bytes = Buffer.from(body as string);
    const length = Number(headers["content-length"] ?? bytes.length) - (fault === "short" ? 1 : 0);
    response.writeHead(status, { ...headers, "content-length": String(length) });
    if (isHead) response.end();
    else if (fault === "cut") {
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
    } else response.end(bytes.subarray(0, length));
  }

  #refusalOf(
    { headers }: IncomingMessage,
    { bucket, query, body }: {
      readonly bucket: string | undefined;
      readonly query: URLSearchParams;
      readonly body: Buffer;
    },
  ): Answered | undefined {
    if (bucket !== BUCKET) return refused(404, "NoSuchBucket");
    if (query.has("X-Amz-Signature")) return undefined;
    if (!headers.authorization?.includes(`Credential=${KEY_ID}/`)) {
      return refused(403, "InvalidAccessKeyId");
    }
    if (headers["x-amz-content-sha256"] !== sha256Of(body)) {
      return refused(400, "XAmzContentSHA256Mismatch");
    }
    return undefined;
  }

  #answer(asked: AskedS3, { headers }: IncomingMessage, body: Buffer): Answered {
    const { method, key, query } = asked;
    const sha256 = headers["x-amz-meta-sha256"] as string | undefined;
    const uploadId = query.get("uploadId");
    if (key === "") return query.has("uploads") ? this.#uploadList(query) : this.#list(query);
    if (method === "POST" && query.has("uploads")) {
      const id = `upload-${++this.#uploadCount}`;
      this.uploads.set(id, { key, sha256, parts: new Map(), begunAt: this.#now() });
      return ok(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (uploadId !== null) return this.#ofUpload(asked, uploadId, body);
    const found = this.objects.get(key);
    switch (method) {
      case "PUT":
        this.#put(key, body, sha256);
        return { status: 200, headers: { etag: `"${sha256Of(body).slice(0, 32)}"` } };
      case "DELETE":
        this.objects.delete(key);
        return { status: 204 };
      default:
        return found === undefined ? refused(404, "NoSuchKey") : read(found, headers.range);
    }
  }

  #ofUpload({ method, query, key }: AskedS3, uploadId: string, body: Buffer): Answered {
    const upload = this.uploads.get(uploadId);
    if (upload === undefined || upload.key !== key) return refused(404, "NoSuchUpload");
    if (method === "DELETE") {
      this.uploads.delete(uploadId);
      return { status: 204 };
    }
    if (method === "PUT") {
      upload.parts.set(Number(query.get("partNumber")), body);
      return { status: 200, headers: { etag: `"${sha256Of(body).slice(0, 32)}"` } };
    }
    const parts = [...upload.parts].sort(([one], [other]) => one - other).map(([, part]) => part);
    const tags = [...body.toString().matchAll(/<ETag>([^<]*)<\/ETag>/g)].map(([, tag]) =>
      tag!.replaceAll("&quot;", "")
    );
    const held = parts.map((part) => sha256Of(part).slice(0, 32));
    if (tags.join() !== held.join()) return refused(400, "InvalidPart");
    this.uploads.delete(uploadId);
    this.#put(key, Buffer.concat(parts), upload.sha256);
    return ok(`<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`);
  }

  #put(key: string, body: Buffer, sha256: string | undefined): void {
    if (this.isStale && this.objects.has(key)) return;
    this.objects.set(key, {
      body,
      sha256,
      etag: `"${sha256Of(body).slice(0, 32)}"`,
      putAt: this.#now(),
    });
  }

  #list(query: URLSearchParams): Answered {
    const from = query.get("continuation-token") ?? "";
    const prefix = query.get("prefix") ?? "";
    const delimiter = query.get("delimiter");
    const shownAs = (key: string) => {
      const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      return end < 0 ? key : key.slice(0, end + 1);
    };
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).map(shownAs);
    const names = [...new Set(keys)].filter((name) => name > from).sort();
    const page = names.slice(0, PAGE);
    const entries = page.map((name) => {
      const found = this.objects.get(name);
      if (found === undefined) return `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`;
      return `<Contents><Key>${name}</Key><Size>${found.body.length}</Size><LastModified>${
        new Date(found.putAt).toISOString()
      }</LastModified></Contents>`;
    });
    const more = names.length > PAGE
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${
        page.at(-1)
      }</NextContinuationToken>`
      : "";
    return ok(`<ListBucketResult>${entries.join("")}${more}</ListBucketResult>`);
  }

  #uploadList(query: URLSearchParams): Answered {
    const entries = [...this.uploads].filter(([, { key }]) =>
      key.startsWith(query.get("prefix") ?? "")
    ).map(([id, { key, begunAt }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${
        new Date(begunAt).toISOString()
      }</Initiated></Upload>`
    );
    return ok(`<ListMultipartUploadsResult>${entries.join("")}</ListMultipartUploadsResult>`);
  }

  #now(): number {
    return Date.now() + this.aheadMs;
  }
}

function read({ body, sha256, etag }: FakeObject, range: string | undefined): Answered {
  const headers = { etag, ...(sha256 !== undefined && { "x-amz-meta-sha256": sha256 }) };
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (first === undefined) return { status: 200, headers, body };
  const span = body.subarray(Number(first), Number(last) + 1);
  const contentRange = `bytes ${first}-${last}/${body.length}`;
  return { status: 206, headers: { ...headers, "content-range": contentRange }, body: span };
}

function ok(xml: string): Answered {
  return { status: 200, body: `<?xml version="1.0"?>${xml}` };
}

function refused(status: number, code: string): Answered {
  return { status, body: `<Error><Code>${code}</Code><Message>as asked for</Message></Error>` };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}
