/**
 * What Codex sends, recorded turn by turn, and what it gets through the gateway over an upstream of
 * each dialect: the calls that it waits for, in its own tools' names.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/domain/json_value.ts";
import { startFakeUpstream } from "../../support/fake_upstream.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { agentCatalogue, DIALECTS, EDITS } from "./scene.ts";
import { playReply } from "./scripted_model.ts";
import { responseEvents } from "./response_events.ts";

interface Recording {
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the first turn. */
  readonly request: JsonObject & { readonly input: readonly JsonObject[] };
  /** What each turn after it adds to the input. */
  readonly then: readonly (readonly JsonObject[])[];
}

const FIELDS = ["type", "call_id", "name", "namespace", "input", "arguments"];

Deno.test("what Codex sends is served over an upstream of each dialect", async (test) => {
  for (const dialect of DIALECTS) {
    for (const { name, model, play, group } of EDITS) {
      await test.step(`${name} over ${dialect}`, async () => {
        const recording: Recording = JSON.parse(
          await Deno.readTextFile(new URL(`codex/${model}.json`, import.meta.url)),
        );
        await using upstream = await startFakeUpstream(playReply(play));
        await using gateway = await serveGateway({
          catalogue: agentCatalogue({ dialect, model, url: upstream.url }),
        });
        const headers = {
          ...recording.headers,
          authorization: `Bearer ${await gateway.key("default")}`,
        };
        const input = [...recording.request.input];
        for (const [turn, added] of [[], ...recording.then].entries()) {
          input.push(...added);
          const response = await fetch(`${gateway.url}/v1/responses`, {
            method: "POST",
            headers,
            body: JSON.stringify({ ...recording.request, input }),
          });
          const events = responseEvents(await response.text());
          assert.equal(response.status, 200, JSON.stringify(events));
          const last = events.at(-1)!;
          assert.equal(last.type, "response.completed");
          const { output, usage } = last.response as { output: JsonObject[]; usage: JsonObject };
          assert.ok((usage.input_tokens as number) > 0);
          const act = play.acts[turn];
          const item = output.at(-1)!;
          if (act === undefined) {
            assert.deepEqual(item.content, [
              { ...(item.content as JsonObject[])[0], type: "output_text", text: play.word },
            ]);
            continue;
          }
          const isText = typeof act.input === "string";
          // An upstream that speaks Responses says what it likes: the others' calls are ours to name.
          const grouped = group !== undefined && dialect !== "responses";
          const expected = isText
            ? { type: "custom_tool_call", input: act.input }
            : { type: "function_call", arguments: JSON.stringify(act.input) };
          assert.deepEqual(pick(item, FIELDS), {
            ...expected,
            call_id: `call_${turn}`,
            name: act.tool,
            ...(grouped && { namespace: group }),
          });
          if (dialect !== "responses") {
            const kind = isText ? "custom_tool_call_input" : "function_call_arguments";
            const deltas = events.filter(({ type }) => type === `response.${kind}.delta`);
            assert.ok(deltas.length > 1, "It is told while it is written");
            const done = events.find(({ type }) => type === `response.${kind}.done`)!;
            const text = deltas.map(({ delta }) => delta).join("");
            assert.equal(text, done[isText ? "input" : "arguments"]);
            assert.equal(text, expected.input ?? expected.arguments);
          }
        }
        assert.equal(upstream.requests.length, play.acts.length + 1);
        for (const request of upstream.requests) {
          assert.ok(!request.body.includes('"web_search'), "The route leaves it out");
          assert.ok(!request.head.includes("x-codex"), "Nobody's headers go on");
        }
      });
    }
  }
});

function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => fields.includes(name)));
}
