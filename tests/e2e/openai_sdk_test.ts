/**
 * The official `openai` clients, unmodified, against the program: every scenario
 * runs with both majors. What they receive is checked against OpenAI's own schemas.
 *
 * @module
 */

import { MAJORS } from "./openai_sdk/majors.ts";
import { PLAIN_ANSWERS } from "./openai_sdk/plain_answers.ts";
import { play } from "./openai_sdk/play.ts";
import { REFUSALS } from "./openai_sdk/refusals.ts";
import { STREAMS } from "./openai_sdk/streams.ts";

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client`, async (test) => {
    await play(test, {
      sdk,
      args: ["--max-json-body-bytes", "100000"],
      scenarios: [...PLAIN_ANSWERS, ...STREAMS, ...REFUSALS],
    });
  });
}
