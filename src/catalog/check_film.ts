/**
 * Rules of the catalogue file for routes of video models.
 *
 * @module
 */

import type { DocumentPath } from "../documents/problem.ts";
import { unrenderableSeconds, unrenderableSize } from "./builtin_video.ts";
import { listFrom, type Loose, mappingFrom, type Report } from "./loose.ts";

/** What a film was asked for and sold by: a rule on it would falsify money. */
const SOLD_FIELDS = ["prompt", "size", "seconds", "input_reference"];

/** Checks a route of a video model, raw as it is in the file. */
export function checkFilm(
  route: Loose,
  { path, isBuiltin, report }: {
    path: DocumentPath;
    isBuiltin: boolean;
    report: Report;
  },
): void {
  for (const rule of ["set", "default"]) {
    for (const field of SOLD_FIELDS.filter((name) => name in mappingFrom(route[rule]))) {
      report([...path, rule, field], SOLD);
    }
  }
  for (const [index, field] of listFrom(route.drop).entries()) {
    if (field === "prompt") report([...path, "drop", index], SOLD);
  }
  if (isBuiltin) checkOffer(route, { path, report });
}

const SOLD = "This field is what was asked for and sold: it cannot be changed by a rule";

function checkOffer(
  route: Loose,
  { path, report }: { path: DocumentPath; report: Report },
): void {
  const video = mappingFrom(route.video);
  for (const [index, size] of listFrom(video.sizes).entries()) {
    const fault = typeof size === "string" ? unrenderableSize(size) : undefined;
    if (fault !== undefined) report([...path, "video", "sizes", index], fault);
  }
  for (const [index, seconds] of listFrom(video.seconds).entries()) {
    const fault = typeof seconds === "number" ? unrenderableSeconds(seconds) : undefined;
    if (fault !== undefined) report([...path, "video", "seconds", index], fault);
  }
  if (listFrom(video.pass_fields).length > 0) {
    report([...path, "video", "pass_fields"], "A builtin route has no upstream: remove it");
  }
}
