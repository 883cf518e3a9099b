/**
 * Calls whose answers are kept, again and again, until there is no room for more.
 *
 * @module
 */

import { type Hostility, sendAgainAndAgain } from "./hostile_world.ts";

const JSON_TYPE = { "content-type": "application/json" };
/** Echoed back whole, so that an answer is as large as its request. */
const MOST_TOKENS = 1_000_000;
const TEXT = "many words of no use to anybody ".repeat(100_000);

export const DISK_FILLERS: readonly Hostility[] = [
  {
    name: "kept responses",
    async run(world) {
      const body = JSON.stringify({ model: "plain", max_output_tokens: MOST_TOKENS, input: TEXT });
      const request = () => ({ key: world.rich, path: "responses", body, headers: JSON_TYPE });
      await sendAgainAndAgain(world, { senders: 4, request });
    },
  },
  {
    name: "answers kept for repeats",
    async run(world) {
      const body = JSON.stringify({
        model: "plain",
        max_tokens: MOST_TOKENS,
        messages: [{ role: "user", content: TEXT }],
      });
      const request = () => ({
        key: world.rich,
        path: "chat/completions",
        body,
        headers: { ...JSON_TYPE, "idempotency-key": crypto.randomUUID() },
      });
      await sendAgainAndAgain(world, { senders: 4, request });
    },
  },
];
