/**
 * The `Response` that the hot paths give. The platform's own makes a stream even of a short text,
 * which costs more CPU than all the rest of sending it; this one keeps a text a text, and asks a
 * source for the parts of a stream without a stream in between.
 *
 * @module
 */

/** The parts of a body, one after the other. */
export interface TextParts {
  /** The next part when it is there, `undefined` after the last one. Asked for one at a time. */
  next(): Promise<string | undefined>;
  /** Nobody wants the rest; safe to call at any time. */
  cancel(reason?: unknown): Promise<void>;
}

/** What is said of a body besides the body. */
export interface LeanResponseOptions {
  readonly status?: number;
  /** Lower-case names; values without line breaks. Framing headers are the listener's alone. */
  readonly headers: Readonly<Record<string, string>>;
}

const FORBIDDEN = /[\r\n\0]/;

/** An answer that the listener sends without detours. Use it as a `Response`: see {@linkcode LeanResponse.make}. */
export class LeanResponse {
  readonly status: number;
  readonly content: string | TextParts;
  readonly #fields: Readonly<Record<string, string>>;
  #headers: Headers | undefined;

  constructor(content: string | TextParts, { status = 200, headers }: LeanResponseOptions) {
    this.status = status;
    this.content = content;
    this.#fields = headers;
  }

  /** Makes an answer, under the type that handlers give. */
  static make(content: string | TextParts, options: LeanResponseOptions): Response {
    return new LeanResponse(content, options) as unknown as Response;
  }

  /** The same object where it is one of ours; `undefined` for the platform's own. */
  static of(response: Response): LeanResponse | undefined {
    return #fields in response ? response as unknown as LeanResponse : undefined;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Empty, as HTTP/2 has none; Hono copies it into its answers to HEAD. */
  get statusText(): string {
    return "";
  }

  get headers(): Headers {
    return this.#headers ??= new Headers(this.#fields);
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.#asPlatformResponse().body;
  }

  text(): Promise<string> {
    return this.#asPlatformResponse().text();
  }

  json(): Promise<unknown> {
    return this.#asPlatformResponse().json();
  }

  /** The header lines, each ended by CR LF. */
  get headerLines(): string {
    let lines = "";
    for (const name in this.#fields) {
      const value = this.#fields[name]!;
      if (FORBIDDEN.test(value)) {
        throw new TypeError(`Cannot send the header '${name}' as its value has a line break`);
      }
      lines += `${name}: ${value}\r\n`;
    }
    return lines;
  }

  #asPlatformResponse(): Response {
    const { status, headers, content } = this;
    return new Response(typeof content === "string" ? content : asStream(content), {
      status,
      headers,
    });
  }

  static {
    // So that `instanceof Response` holds, for Hono and for tests.
    Object.setPrototypeOf(LeanResponse.prototype, Response.prototype);
  }
}

function asStream(parts: TextParts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = await parts.next();
      if (part === undefined) controller.close();
      else controller.enqueue(encoder.encode(part));
    },
    cancel: () => void parts.cancel(),
  }, { highWaterMark: 0 });
}
