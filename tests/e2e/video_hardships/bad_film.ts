/**
 * A wrong request for a film and the answer it must get.
 *
 * @module
 */

import { SMALL_FILM } from "../../support/films/film_gateway.ts";

/** One wrong request and its answer. */
export interface BadFilm {
  readonly name: string;
  /** Default: JSON. `undefined` sends none. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
  /** Default: 400. */
  readonly status?: number;
  /** Default: `invalid_value`. */
  readonly code?: string;
  /** Default: none. */
  readonly param?: string;
  /** Whether it says of each route why it was left out. */
  readonly hasRoutes?: boolean;
}

/** A good request, in JSON, changed by `fields`. */
export function filmJson(fields: object = {}): string {
  return JSON.stringify({ ...SMALL_FILM, ...fields });
}

const BOUNDARY = "----film-boundary";
/** The content type of {@linkcode filmForm}. */
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A part of a form: a text, or a file. */
export type FormPart =
  | readonly [name: string, text: string]
  | readonly [name: string, bytes: Uint8Array, type: string];

/** A good request as a form, with further parts. */
export function filmForm(
  more: readonly FormPart[] = [],
  fields: Readonly<Record<string, unknown>> = SMALL_FILM,
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
  for (const [name, value, type] of [...texts, ...more] as readonly FormPart[]) {
    const file = type === undefined
      ? ""
      : `; filename="image.png"\r\nContent-Type: ${type.replaceAll(/[\r\n]/g, "")}`;
    parts.push(
      encoder.encode(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`,
      ),
      typeof value === "string" ? encoder.encode(value) : value,
      encoder.encode("\r\n"),
    );
  }
  parts.push(encoder.encode(`--${BOUNDARY}--\r\n`));
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
