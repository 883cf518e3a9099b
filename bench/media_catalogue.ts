/**
 * The models of the catalogue that is measured which hear, draw and speak.
 *
 * @module
 */

import type { Server } from "./child_process.ts";

/** Writes down what it hears. */
export const HEARING_MODEL = "bench-hearer";
/** Makes and edits images. */
export const DRAWING_MODEL = "bench-painter";
/** Says texts aloud. */
export const SPEAKING_MODEL = "bench-speaker";

/** All of one upstream. */
export function mediaCatalogue(
  { port }: Server,
): { readonly providers: readonly object[]; readonly models: readonly object[] } {
  const model = (id: string, kind: string, sale: object) => ({
    id,
    kind,
    routes: [{ id: `media/${id}`, provider: "media", upstream_model: id, sale }],
  });
  return {
    providers: [{
      id: "media",
      kind: "openai_compatible",
      base_url: `http://127.0.0.1:${port}/v1`,
    }],
    models: [
      model(HEARING_MODEL, "transcription", { audio_second: "0.0001" }),
      model(DRAWING_MODEL, "image", { image_out: "0.04" }),
      model(SPEAKING_MODEL, "speech", { character: "15" }),
    ],
  };
}
