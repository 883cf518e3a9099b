/**
 * Keeping what calls said: for how long, how much, and what a process that was killed leaves.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Quotas } from "../../src/domain/account.ts";
import { KeptPrompts } from "../../src/prompts/kept_prompts.ts";
import { PromptFiles } from "../../src/prompts/prompt_files.ts";
import { FakeClock } from "../support/fake_clock.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Bytes that do not shrink, as text that nothing takes for a file. */
function noise(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => String.fromCharCode(0x4e00 + byte)).join("");
}

async function withPrompts(
  run: (world: {
    prompts: KeptPrompts;
    open: () => KeptPrompts;
    clock: FakeClock;
    folder: string;
    free: { bytes: number };
    quotas: { [project: string]: Quotas };
    /** Has it kept; `keep` waits until it is. */
    give: (project: string, requestId: string, text?: string) => number;
    keep: (project: string, requestId: string, text?: string) => Promise<number>;
  }) => Promise<void>,
  packer?: URL,
) {
  const dir = await Deno.makeTempDir();
  const folder = `${dir}/prompts`;
  const clock = new FakeClock();
  const free = { bytes: Infinity };
  const quotas: { [project: string]: Quotas } = { shop: { promptDays: 3 } };
  const open = () =>
    new KeptPrompts({
      place: new PromptFiles({ folder, freeBytes: () => free.bytes }),
      clock,
      daysOf: (id) => quotas[id]?.promptDays,
      ...(packer !== undefined && { packer }),
    });
  const prompts = open();
  const give = (project: string, requestId: string, text = "Hello") => {
    const at = clock.now();
    prompts.keep({
      project: { id: project, quotas: quotas[project]! },
      ...{ requestId, at, path: "/chat/completions", model: "m", status: 200 },
      ...{ state: "complete", request: { prompt: text }, requestBytes: text.length },
      answer: { form: "json", text: "{}", isCut: false },
    });
    return at;
  };
  const keep = async (project: string, requestId: string, text?: string) => {
    const at = give(project, requestId, text);
    await prompts.flush();
    return at;
  };
  try {
    await run({ prompts, open, clock, folder, free, quotas, give, keep });
  } finally {
    await prompts.stop();
    await Deno.remove(dir, { recursive: true });
  }
}

const find = (prompts: KeptPrompts, requestId: string, at: number, projectId = "shop") =>
  prompts.find({ projectId, requestId, at });

