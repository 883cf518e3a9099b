/**
 * The settings of backups that the server makes by itself.
 *
 * @module
 */

import * as z from "zod";

const HOUR_MS = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS };
const MOST_MS = 366 * 24 * HOUR_MS;

/** `12h`, `1d` or `1w` in milliseconds; `undefined` for what is none. */
export function parseEvery(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,4}) ?([hdw])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? NaN);
  return ms >= HOUR_MS && ms <= MOST_MS ? ms : undefined;
}

export const BACKUP_FIELDS = {
  backup_every: z.string().transform((text, context) => {
    const everyMs = parseEvery(text);
    if (everyMs !== undefined) return everyMs;
    context.addIssue({
      code: "custom",
      message:
        "Expected hours, days or weeks such as 12h, 1d or 1w: an hour at least, a year at most",
    });
    return z.NEVER;
  }).optional().meta({
    placeholder: "TIME",
    description: "How often the server makes a backup by itself and reads it again: 12h, 1d, 1w. " +
      "It goes on where it was after a restart. Default: never.",
  }),
  backup_keep: z.int().min(1).max(10_000).default(14).meta({
    placeholder: "N",
    description: "How many of the backups it has made by itself are kept: the oldest go when " +
      "another one is good.",
  }),
  backup_to: z.string().min(1).refine((text) => !text.includes("\0"), "Expected a path").refine(
    (text) => !/^[a-z0-9+.-]+:\/\//i.test(text),
    "Expected a folder: backups go to no URL. Name a folder, and copy it to the bucket from " +
      "there, such as with `rclone sync DIR remote:bucket` behind each backup",
  ).optional().meta({
    placeholder: "DIR",
    description: "Folder of those backups: one that is there. Default: backups in the data dir.",
  }),
  backup_films: z.enum(["on", "off"]).default("off").meta({
    description: "Whether films are copied beside them, to films in that folder: on or off.",
  }),
};
