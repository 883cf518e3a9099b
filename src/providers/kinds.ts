/**
 * The kinds of provider that there are. One line each.
 *
 * @module
 */

import { anthropic } from "./anthropic/kind.ts";
import { azure } from "./azure/kind.ts";
import { bedrock } from "./bedrock/kind.ts";
import { builtin } from "./builtin/kind.ts";
import type { DialectName } from "../dialects/registry.ts";
import type { ProviderKind } from "./contract/kind.ts";
import { gemini } from "./gemini/kind.ts";
import { openAiCompatible } from "./openai_compatible/kind.ts";
import { vertex } from "./vertex/kind.ts";

export const PROVIDER_KINDS: readonly ProviderKind[] = [
  openAiCompatible,
  anthropic,
  azure,
  bedrock,
  gemini,
  vertex,
  builtin,
];

/** Dialects that only some kinds speak themselves, and all others by conversion. */
export const NATIVE_DIALECTS: readonly DialectName[] = [
  ...new Set(PROVIDER_KINDS.flatMap(({ natively = [] }) => natively)),
];

const BY_NAME = new Map(PROVIDER_KINDS.map((kind) => [kind.name, kind]));

/** A kind by its name; `undefined` for one that this version does not know. */
export function kindNamed(name: unknown): ProviderKind | undefined {
  return BY_NAME.get(name as string);
}