Deno.test("what is kept is read for so many days, and then gone from the disk", async () => {
  await withPrompts(async ({ prompts, clock, folder, keep }) => {
    const at = await keep("shop", "req_a");
    const kept = await find(prompts, "req_a", at);
    assert.deepEqual([kept?.request, kept?.until], [{ prompt: "Hello" }, at + 3 * DAY]);
    assert.equal(await find(prompts, "req_b", at), undefined);
    assert.equal(await find(prompts, "req_a", at, "other"), undefined);
    assert.equal(await find(prompts, "../shop/req_a", at), undefined);
    clock.advance(3 * DAY);
    assert.equal(await find(prompts, "req_a", at), undefined, "not shown, although still there");
    clock.advance(HOUR);
    await prompts.reap();
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});

Deno.test("switched off, what there is stays until its time; fewer days hold at once; forgetting is now", async () => {
  await withPrompts(async ({ prompts, clock, quotas, keep }) => {
    const at = await keep("shop", "req_a");
    quotas.shop = {};
    clock.advance(2 * DAY);
    await prompts.reap();
    assert.ok(await find(prompts, "req_a", at) !== undefined);
    quotas.shop = { promptDays: 1 };
    assert.equal(await find(prompts, "req_a", at), undefined);
    quotas.shop = {};
    assert.ok(await prompts.forget("shop") > 0);
    assert.equal(await find(prompts, "req_a", at), undefined);
    assert.equal(await prompts.forget("shop"), 0);
  });
});

Deno.test("a project's are bounded: the oldest make way, another's stay", async () => {
  await withPrompts(async ({ prompts, clock, quotas, folder, keep }) => {
    quotas.shop = { promptDays: 3, promptBytes: 40_960 };
    quotas.other = { promptDays: 3 };
    const other = await keep("other", "req_other");
    const kept: [string, number][] = [];
    for (let number = 0; number < 20; number++) {
      const id = `req_${String.fromCharCode(97 + number)}`;
      kept.push([id, await keep("shop", id, noise(3_000))]);
      clock.advance(HOUR);
    }
    let bytes = 0;
    for (const hour of Deno.readDirSync(`${folder}/shop`)) {
      for (const { name } of Deno.readDirSync(`${folder}/shop/${hour.name}`)) {
        bytes += Math.ceil(Deno.statSync(`${folder}/shop/${hour.name}/${name}`).size / 4096) * 4096;
      }
    }
    assert.ok(bytes <= 40_960 && bytes >= 20_480, String(bytes));
    const there = await Promise.all(kept.map(([id, at]) => find(prompts, id, at)));
    const first = there.findIndex((one) => one !== undefined);
    assert.ok(first > 0);
    assert.ok(there.slice(first).every((one) => one !== undefined), "the newest are all there");
    assert.ok(await find(prompts, "req_other", other, "other") !== undefined);
  });
});

Deno.test("within an hour, too, the oldest make way", async () => {
  await withPrompts(async ({ prompts, quotas, keep }) => {
    quotas.shop = { promptDays: 3, promptBytes: 16_384 };
    let at = 0;
    for (const id of ["req_a", "req_b", "req_c", "req_d", "req_e", "req_f"]) {
      at = await keep("shop", id);
    }
    assert.equal(await find(prompts, "req_a", at), undefined);
    assert.ok(await find(prompts, "req_f", at) !== undefined);
  });
});

Deno.test("a full disk keeps nothing, says so, and is over when there is room", async () => {
  await withPrompts(async ({ prompts, free, keep }) => {
    free.bytes = 10;
    const at = await keep("shop", "req_a");
    assert.equal(await find(prompts, "req_a", at), undefined);
    assert.match(prompts.warnings()[0]!, /prompts are not kept: .*disk is full/);
    free.bytes = Infinity;
    await keep("shop", "req_b");
    assert.deepEqual(prompts.warnings(), []);
  });
});

Deno.test("what was half written is removed, and what a power cut emptied is not there", async () => {
  await withPrompts(async ({ open, folder, keep }) => {
    const at = await keep("shop", "req_a");
    const [hour] = [...Deno.readDirSync(`${folder}/shop`)];
    const path = `${folder}/shop/${hour!.name}`;
    await Deno.writeTextFile(`${path}/req_b.gz.part`, "half");
    await Deno.writeTextFile(`${path}/req_c.gz`, "");
    const next = open();
    await next.reap();
    assert.deepEqual([...Deno.readDirSync(path)].map(({ name }) => name).sort(), [
      "req_a.gz",
      "req_c.gz",
    ]);
    assert.equal(await find(next, "req_c", at), undefined);
    assert.ok(await find(next, "req_a", at) !== undefined);
  });
});

Deno.test("a thread that dies is started again, and loses only what it had", async () => {
  await withPrompts(async ({ prompts, clock, give, keep }) => {
    const at = give("shop", "req_before");
    give("shop", "req_dies");
    give("shop", "req_after");
    await prompts.flush();
    assert.ok(await find(prompts, "req_before", at) !== undefined);
    assert.equal(await find(prompts, "req_dies", at), undefined);
    assert.ok(await find(prompts, "req_after", at) !== undefined);
    const lost = "prompts of 1 call were not kept: the thread that packs them failed";
    assert.deepEqual(prompts.warnings(), [lost]);
    clock.advance(HOUR);
    assert.deepEqual(prompts.warnings(), []);
    assert.ok(await find(prompts, "req_more", await keep("shop", "req_more")) !== undefined);
  }, new URL("./dying_packer.ts", import.meta.url));
});

Deno.test("a project that says more than can be written loses its own, and only those", async () => {
  await withPrompts(async ({ prompts, quotas, give }) => {
    quotas.other = { promptDays: 3 };
    const text = "x ".repeat(1024 ** 2);
    for (const sign of "abcdefghijkl") give("shop", `req_${sign}`, text);
    const at = give("other", "req_other");
    assert.deepEqual(prompts.warnings(), [
      "prompts of 5 calls were not kept: more came than could be written",
    ]);
    await prompts.flush();
    assert.ok(await find(prompts, "req_other", at, "other") !== undefined);
    assert.ok(await find(prompts, "req_a", at) !== undefined);
    assert.equal(await find(prompts, "req_l", at), undefined);
  });
});

Deno.test("a prompt that is forgotten while it is packed counts no more, and is not written", async () => {
  const line = new BroadcastChannel("held-packer");
  try {
    await withPrompts(async ({ prompts, give }) => {
      const isHeld = new Promise((resolve) => line.onmessage = resolve);
      const at = give("shop", "req_held");
      await isHeld;
      const forgotten = [await prompts.forget("shop"), await prompts.forget("shop")];
      line.postMessage("goes on");
      await prompts.flush();
      assert.ok(forgotten[0]! > 0);
      assert.equal(forgotten[1], 0);
      assert.equal(await find(prompts, "req_held", at), undefined);
    }, new URL("./holding_packer.ts", import.meta.url));
  } finally {
    line.close();
  }
});

Deno.test("what waits is read once it is kept, and forgotten with the rest", async () => {
  await withPrompts(async ({ prompts, quotas, give }) => {
    quotas.other = { promptDays: 3 };
    const at = give("shop", "req_a");
    assert.ok(await find(prompts, "req_a", at) !== undefined);
    give("shop", "req_b");
    give("shop", "req_c");
    give("other", "req_other");
    await prompts.forget("shop");
    for (const id of ["req_a", "req_b", "req_c"]) {
      assert.equal(await find(prompts, id, at), undefined);
    }
    await prompts.flush();
    assert.equal(await find(prompts, "req_c", at), undefined);
    assert.ok(await find(prompts, "req_other", at, "other") !== undefined);
  });
});

Deno.test("a folder that cannot be used is told without its path", async () => {
  await withPrompts(async ({ prompts, folder, keep }) => {
    await Deno.writeTextFile(folder, "");
    await keep("shop", "req_a");
    const [warning, ...more] = prompts.warnings();
    assert.match(warning!, /^prompts are not kept: the folder "prompts" of the data dir .*ENOTDIR/);
    assert.deepEqual(more, []);
    assert.ok(!warning!.includes(folder), warning);
  });
});

Deno.test("a folder that cannot be removed keeps no other one, and is told until it can", async () => {
  await withPrompts(async ({ prompts, open, clock, folder, quotas, keep }) => {
    quotas.other = { promptDays: 3 };
    await Deno.mkdir(`${folder}/another/1970010100+1d/left.part/in`, { recursive: true });
    await keep("shop", "req_a");
    await keep("other", "req_b", "Hello");
    clock.advance(4 * DAY);
    const next = open();
    await next.reap();
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), []);
    assert.match(next.warnings()[0]!, /^kept prompts may not be deleted in time: the folder/);
    await next.reap();
    assert.deepEqual(next.warnings(), []);
    await next.stop();
    await prompts.reap();
  });
});
