/**
 * One attempt with as many keys as it takes: a refused or exhausted one rests
 * alone, and the next is tried at once.
 *
 * @module
 */

import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Credential, KeyRing } from "./key_ring.ts";
import { verdictOnKey } from "./key_troubles.ts";

/**
 * Asks with the key whose turn it is, and after its refusal with the others that
 * do not rest. Nothing that an upstream refuses so was done, so asking again does
 * no harm. A key that is out of its rate goes on resting if another takes the same
 * request: what all are told alike may be that request's own affair.
 *
 * @throws {UpstreamError} Of the keys' refusals the one that passes first.
 */
export async function askWithKeys<Answer>(
  keys: KeyRing,
  ask: (credential: Credential) => Promise<Answer>,
): Promise<Answer> {
  let tried: Map<string, UpstreamError> | undefined;
  let suspicions: (() => void)[] | undefined;
  let credential = keys.next();
  for (;;) {
    const { reference } = credential;
    const { noted } = keys.troubles;
    try {
      const answer = await ask(credential);
      if (reference !== undefined) keys.troubles.forgive(reference, noted);
      // Another key was not refused what this one was: it was the key.
      tried?.forEach((error, refused) => keys.troubles.note(refused, error));
      return answer;
    } catch (error) {
      if (!(error instanceof UpstreamError) || reference === undefined) throw error;
      const verdict = verdictOnKey(error);
      error.key = reference;
      if (verdict === "limited" && keys.hasSeveral) {
        (suspicions ??= []).push(keys.troubles.suspect(reference, error));
      } else if (verdict !== undefined && verdict !== "doubtful") {
        keys.troubles.note(reference, error);
      }
      tried ??= new Map();
      tried.set(reference, error);
      const other = verdict === undefined ? undefined : keys.other(tried);
      if (other === undefined) {
        suspicions?.forEach((withdraw) => withdraw());
        throw verdict === undefined ? error : soonest([...tried.values()]);
      }
      credential = other;
    }
  }
}

const RANKS: readonly UpstreamError["failure"][] = ["busy", "doubtful", "operator"];

/** What is busy serves again by itself; what is in doubt may serve others. */
function soonest(errors: readonly UpstreamError[]): UpstreamError {
  return errors.reduce((best, error) => {
    const rank = RANKS.indexOf(error.failure) - RANKS.indexOf(best.failure);
    if (rank !== 0) return rank < 0 ? error : best;
    return (error.retryAfterSeconds ?? 0) < (best.retryAfterSeconds ?? 0) ? error : best;
  });
}
