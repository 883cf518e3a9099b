/**
 * What kept prompts of nodes are opened with: the database server's clock, and the node that removes what
 * is due.
 *
 * @module
 */

import assert from "node:assert/strict";
import { openPrompts, type SharedPrompts } from "../../src/app/open_prompts.ts";
import { GatewayError } from "../../src/errors.ts";
import { bytesSource } from "../../src/objects/bytes_source.ts";
import { FakeS3 } from "../support/fake_s3.ts";
import { give, keysOf, PREFIX, storeIn } from "../prompts/two_prompt_nodes.ts";

Deno.test("nodes tell the times of prompts by the database server's clock, as far as they know it", async () => {
  await using s3 = await FakeS3.start();
  const store = storeIn(s3);
  const dataDir = await Deno.makeTempDir();
  await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
  const state = { answerMs: 0, clockAheadMs: 0 };
  let isSealer = false;
  const prompts = await openPrompts(dataDir, {
    directory: { project: () => undefined },
    reserve: { freeBytes: () => Infinity },
    shared: {
      bucket: { store, quick: store, prefix: PREFIX },
      server: { state: () => state },
      seals: { isSealer: () => Promise.resolve(isSealer) } as SharedPrompts["seals"],
    },
  });
  try {
    const keep = async (requestId: string) => {
      const at = Date.now();
      give(prompts, { requestId, project: "shop", at, quotas: { promptDays: 3 } });
      await prompts.flush();
      const key = keysOf(s3).find((one) => one.includes(requestId))!;
      return at - Number(key.split(".").at(-2));
    };
    assert.equal(await keep("req_a"), 300_000, "before anybody has looked");
    Object.assign(state, { answerMs: 20, clockAheadMs: 120_000 });
    assert.equal(await keep("req_b"), 120_010);
    Object.assign(state, { clockAheadMs: -120_000 });
    assert.equal(await keep("req_c"), -119_990);
    const begun = Date.now();
    await prompts.forget("other");
    const note = Number(s3.objects.get(`${PREFIX}prompts/other/forgotten`)!.body.toString());
    assert.ok(note >= begun + 120_010 && note <= Date.now() + 120_010, String(note - begun));

    await store.put(
      `${PREFIX}prompts/shop/1970010100/req_old.1d.0.gz`,
      await bytesSource(new Uint8Array(1)),
    );
    await prompts.reap();
    assert.equal(keysOf(s3).length, 4, "another node does it");
    isSealer = true;
    await prompts.reap();
    assert.equal(keysOf(s3).length, 3);
  } finally {
    await prompts.stop();
  }
});

Deno.test("a database that does not say who deletes prompts is not taken for the bucket", async () => {
  await using s3 = await FakeS3.start();
  const store = storeIn(s3);
  const dataDir = await Deno.makeTempDir();
  await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
  let trouble: Error | undefined = new GatewayError("storage_away", "It does not answer");
  const isSealer = () => trouble === undefined ? Promise.resolve(true) : Promise.reject(trouble);
  const prompts = await openPrompts(dataDir, {
    directory: { project: () => undefined },
    reserve: { freeBytes: () => Infinity },
    shared: {
      bucket: { store, quick: store, prefix: PREFIX },
      server: { state: () => ({ answerMs: 1, clockAheadMs: 0 }) },
      seals: { isSealer } as SharedPrompts["seals"],
    },
  });
  try {
    const told = (why: string) => [`kept prompts may not be deleted in time: ${why}`];
    const ofDatabase = told("the gateway's database does not say which node deletes them");
    await prompts.reap();
    assert.deepEqual(prompts.warnings(), ofDatabase);
    trouble = new Error("connect ECONNREFUSED 10.0.0.1:5432");
    await prompts.reap();
    assert.deepEqual(prompts.warnings(), ofDatabase);
    trouble = undefined;
    s3.fault = () => ({ status: 503, code: "ServiceUnavailable" });
    await prompts.reap();
    assert.deepEqual(
      prompts.warnings(),
      told("the bucket that has the gateway's films and files does not take or give them"),
    );
    s3.fault = () => undefined;
    await prompts.reap();
    assert.deepEqual(prompts.warnings(), []);
  } finally {
    await prompts.stop();
  }
});
