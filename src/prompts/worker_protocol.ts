/**
 * The messages between the Worker that packs what calls said and whoever started it.
 *
 * @module
 */

import type { SaidPrompt } from "./said_prompt.ts";

/** What is to be packed. */
export interface PackRequest {
  readonly id: number;
  readonly said: SaidPrompt;
}

/** Compressed JSON of what is kept, or the name of the error that came instead. */
export type PackReply =
  | { readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly id: number; readonly error: string };
