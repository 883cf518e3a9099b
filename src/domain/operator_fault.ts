/**
 * What of the operator's an upstream refuses beyond doubt: nothing that a caller
 * changes helps, and every caller is refused alike.
 *
 * @module
 */

export type OperatorFault = "key" | "account" | "model" | "settings";

const WORDS: { readonly [fault in OperatorFault]: string } = {
  key: "its upstream does not take the gateway's key",
  account: "the gateway's account with its upstream is exhausted or closed",
  model: "its upstream does not know the model",
  settings: "the gateway cannot call its upstream as it is configured",
};

/** For callers, as the rest of "it fails: …": nothing internal is named. */
export function faultWords(fault: OperatorFault): string {
  return WORDS[fault];
}
