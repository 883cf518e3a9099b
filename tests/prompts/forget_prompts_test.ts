/**
 * Having forgotten what a project's calls said, where two nodes keep it in a bucket: whatever any of them
 * has by then is shown to nobody from then on, and what comes after it stays.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { forgetPrompts } from "../../src/admin/call_content.ts";
import { KeptPrompts } from "../../src/prompts/kept_prompts.ts";
import { PromptFiles } from "../../src/prompts/prompt_files.ts";
import { openTestAdmin } from "../admin/test_admin.ts";
import { find, give, holdBack, keysOf, withNodes, type World } from "./two_prompt_nodes.ts";

/** What an operator does, through a node. */
async function forgetThrough(prompts: KeptPrompts): Promise<number> {
  await using admin = await openTestAdmin({
    catalogue: "providers: []\nmodels: []\nprojects:\n  - { id: shop, unlimited: true }\n",
  });
  const deps = { ...admin.deps, prompts };
  return (await runOperation(forgetPrompts, { deps, input: { project: "shop" } })).bytes;
}

/** As the node `here` has kept it before there was a bucket. */
async function keepInFiles({ folder, clock, keep }: World, requestId: string): Promise<number> {
  const place = new PromptFiles({ folder, freeBytes: () => Infinity });
  const before = new KeptPrompts({ place, clock, daysOf: () => 3 });
  const at = await keep(before, requestId);
  await before.stop();
  const [hour] = [...Deno.readDirSync(`${folder}/shop`)];
  await Deno.utime(`${folder}/shop/${hour!.name}/${requestId}.gz`, at / 1_000, at / 1_000);
  return at;
}

Deno.test("what is on its way when another node forgets is not kept", async () => {
  await withNodes(async ({ s3, clock, quotas, here, there, keep }) => {
    await keep(there, "req_before");
    const late = holdBack(s3, ({ method, key }) => method === "PUT" && key.includes("req_late"));
    const at = clock.now();
    give(here, { requestId: "req_late", project: "shop", at, quotas: quotas.shop! });
    await late.isAsked;
    assert.deepEqual(here.warnings(), []);
    clock.advance(10_001);
    assert.deepEqual(here.warnings(), ["prompts wait: it takes more than 10 s to keep one"]);
    await there.forget("shop");
    late.goOn();
    await here.flush();
    assert.deepEqual(here.warnings(), []);
    assert.equal(await find(here, "req_late", at), undefined);
    assert.deepEqual(keysOf(s3).filter((key) => key.endsWith(".gz")), []);
    clock.advance(1);
    assert.ok(await find(there, "req_next", await keep(here, "req_next")) !== undefined);
  });
});

Deno.test("what is forgotten is shown to nobody, though the bucket does not delete it yet", async () => {
  await withNodes(async ({ s3, here, there, keep }) => {
    const at = await keep(here, "req_a");
    s3.fault = ({ method }) => method === "DELETE" ? { status: 503, code: "SlowDown" } : undefined;
    await assert.rejects(there.forget("shop"), { code: "films_away" });
    assert.equal(keysOf(s3).length, 1);
    assert.equal(await find(here, "req_a", at), undefined);
    s3.fault = () => undefined;
    await there.reap();
    assert.deepEqual(keysOf(s3), []);
  });
});

Deno.test("an operator has forgotten what a node has on its way that the asked one knows nothing of", async () => {
  await withNodes(async ({ s3, clock, quotas, here, there }) => {
    const put = holdBack(s3, ({ method, key }) => method === "PUT" && key.includes("req_a"));
    const at = clock.now();
    give(there, { requestId: "req_a", project: "shop", at, quotas: quotas.shop! });
    await put.isAsked;
    assert.equal(await forgetThrough(here), 0);
    put.goOn();
    await there.flush();
    for (const node of [here, there]) assert.equal(await find(node, "req_a", at), undefined);
    assert.deepEqual(keysOf(s3), []);
  });
});

Deno.test("an operator has forgotten what was kept a moment after the asked node found nothing", async () => {
  await withNodes(async ({ s3, clock, here, there, keep }) => {
    assert.equal(await forgetThrough(here), 0);
    clock.advance(1);
    const at = await keep(there, "req_a");
    assert.ok(await find(here, "req_a", at) !== undefined);
    assert.equal(await forgetThrough(here), 4_096);
    for (const node of [here, there]) assert.equal(await find(node, "req_a", at), undefined);
    assert.deepEqual(keysOf(s3), []);
  });
});

