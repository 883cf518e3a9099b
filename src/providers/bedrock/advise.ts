/**
 * What to do about AWS's refusals of a signature, which say only what is wrong.
 *
 * @module
 */

import type { ProviderCheck } from "../contract/provider.ts";

/** AWS's words, and the advice. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/\btoken\b.{0,60}\bexpired\b/i, "have new temporary credentials, and give all three of aws"],
  [/\bscoped to a valid region\b/i, "write the region of base_url as aws_region"],
  [/\bsignature (?:expired|not yet current)\b/i, "set this machine's clock, which is wrong"],
];

/** A check with what to do about what it found. */
export function advised(check: ProviderCheck): ProviderCheck {
  const found = check.ok ? undefined : ADVICE.find(([words]) => words.test(check.detail));
  return found === undefined
    ? check
    : { ...check, detail: `${check.detail.replace(/\.?$/, "")}; ${found[1]}` };
}
