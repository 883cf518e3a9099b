/**
 * The Responses API through the official `openai` clients, unmodified, against the
 * program: every scenario runs with both majors. What they receive is checked against
 * OpenAI's own schemas.
 *
 * @module
 */

import { MAJORS } from "./openai_sdk/majors.ts";
import { play } from "./openai_sdk/play.ts";
import { ANSWERS } from "./responses_sdk/answers.ts";
import { BACKGROUND } from "./responses_sdk/background.ts";
import { KEPT_ANSWERS } from "./responses_sdk/kept_answers.ts";
import { REFUSALS } from "./responses_sdk/refusals.ts";
import { SAME_ANSWERS } from "./responses_sdk/same_answers.ts";
import { STREAMS } from "./responses_sdk/streams.ts";
import { TOOLS } from "./responses_sdk/tools.ts";

const SCENARIOS = [
  ...ANSWERS,
  ...STREAMS,
  ...TOOLS,
  ...KEPT_ANSWERS,
  ...BACKGROUND,
  ...SAME_ANSWERS,
  ...REFUSALS,
];

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client has answers of the Responses API`, async (test) => {
    await play(test, { sdk, scenarios: SCENARIOS });
  });
}
