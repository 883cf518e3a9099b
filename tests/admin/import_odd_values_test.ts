/**
 * Imports of configurations whose values are of any type, as no program wrote them: a catalogue comes of it
 * all the same, and nothing that is wrong with it is a surprise.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ImportDraft } from "../../src/admin/vendors/import/import_draft.ts";
import { importChannels } from "../../src/admin/vendors/import/import_channels.ts";
import { importLiteLlm } from "../../src/admin/vendors/import/import_litellm.ts";
import { withMergedKeys } from "../../src/admin/vendors/import/merged_keys.ts";
import { rowsOf } from "../../src/admin/vendors/import/sql_rows.ts";
import { readCatalogueText } from "../../src/catalog/read_file.ts";
import { asObject, type JsonObject } from "../../src/domain/json_value.ts";
import { PriceList, shippedPrices } from "../../src/vendors/price_list.ts";
import { seededRandom } from "../support/catalogue_parts.ts";

const PRICES = new PriceList(await shippedPrices());
const ROUNDS = 600;

const VALUES = [
  ...[null, 0, -1, 1e308, "", "x", "1e-5", "20_000", true, [], {}, [1], { a: 1 }],
  ...["os.environ/A", "os.environ/", "\u001b[2J", "a".repeat(500), "__proto__", "*", "openai/"],
  ...["azure/*", "bedrock/*", "constructor", "toString/x", "vertex_ai/claude-x"],
];
const KEYS = [
  ...[
    "model_name",
    "litellm_params",
    "model_info",
    "model",
    "api_key",
    "api_base",
    "rpm",
    "weight",
  ],
  ...["order", "timeout", "mode", "input_cost_per_token", "output_cost_per_token_priority", "<<"],
  ...["fallbacks", "default_fallbacks", "router_settings", "litellm_settings", "credential_list"],
  ...["custom_llm_provider", "__proto__", "constructor", "aws_region_name", "extra_headers", "id"],
  ...["type", "key", "models", "model_mapping", "base_url", "status", "priority", "channel_info"],
  ...["param_override", "other", "group", "setting", "base_model"],
];
/** What an operator has to mend, as their own file says it no better. */
const EXPECTED = /\.(?:project|base_url): Expected/;

Deno.test("values of any type make a catalogue, or are named", () => {
  const next = seededRandom(7);
  const pick = <Value>(list: readonly Value[]) => list[Math.floor(next() * list.length)]!;
  const valueOf = (depth: number): unknown => {
    if (depth > 3 || next() < 0.5) return pick(VALUES);
    if (next() < 0.3) return [valueOf(depth + 1), valueOf(depth + 1)];
    return Object.fromEntries([1, 2, 3, 4].map(() => [pick(KEYS), valueOf(depth + 1)]));
  };
  const objectOf = (depth: number): JsonObject => asObject(valueOf(depth)) ?? {};
  for (let round = 0; round < ROUNDS; round++) {
    const draft = new ImportDraft(PRICES);
    if (round % 2 === 0) {
      const model = pick([
        "openai/gpt-5.4",
        "azure/x",
        "claude-opus-5",
        "constructor/x",
        "ollama/q",
      ]);
      const config = withMergedKeys({
        ...objectOf(0),
        model_list: [
          { model_name: "a", litellm_params: { model, ...objectOf(1) }, model_info: valueOf(1) },
          { model_name: pick(["b/*", "*", "c d"]), litellm_params: { model: "groq/*" } },
          valueOf(1),
        ],
      });
      importLiteLlm(asObject(config)!, draft);
    } else {
      const channel = {
        type: Math.floor(next() * 60),
        models: "a,gpt-5.4",
        key: "k",
        ...objectOf(1),
      };
      importChannels([channel, valueOf(1)], { form: "new-api", prices: PRICES, draft });
    }
    const { text, notes } = draft.result();
    const read = readCatalogueText(text, { file: "c" });
    const faults = read.ok ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`);
    assert.deepEqual(
      faults.filter((fault) => !EXPECTED.test(fault)),
      [],
      `round ${round}\n${text}`,
    );
    assert.ok(notes.every((note) => note.length < 700), notes.join("\n"));
  }
});

Deno.test("dumps that end anywhere, or open without end, are read to their end", () => {
  const whole = "INSERT INTO channels (id,`models`) VALUES (1,'it''s, (a)'),(2,NULL);";
  assert.deepEqual(rowsOf(whole, "channels"), [
    { id: 1, models: "it's, (a)" },
    { id: 2, models: null },
  ]);
  for (let end = 0; end < whole.length; end++) {
    assert.ok(rowsOf(whole.slice(0, end), "channels").length <= 2);
  }
  for (const open of ["(", "('", "(1,", "('\\\\", "(\n"]) {
    rowsOf(`INSERT INTO channels VALUES ${open.repeat(50_000)}`, "channels");
    rowsOf(`CREATE TABLE channels ${open.repeat(50_000)}`, "channels");
  }
});
