/**
 * The video models of the catalogue that is measured.
 *
 * @module
 */

import type { Server } from "./child_process.ts";

/** Rendered by the gateway itself. */
export const RENDERED_MODEL = "video-2";
/** Of an upstream whose jobs stay queued. */
export const QUEUED_MODEL = "queued-film";
/** Of an upstream whose films are large. */
export const LARGE_MODEL = "large-film";

const PRICES = { cost: { second: "0.01" }, sale: { second: "0.02" } };
const OFFER = { sizes: ["640x360"], seconds: [4] };

/** The built-in model, and two of the upstream's if there is one. */
export function videoCatalogue(
  films: Server | "builtin",
): { readonly providers: readonly object[]; readonly models: readonly object[] } {
  const video = (id: string, route: object) => ({
    id,
    kind: "video",
    routes: [{ id: `${id}/route`, ...PRICES, ...route }],
  });
  const builtin = {
    providers: [{ id: "here", kind: "builtin" }],
    models: [video(RENDERED_MODEL, { provider: "here" })],
  };
  if (films === "builtin") return builtin;
  const made = { provider: "films", video: OFFER };
  return {
    providers: [...builtin.providers, {
      id: "films",
      kind: "openai_compatible",
      base_url: `http://127.0.0.1:${films.port}/v1`,
      video_form: "json",
    }],
    models: [
      ...builtin.models,
      video(QUEUED_MODEL, { ...made, upstream_model: "stays-queued" }),
      video(LARGE_MODEL, { ...made, upstream_model: "completes" }),
    ],
  };
}
