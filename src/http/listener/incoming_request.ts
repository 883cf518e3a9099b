/**
 * The `Request` that handlers get. Building the platform's own costs more CPU than all the rest of
 * the listening side, so this one has the same face, and makes each part when it is first asked for. Of
 * the ways to read a body it has those that handlers use.
 *
 * @module
 */
import type { IncomingBody } from "./incoming_body.ts";
import type { RequestHead } from "./request_head.ts";

const decoder = new TextDecoder();

/** One received request. Use it as a `Request`: see {@linkcode IncomingRequest.asRequest}. */
export class IncomingRequest {
  readonly #head: RequestHead;
  readonly #body: IncomingBody;
  #headers: Headers | undefined;
  #url: string | undefined;
  #controller: AbortController | undefined;
  #gone: Error | undefined;
  #finished = false;
  #taken = false;

  constructor(head: RequestHead, body: IncomingBody) {
    this.#head = head;
    this.#body = body;
  }

  /** The same object under the type that handlers know. */
  asRequest(): Request {
    return this as unknown as Request;
  }

  /**
   * The body of a request, for who reads it in another way.
   *
   * @throws {TypeError} if it is used, or the request did not come through this listener
   */
  static takeBody(request: Request): IncomingBody {
    const incoming = request as unknown as IncomingRequest;
    incoming.#take();
    return incoming.#body;
  }

  /** Whether the bytes of a request's body are kept once they were read, as another may want them anew. */
  static keepsBody(request: Request): boolean {
    return (request as unknown as IncomingRequest).#body.taken !== undefined;
  }

  /** The path and query of a request that came through this listener, exactly as they were sent. */
  static path(request: Request): string {
    return (request as unknown as IncomingRequest).#head.path;
  }

  /**
   * A header's value by lower-case name, `null` if there is none; equal names are joined. For any
   * `Request`, but without the platform's list of headers where the request is one of ours.
   */
  static header(request: Request, name: string): string | null {
    if (!(#head in request)) return request.headers.get(name);
    let joined: string | null = null;
    const { headers } = (request as unknown as IncomingRequest).#head;
    // Several are looked for in every request: an index is cheaper than taking pairs apart.
    for (let index = 0; index < headers.length; index++) {
      const other = headers[index]![0];
      if (other.length !== name.length || other.toLowerCase() !== name) continue;
      const value = headers[index]![1];
      joined = joined === null ? value : `${joined}, ${value}`;
    }
    return joined;
  }

  /**
   * The same request under another path, with these headers and no others: for a handler of this
   * process behind the one that it came to. Either of the two may read the body.
   */
  static under(
    request: Request,
    { path, headers }: Pick<RequestHead, "path" | "headers">,
  ): Request {
    const incoming = request as unknown as IncomingRequest;
    const under = new IncomingRequest({ ...incoming.#head, path, headers }, incoming.#body);
    const { signal } = incoming;
    signal.addEventListener("abort", () => under.clientGone(signal.reason), { once: true });
    if (signal.aborted) under.clientGone(signal.reason);
    return under.asRequest();
  }

  /** Says that the client has gone: `signal` fires, unless the answer is out already. */
  clientGone(reason: Error): void {
    if (this.#finished) return;
    this.#gone = reason;
    this.#controller?.abort(reason);
  }

  /** Says that the whole answer was sent: from now on `signal` does not fire. */
  answered(): void {
    this.#finished = true;
  }

  get method(): string {
    return this.#head.method;
  }

  get url(): string {
    return this.#url ??= `http://${this.#head.host}${this.#head.path}`;
  }

  get headers(): Headers {
    return this.#headers ??= this.#makeHeaders();
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#gone !== undefined) this.#controller.abort(this.#gone);
    }
    return this.#controller.signal;
  }

  get bodyUsed(): boolean {
    return this.#taken;
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.#take();
    return await this.#body.readAll(Number.POSITIVE_INFINITY);
  }

  async text(): Promise<string> {
    return decoder.decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  #makeHeaders(): Headers {
    // Half the cost of the constructor with a list.
    const headers = new Headers();
    for (const [name, value] of this.#head.headers) headers.append(name, value);
    return headers;
  }

  #take(): void {
    if (this.#taken) {
      throw new TypeError("Cannot read the request body as it is used already");
    }
    this.#taken = true;
  }

  static {
    // So that `instanceof Request` holds; the platform's own getters are all shadowed above or
    // throw, as they do for any object that is not theirs.
    Object.setPrototypeOf(IncomingRequest.prototype, Request.prototype);
  }
}
