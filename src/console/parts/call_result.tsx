/**
 * How a call ended.
 *
 * @module
 */

import type { CallRow } from "../../admin/list_calls.ts";
import { causeWords } from "./refusal_words.ts";
import { State } from "./table.tsx";

const ENDINGS: { readonly [result: string]: readonly ["good" | "warn" | "bad", string] } = {
  completed: ["good", "served"],
  client_aborted: ["warn", "aborted"],
  refused: ["warn", "refused"],
  upstream_failed: ["bad", "failed"],
  gateway_stopped: ["bad", "stopped"],
};

/** How a call ended, and why if it was not served. */
export function Result({ row }: { readonly row: CallRow }) {
  const { result, error_code: code, refusal } = row;
  const [kind, word] = result === null ? ["warn", "open"] as const : ENDINGS[result]!;
  const why = refusal === undefined ? code : causeWords({ reason: code, why: refusal.why });
  return (
    <>
      <State kind={kind}>{word}</State>
      {why !== null && <span class="quiet">{` ${why}`}</span>}
    </>
  );
}
