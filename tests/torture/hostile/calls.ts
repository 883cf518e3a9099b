/**
 * Calls that are well-formed and meant ill: answers that are many times their request, callers that
 * leave, or that their upstream fails at, images that are dear to look at, large answers that are read again and again.
 *
 * @module
 */

import { scriptPrompt, type UpstreamAct } from "../../support/fault_upstream/upstream_script.ts";
import { greyRows, pngFile } from "../../../render/tests/images/png_file.ts";
import { type HostileWorld, type Hostility, sendAgainAndAgain } from "./hostile_world.ts";

const JSON_TYPE = { "content-type": "application/json" };
/** As many pixels as an image may have, in a file of a few kilobytes. */
const SIDE = 5_000;
const ABORTERS = 8;
/** What the answer has when they are echoed: 7.5 MB. */
const MANY_TOKENS = 1_500_000;

function chat(fields: object): string {
  return JSON.stringify({ messages: [{ role: "user", content: "hi" }], ...fields });
}

/** Has an answer of some megabytes kept, and gives its id; nothing where it is refused. */
async function keepLargeAnswer({ gateway, rich }: HostileWorld): Promise<string | undefined> {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { ...JSON_TYPE, authorization: `Bearer ${rich}` },
    body: JSON.stringify({
      model: "plain",
      max_output_tokens: MANY_TOKENS,
      input: "word ".repeat(MANY_TOKENS),
    }),
  });
  const { id } = await response.json();
  return id;
}

/** Has the upstream that all projects share do this with every request of one. */
async function callShared(world: HostileWorld, act: UpstreamAct): Promise<void> {
  const content = scriptPrompt({ tag: 1, acts: [act] });
  const body = chat({ model: "shared", messages: [{ role: "user", content }] });
  const request = () => ({ key: world.rich, path: "chat/completions", body, headers: JSON_TYPE });
  await sendAgainAndAgain(world, { senders: 4, request });
}

export const HOSTILE_CALLS: readonly Hostility[] = [
  {
    name: "answers of 128 choices",
    async run(world) {
      const body = chat({
        model: "plain",
        n: 128,
        messages: [{ role: "user", content: "many words ".repeat(90_000) }],
      });
      const request = () => ({
        key: world.rich,
        path: "chat/completions",
        body,
        headers: JSON_TYPE,
      });
      await sendAgainAndAgain(world, { senders: 2, request });
    },
  },
  {
    name: "callers that leave",
    async run(world) {
      const body = chat({ model: "slow", stream: true, max_tokens: 1_000 });
      await Promise.all(Array.from({ length: ABORTERS }, async () => {
        while (!world.signal.aborted) {
          const leaving = AbortSignal.any([world.signal, AbortSignal.timeout(20)]);
          const request = () => ({
            key: world.rich,
            path: "chat/completions",
            body,
            headers: JSON_TYPE,
          });
          await sendAgainAndAgain({ ...world, signal: leaving }, { senders: 1, request });
        }
      }));
    },
  },
  {
    name: "requests that their upstream fails at",
    run: (world) => callShared(world, { status: 500 }),
  },
  {
    name: "requests that their upstream puts off",
    run: (world) => callShared(world, { status: 429, retryAfter: 300 }),
  },
  {
    name: "images",
    async run(world) {
      const image = new Blob([pngFile(SIDE, SIDE, greyRows(SIDE, SIDE))], { type: "image/png" });
      const request = () => {
        const form = new FormData();
        form.set("model", "film");
        form.set("prompt", "a hill");
        form.set("size", "640x360");
        form.set("seconds", "1");
        form.set("input_reference", image, "first.png");
        return { key: world.poor, path: "videos", body: form };
      };
      await sendAgainAndAgain(world, { senders: 24, request });
    },
  },
  {
    name: "a large answer, read again and again",
    async run(world) {
      const id = await keepLargeAnswer(world);
      const request = () => ({ key: world.rich, path: `responses/${id}` });
      await sendAgainAndAgain(world, { senders: 4, request });
    },
  },
  {
    name: "a large answer, repeated again and again",
    async run(world) {
      const body = chat({
        model: "plain",
        max_tokens: MANY_TOKENS,
        messages: [{ role: "user", content: "word ".repeat(MANY_TOKENS) }],
      });
      const headers = { ...JSON_TYPE, "idempotency-key": "large" };
      const request = () => ({ key: world.rich, path: "chat/completions", body, headers });
      await sendAgainAndAgain(world, { senders: 4, request });
    },
  },
];
