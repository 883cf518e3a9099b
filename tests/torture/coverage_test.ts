/**
 * No dialect of callers' and no kind of upstream without tests of what a hostile one does to it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../build/paths.ts";
import { DIALECTS } from "../../src/dialects/registry.ts";
import { PROVIDER_KINDS } from "../../src/providers/kinds.ts";

/** A file, and what of it is about the thing. */
type Proof = readonly [file: string, words: string];

const OTHERS = "tests/providers/openai_compatible/other/hostile_test.ts";
const MEDIA = "tests/torture/rows/r41_media.ts";

/** Rows of the scorecard, and unit tests that cut at every byte, by the dialect that callers speak. */
const DIALECT_PROOFS: { readonly [dialect in keyof typeof DIALECTS]: readonly Proof[] } = {
  openai_chat: [
    ["tests/torture/rows/r31_messages.ts", "chat/completions"],
    ["tests/e2e/bad_upstream_test.ts", "wrong answers over"],
  ],
  openai_responses: [
    ["tests/torture/repeatable_requests.ts", "/responses"],
    ["tests/providers/gemini/hostile_test.ts", "openai_responses"],
  ],
  openai_embeddings: [
    ["tests/torture/repeatable_requests.ts", "/embeddings"],
    ["tests/providers/embeddings/repair_embeddings_test.ts", "repairEmbeddings"],
  ],
  anthropic_messages: [["tests/torture/rows/r31_messages.ts", "messages"]],
  openai_completions: [[
    "tests/http/endpoints/completions_test.ts",
    "a stream that is cut at any byte",
  ]],
  openai_images: [[MEDIA, "/images/generations"], [OTHERS, "openai_images"]],
  openai_image_edits: [[MEDIA, "/images/edits"], [OTHERS, "openai_image_edits"]],
  openai_moderations: [[OTHERS, "openai_moderations"]],
  openai_speech: [[MEDIA, "/audio/speech"], [OTHERS, "speech in events"]],
  openai_transcriptions: [[MEDIA, "/audio/transcriptions"], [OTHERS, "openai_transcriptions"]],
  // The same exchange as the one before, at another path.
  openai_translations: [[OTHERS, "openai_transcriptions"]],
  rerank: [[MEDIA, "/rerank"], [OTHERS, "rerank"]],
};

/** The same by the kind of upstream. */
const KIND_PROOFS: Readonly<Record<string, readonly Proof[]>> = {
  openai_compatible: [
    ["tests/e2e/bad_upstream_test.ts", "openai_compatible"],
    ["tests/e2e/pairs_test.ts", "openaiChat"],
  ],
  anthropic: [
    ["tests/torture/hostile/upstream_kinds.ts", "kind: anthropic"],
    ["tests/e2e/pairs_test.ts", "anthropic"],
  ],
  azure: [["tests/e2e/azure_test.ts", "Azure"], ["tests/e2e/pairs_test.ts", "azure"]],
  bedrock: [
    ["tests/torture/hostile/upstream_kinds.ts", "kind: bedrock"],
    ["tests/e2e/bad_upstream_test.ts", "bedrock"],
    ["tests/e2e/pairs_test.ts", "bedrockConverse"],
  ],
  gemini: [
    ["tests/torture/hostile/upstream_kinds.ts", "kind: gemini"],
    ["tests/e2e/bad_upstream_test.ts", "gemini"],
    ["tests/e2e/pairs_test.ts", "gemini"],
  ],
  // Both of its dialects are read as at the two vendors' own addresses.
  vertex: [
    ["tests/e2e/vertex_test.ts", "vertex"],
    ["tests/providers/vertex/provider_test.ts", "errors of Anthropic's models"],
  ],
  builtin: [["tests/providers/builtin/faults_test.ts", "test("]],
};

async function assertThere(proofs: Readonly<Record<string, readonly Proof[]>>): Promise<void> {
  for (const [name, ofOne] of Object.entries(proofs)) {
    assert.ok(ofOne.length > 0, name);
    for (const [file, words] of ofOne) {
      const text = await Deno.readTextFile(`${ROOT}/${file}`);
      assert.ok(text.includes(words), `${name}: ${file} says nothing of '${words}'`);
    }
  }
}

Deno.test("every dialect that callers speak has tests of hostile upstreams", async () => {
  assert.deepEqual(Object.keys(DIALECT_PROOFS).sort(), Object.keys(DIALECTS).sort());
  await assertThere(DIALECT_PROOFS);
});

Deno.test("every kind of upstream has tests of hostile ones", async () => {
  const kinds = PROVIDER_KINDS.map(({ name }) => name);
  assert.deepEqual(Object.keys(KIND_PROOFS).sort(), kinds.sort());
  await assertThere(KIND_PROOFS);
});
