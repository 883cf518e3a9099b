/**
 * Plays scenarios of the official clients against the program, and looks at what is
 * left behind: books that add up, and a log that gives nothing away.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { catalogue } from "./catalogue.ts";
import type { Scenario, Sdk } from "./scene.ts";

/** What is played. */
export interface Play {
  readonly sdk: Sdk;
  readonly scenarios: readonly Scenario[];
  /** Arguments for `serve`. */
  readonly args?: readonly string[];
}

/** Plays every scenario as a step of a test. */
export async function play(
  test: Deno.TestContext,
  { sdk, scenarios, args = [] }: Play,
): Promise<void> {
  await using upstream = await startFakeUpstream(jsonReply({}));
  await using gateway = await serveGateway({ catalogue: catalogue(upstream), args: [...args] });
  await gateway.credit("payer", "10");
  const { key } = gateway.server;
  const baseURL = `${gateway.url}/v1`;
  const scene = {
    sdk,
    gateway,
    upstream,
    key,
    client: new sdk.OpenAI({ baseURL, apiKey: key }),
    counted(apiKey: string) {
      let sent = 0;
      const client = new sdk.OpenAI({
        baseURL,
        apiKey,
        fetch: (url: string | URL | Request, init?: RequestInit) => {
          sent++;
          return fetch(url, init);
        },
      });
      return { client, sent: () => sent };
    },
  };
  for (const { name, run } of scenarios) await test.step(name, () => run(scene));
  const { differences } = await gateway.cli("ledger", "verify");
  assert.deepEqual(differences, []);
  const { code, stderr } = await gateway.server.stop();
  assert.equal(code, 0);
  assert.ok(!stderr.includes(key), "the log has the key");
  assert.doesNotMatch(stderr, /Hello there|internal_error|TypeError/);
}
