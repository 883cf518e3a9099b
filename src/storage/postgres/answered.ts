/**
 * What several nodes share, for whoever is to be told in a caller's words that the database does not answer.
 *
 * @module
 */

import type { KeyClaims } from "../ports/key_claims.ts";
import type { SharedBatches } from "../ports/shared_batches.ts";
import type { SharedJobs } from "../ports/shared_jobs.ts";
import type { SharedSignIns } from "../ports/shared_sign_ins.ts";
import type { SharedAnswers } from "../ports/shared_work.ts";
import { wordsForAsker } from "./postgres_error.ts";

/** @throws {GatewayError} As {@linkcode wordsForAsker} has it. */
export async function answered<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw wordsForAsker(error);
  }
}

/** Each rejects as {@linkcode answered} does. */
export function claimsOf(claims: KeyClaims): KeyClaims {
  return {
    claim: (claim) => answered(() => claims.claim(claim)),
    want: (scope) => answered(() => claims.want(scope)),
    isWanted: (claim) => answered(() => claims.isWanted(claim)),
    free: (claim) => answered(() => claims.free(claim)),
  };
}

/** Each rejects as {@linkcode answered} does. */
export function signInsOf(signIns: SharedSignIns): SharedSignIns {
  return {
    end: (session) => answered(() => signIns.end(session)),
    endAll: (sessions) => answered(() => signIns.endAll(sessions)),
    hasEnded: (session) => answered(() => signIns.hasEnded(session)),
    listEnded: (most) => answered(() => signIns.listEnded(most)),
    keepLink: (link, limits) => answered(() => signIns.keepLink(link, limits)),
    takeLink: (codeHash) => answered(() => signIns.takeLink(codeHash)),
  };
}

/** Each rejects as {@linkcode answered} does. */
export function jobsOf(jobs: SharedJobs): SharedJobs {
  return {
    start: (job, own, onSent) => answered(() => jobs.start(job, own, onSent)),
    list: () => answered(() => jobs.list()),
    find: (id) => answered(() => jobs.find(id)),
    cancel: (id) => answered(() => jobs.cancel(id)),
    tell: (id, progress) => answered(() => jobs.tell(id, progress)),
    end: (id, end, bounds) => answered(() => jobs.end(id, end, bounds)),
    giveUp: (job, endedAt, bounds) => answered(() => jobs.giveUp(job, endedAt, bounds)),
  };
}

/** Each rejects as {@linkcode answered} does. */
export function batchesOf(batches: SharedBatches): SharedBatches {
  return {
    own: () => answered(() => batches.own()),
    left: () => answered(() => batches.left()),
    adopt: (ids) => answered(() => batches.adopt(ids)),
    cancelled: () => answered(() => batches.cancelled()),
    counts: (ids) => answered(() => batches.counts(ids)),
    openCount: (projectId) => answered(() => batches.openCount(projectId)),
    fileBytes: (projectId, mostBytes) => answered(() => batches.fileBytes(projectId, mostBytes)),
  };
}

/** Each rejects as {@linkcode answered} does. */
export function answersOf(answers: SharedAnswers): SharedAnswers {
  return {
    sessionOf: (name) => answered(() => answers.sessionOf(name)),
    wishCancelled: (name) => answered(() => answers.wishCancelled(name)),
    givenUp: (ids) => answered(() => answers.givenUp(ids)),
  };
}
