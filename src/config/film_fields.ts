/**
 * The settings of films that are kept in a bucket.
 *
 * @module
 */

import * as z from "zod";
import { parseS3Url } from "../domain/s3_address.ts";

export const FILM_FIELDS = {
  s3_url: z.string().refine(
    (text) => parseS3Url(text) !== undefined,
    "Expected https://ENDPOINT/BUCKET/PREFIX or s3://BUCKET/PREFIX: a bucket's name in small letters, " +
      "digits, . and -; then, if you like, names of letters, digits and . _ - between slashes; no user, " +
      "no ? and no #",
  ).optional().meta({
    placeholder: "URL",
    description:
      "Bucket that has the films, as https://ENDPOINT/BUCKET/PREFIX (s3://BUCKET/PREFIX for AWS), of this " +
      "gateway alone, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (each the value, or env:NAME, " +
      "file:/path or credential:NAME of it) and AWS_REGION in the environment. Default: videos in the data dir.",
  }),
  films_redirect: z.enum(["on", "off"]).default("off").meta({
    description:
      "Whether whoever fetches a film is sent on to that bucket, by an address that is good for 5 minutes " +
      "(302): on or off, where the gateway passes it on.",
  }),
};
