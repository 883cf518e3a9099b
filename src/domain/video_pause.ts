/**
 * Pauses of the video queue: an operator's, kept until they are taken back.
 *
 * @module
 */

/** What a pause holds back: everything, or what one logical model or one route would make. */
export type PausedPart =
  | { readonly part: "queue" }
  | { readonly part: "model" | "route"; readonly id: string };

/** While there is one, no new attempt begins there; what is under way goes on to its end. */
export type VideoPause = PausedPart & {
  /** The operator's words; `undefined` for none. */
  readonly reason: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
};

/** Such as `queue`, `model film` or `route gpu/film`: one text for each part. */
export function pausedPartWords(paused: PausedPart): string {
  return paused.part === "queue" ? "queue" : `${paused.part} ${paused.id}`;
}

/** That nothing begins, without the reason, which is for operators. */
export function pauseWords(pause: VideoPause): string {
  const what = pause.part === "queue" ? "all films" : `films of ${pausedPartWords(pause)}`;
  return `The queue of ${what} is paused since ${new Date(pause.since).toISOString()}`;
}

/** What takes a pause back, as a command. */
export function resumeCommand(pause: PausedPart): string {
  const option = pause.part === "queue" ? "" : ` --${pause.part} ${pause.id}`;
  return `tollgate videos resume${option}`;
}
