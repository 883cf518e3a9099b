/**
 * What the fake upstream saw of each job.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { FakeVideoServer, RecordedVideoRequest } from "../fake_video_server.ts";

/** Requests to start a job, by prompt. */
export function startsOf(
  upstream: FakeVideoServer,
  prompt: string,
): readonly RecordedVideoRequest[] {
  return upstream.requestsFor("start").filter((request) =>
    (request.form?.prompt ?? request.json?.prompt) === prompt
  );
}

/** The id of the job that a request is about. */
export function jobIdOf({ target }: RecordedVideoRequest): string {
  return decodeURIComponent(/^\/v1\/videos\/([^/?]+)/.exec(target)![1]!);
}

/** Ids of the jobs of a prompt, in order of creation. */
export function jobsOf(upstream: FakeVideoServer, prompt: string): readonly string[] {
  return [...upstream.jobs.values()].filter((job) => job.prompt === prompt).map(({ id }) => id);
}

/** Asserts that each job was asked after and fetched with the credential that started it. */
export function assertOwnCredentials(upstream: FakeVideoServer): void {
  const used = new Map<string, Set<string | null>>();
  for (const request of upstream.requests) {
    if (request.verb !== "status" && request.verb !== "content") continue;
    const id = jobIdOf(request);
    const credentials = used.get(id) ?? new Set();
    used.set(id, credentials.add(request.headers.get("authorization")));
  }
  for (const prompt of new Set([...upstream.jobs.values()].map((job) => job.prompt))) {
    const starts = startsOf(upstream, prompt);
    for (const [index, id] of jobsOf(upstream, prompt).entries()) {
      const credential = starts[index]!.headers.get("authorization");
      assert.match(credential ?? "", /^Bearer sk-upstream-/);
      assert.deepEqual([...used.get(id) ?? [credential]], [credential], `the key of job ${id}`);
    }
  }
}
