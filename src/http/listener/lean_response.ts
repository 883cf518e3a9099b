/**
 * The `Response` that the hot paths give. The platform's own makes a stream even of a short text,
 * which costs more CPU than all the rest of sending it; this one keeps a text a text and a file a
 * file, and asks a source for the parts of a stream without a stream in between.
 *
 * @module
 */
import type { TextParts } from "../../domain/text_parts.ts";
import { FilePart } from "./file_part.ts";

/** What an answer can be made of. */
export type LeanContent = string | TextParts | FilePart;

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
  readonly content: LeanContent;
  readonly #fields: Readonly<Record<string, string>>;
  #headers: Headers | undefined;

  constructor(content: LeanContent, { status = 200, headers }: LeanResponseOptions) {
    this.status = status;
    this.content = content;
    this.#fields = headers;
  }

  /** Makes an answer, under the type that handlers give. */
  static make(content: LeanContent, options: LeanResponseOptions): Response {
    return new LeanResponse(content, options) as unknown as Response;
  }

  /** The same object where it is one of ours; `undefined` for the platform's own. */
  static of(response: Response): LeanResponse | undefined {
    return #fields in response ? response as unknown as LeanResponse : undefined;
  }

  /** The same answer with further headers, which win over those it has. */
  static withHeaders(response: Response, more: Readonly<Record<string, string>>): Response {
    const lean = LeanResponse.of(response);
    if (lean === undefined) {
      for (const name in more) response.headers.set(name, more[name]!);
      return response;
    }
    const { status, content } = lean;
    return LeanResponse.make(content, { status, headers: { ...lean.#fields, ...more } });
  }

  /** An answer of ours with another content. */
  static withContent(response: Response, content: LeanContent): Response {
    const lean = response as unknown as LeanResponse;
    return LeanResponse.make(content, { status: lean.status, headers: lean.#fields });
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Empty, as HTTP/2 has none; Hono copies it into its answers to HEAD. */
  get statusText(): string {
    return "";
  }

  get headers(): Headers {
    return this.#headers ??= this.#makeHeaders();
  }

  // deno-lint-ignore require-await
  async text(): Promise<string> {
    if (typeof this.content === "string") return this.content;
    throw new TypeError("Cannot give an answer as one text that is sent part by part");
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  /** Lets go of the source of an answer that will not be sent; safe to call at any time. */
  async cancel(reason?: unknown): Promise<void> {
    if (typeof this.content !== "string") await this.content.cancel(reason);
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

  #makeHeaders(): Headers {
    const headers = new Headers(this.#fields);
    // Survives the copies that Hono makes of an answer: of one to HEAD nothing else tells its length.
    if (this.content instanceof FilePart) {
      headers.set("content-length", String(this.content.length));
    }
    return headers;
  }

  static {
    // So that `instanceof Response` holds, for Hono and for tests.
    Object.setPrototypeOf(LeanResponse.prototype, Response.prototype);
  }
}