Deno.test("an operator has forgotten what is in the asked node's own files still", async () => {
  await withNodes(async (world) => {
    const { s3, here, there, folder } = world;
    const at = await keepInFiles(world, "req_a");
    assert.equal(await forgetThrough(here), 4_096);
    await here.reap();
    for (const node of [here, there]) assert.equal(await find(node, "req_a", at), undefined);
    assert.deepEqual(keysOf(s3), []);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});

Deno.test("an operator has forgotten what another node's files have still", async () => {
  await withNodes(async (world) => {
    const { s3, clock, here, there } = world;
    const at = await keepInFiles(world, "req_a");
    clock.advance(1);
    assert.equal(await forgetThrough(there), 0);
    await here.reap();
    for (const node of [here, there]) assert.equal(await find(node, "req_a", at), undefined);
    assert.deepEqual(keysOf(s3), []);
  });
});

for (const minutes of [2, -2]) {
  Deno.test(`what a node has whose clock is ${minutes} min ahead is forgotten, and what comes after it is not`, async () => {
    await withNodes(async ({ s3, clock, ahead, quotas, here, there, keep }) => {
      ahead.ms = minutes * 60_000;
      const kept = await keep(there, "req_kept");
      const put = holdBack(s3, ({ method, key }) => method === "PUT" && key.includes("req_late"));
      const late = clock.now() + ahead.ms;
      give(there, { requestId: "req_late", project: "shop", at: late, quotas: quotas.shop! });
      await put.isAsked;
      assert.equal(await here.forget("shop"), 4_096);
      assert.deepEqual(keysOf(s3), []);
      put.goOn();
      await there.flush();
      clock.advance(1);
      const after = await keep(there, "req_after");
      for (const node of [here, there]) {
        assert.equal(await find(node, "req_kept", kept), undefined);
        assert.equal(await find(node, "req_late", late), undefined);
        assert.ok(await find(node, "req_after", after) !== undefined);
      }
      // The other way round.
      clock.advance(1);
      assert.equal(await there.forget("shop"), 4_096);
      const more = await keep(here, "req_more");
      clock.advance(1);
      const last = await keep(here, "req_last");
      assert.equal(await find(there, "req_more", more), undefined, "in the same millisecond");
      assert.ok(await find(there, "req_last", last) !== undefined);
    });
  });
}

for (const errorMs of [50, -50]) {
  Deno.test(`what a node does not know of its clock counts for forgetting (${errorMs} ms)`, async () => {
    await withNodes(async ({ s3, clock, ahead, here, there, keep }) => {
      Object.assign(ahead, { ms: 120_000, errorMs });
      const at = await keep(there, "req_a");
      assert.equal(await here.forget("shop"), 4_096);
      assert.equal(await find(here, "req_a", at), undefined);
      clock.advance(101);
      const after = await keep(there, "req_b");
      assert.ok(await find(here, "req_b", after) !== undefined);
      clock.advance(1);
      const own = await keep(here, "req_c");
      assert.equal(await there.forget("shop"), 2 * 4_096);
      assert.equal(await find(here, "req_c", own), undefined);
      assert.deepEqual(keysOf(s3), []);
    });
  });
}

Deno.test("what is forgotten stays so when it is forgotten again by a clock that was set back", async () => {
  await withNodes(async ({ s3, clock, here, there, keep }) => {
    const put = holdBack(s3, ({ method, key }) => method === "DELETE" && key.includes("req_a"));
    const at = await keep(here, "req_a");
    const first = there.forget("shop");
    await put.isAsked;
    clock.setWall(clock.now() - 1_000);
    const second = there.forget("shop");
    assert.equal(await find(here, "req_a", at), undefined);
    put.goOn();
    await Promise.all([first, second]);
    assert.deepEqual(keysOf(s3), []);
    assert.equal(await find(here, "req_a", at), undefined);
  });
});

Deno.test("a forgetting does not wait until all that is due is removed", async () => {
  await withNodes(async ({ s3, here, there, keep }) => {
    await keep(here, "req_a");
    await keep(here, "req_b", "other");
    const look = holdBack(
      s3,
      ({ key, query }) =>
        key === "" && query.get("prefix")!.includes("/other/") && !query.has("delimiter"),
    );
    const reaped = there.reap();
    await look.isAsked;
    assert.equal(await there.forget("shop"), 4_096);
    assert.deepEqual(keysOf(s3).filter((key) => key.includes("/shop/")), []);
    look.goOn();
    await reaped;
  });
});

Deno.test("a forgetting does not wait until a node's files are in the bucket", async () => {
  await withNodes(async (world) => {
    const { s3, here, keep } = world;
    await keep(here, "req_b", "other");
    const at = await keepInFiles(world, "req_a");
    const move = holdBack(s3, ({ method, key }) => method === "PUT" && key.includes("req_a"));
    const reaped = here.reap();
    await move.isAsked;
    assert.equal(await here.forget("other"), 4_096);
    assert.equal(await here.forget("shop"), 4_096, "what is on its way to the bucket, too");
    move.goOn();
    await reaped;
    assert.equal(await find(here, "req_a", at), undefined);
    assert.deepEqual(keysOf(s3), []);
  });
});
