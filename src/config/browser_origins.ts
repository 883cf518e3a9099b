/**
 * Origins of web pages, as the setting writes them.
 *
 * @module
 */

/** Stands for all of them. */
export const ANY_ORIGIN = "*";

/** What browsers send: a scheme, a host and a port that is not the scheme's own; no path. */
const ORIGIN = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^\s\/?#@,*]{1,260}$/;

/** The origins of a list; `undefined` where one is none. */
export function parseOrigins(list: string | readonly string[]): readonly string[] | undefined {
  const origins = (typeof list === "string" ? list.split(",") : list)
    .map((origin) => origin.trim().toLowerCase());
  if (origins.length === 0) return undefined;
  if (origins.includes(ANY_ORIGIN)) return origins.length === 1 ? origins : undefined;
  return origins.every((origin) => ORIGIN.test(origin)) ? [...new Set(origins)] : undefined;
}
