/**
 * The settings of backups that the server makes by itself.
 *
 * @module
 */

import * as z from "zod";
import { isS3, parseS3Address } from "../domain/s3_address.ts";

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
    (text) => !/^[a-z0-9+.-]+:\/\//i.test(text) || isS3(text),
    "Expected a folder or s3://BUCKET/PREFIX: backups go to no other URL",
  ).refine(
    (text) => !isS3(text) || parseS3Address(text) !== undefined,
    "Expected s3://BUCKET/PREFIX: a bucket's name in small letters, digits, . and -; then, if you " +
      "like, names of letters, digits and . _ - between slashes",
  ).optional().meta({
    placeholder: "PLACE",
    description: "Where those backups go: a folder that is there, or s3://BUCKET/PREFIX of this " +
      "gateway alone, with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for a server " +
      "that is not AWS', AWS_ENDPOINT_URL_S3 in the environment. Default: backups in the data dir.",
  }),
  backup_films: z.enum(["on", "off"]).default("off").meta({
    description: "Whether films are copied beside them, to films in that place: on or off.",
  }),
};
