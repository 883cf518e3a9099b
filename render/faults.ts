/**
 * Faults of the renderer on demand, for testing clients and the runner: a suffix of the route's
 * upstream model, never a field of a request.
 *
 * @module
 */

/** `upstream_model` of the renderer, without a fault's suffix. */
export const BUILTIN_VIDEO_MODEL = "video-2";

/**
 * Every fault, in the form it is written. Several are joined by commas or further colons:
 * `video-2:slow-200,fail`.
 */
export const FILM_FAULTS = {
  "slow-N": "takes N milliseconds more for each frame (at most 60000)",
  "fail": "fails half-way, as a film that cannot be made does",
  "crash": "throws half-way what nobody expects: the Worker ends",
  "stall": "stops half-way to answer and to listen, without end",
} as const;

/** What befalls a film half-way. */
export type FilmEnding = "fail" | "crash" | "stall";

/** The faults of one film. */
export interface FilmFaults {
  /** Extra time for each frame. */
  readonly frameMs: number;
  /** `undefined`: the film is finished. */
  readonly ending: FilmEnding | undefined;
}

/** No faults at all. */
export const NO_FILM_FAULTS: FilmFaults = Object.freeze({ frameMs: 0, ending: undefined });

/**
 * Reads the faults from an upstream model such as `video-2` or `video-2:slow-200,fail`.
 *
 * @throws {RangeError} for an unknown fault or a number out of range: the operator's mistake.
 */
export function parseFilmFaults(upstreamModel: string): FilmFaults {
  const colon = upstreamModel.indexOf(":");
  if (colon < 0) return NO_FILM_FAULTS;
  let { frameMs, ending } = NO_FILM_FAULTS;
  for (const fault of upstreamModel.slice(colon + 1).split(/[:,]/)) {
    const slowness = /^slow-(\d{1,5})$/.exec(fault)?.[1];
    if (slowness !== undefined && Number(slowness) <= 60_000) frameMs = Number(slowness);
    else if (fault === "fail" || fault === "crash" || fault === "stall") ending = fault;
    else {
      throw new RangeError(
        `Cannot apply the fault '${fault}' of a built-in video model: use ${
          Object.keys(FILM_FAULTS).join(", ")
        }`,
      );
    }
  }
  return { frameMs, ending };
}
