/**
 * A wrong request and the answer it must get.
 *
 * @module
 */

/** One wrong request and its answer. */
export interface BadRequest {
  readonly name: string;
  /** Default `POST`. */
  readonly method?: string;
  /** Default `/v1/chat/completions`. */
  readonly target?: string;
  /** Header lines beside `Host`, `Authorization` and `Content-Type`; `undefined` leaves those out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
  readonly status: number;
  readonly code: string;
  readonly param?: string;
  /** The `Allow` header. */
  readonly allow?: string;
}

/** A good chat body, changed by `fields`. */
export function chatBody(fields: object = {}): string {
  return JSON.stringify({
    model: "echo-1",
    messages: [{ role: "user", content: "Hello" }],
    ...fields,
  });
}
