/**
 * Keeping what calls said in a bucket, and removing it in time: two nodes that share nothing else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { bytesSource } from "../../src/objects/bytes_source.ts";
import { KeptPrompts } from "../../src/prompts/kept_prompts.ts";
import { PromptFiles } from "../../src/prompts/prompt_files.ts";
import { PromptObjects } from "../../src/prompts/prompt_objects.ts";
import { FakeS3 } from "../support/fake_s3.ts";
import {
  DAY,
  find,
  give,
  holdBack,
  HOUR,
  keysOf,
  PREFIX,
  storeIn,
  withNodes,
} from "./two_prompt_nodes.ts";

Deno.test("what one node keeps, another one shows, counts and forgets", async () => {
  await withNodes(async ({ s3, here, there, folder, keep }) => {
    const at = await keep(here, "req_a");
    const other = await keep(here, "req_b", "other");
    const kept = await find(there, "req_a", at);
    assert.deepEqual([kept?.request, kept?.until], [{ prompt: "Hello" }, at + 3 * DAY]);
    assert.ok(await find(there, "req_a", at + 5) !== undefined, "the row has its own millisecond");
    assert.equal(await find(there, "req_", at), undefined, "the beginning of an id is none");
    assert.equal(await find(there, "req_a", at, "other"), undefined);
    assert.equal(await find(there, "../other/req_b", at), undefined);
    assert.equal(await there.forget("shop"), 4_096);
    assert.equal(await find(here, "req_a", at), undefined);
    assert.ok(await find(here, "req_b", other, "other") !== undefined);
    assert.deepEqual(keysOf(s3).filter((key) => key.includes("req_a")), []);
    await assert.rejects(Deno.stat(folder), Deno.errors.NotFound, "nothing is in the data dir");
  });
});

Deno.test("what has been kept for its days is removed by the chosen node, and of others nothing", async () => {
  await withNodes(async ({ s3, clock, quotas, here, there, keep }) => {
    await storeIn(s3).put(`${PREFIX}prompts/shop/notes.txt`, await bytesSource(new Uint8Array(1)));
    await keep(here, "req_a");
    const other = await keep(here, "req_b", "other");
    clock.advance(3 * DAY);
    const fresh = await keep(here, "req_c");
    s3.asked.length = 0;
    await here.reap();
    assert.deepEqual(s3.asked, [], "the other one does not even look");
    await there.reap();
    const left = keysOf(s3).map((key) => key.split("/").at(-1)!.split(".")[0]);
    assert.deepEqual(left.sort(), ["notes", "req_b", "req_c"]);
    quotas.other = { promptDays: 2 };
    assert.equal(await find(here, "req_b", other, "other"), undefined, "fewer days hold at once");
    s3.asked.length = 0;
    await there.reap();
    assert.deepEqual(s3.asked, [], "it looks once an hour");
    clock.advance(HOUR);
    await there.reap();
    assert.ok(await find(there, "req_c", fresh) !== undefined);
    assert.ok(!keysOf(s3).some((key) => key.includes("req_b")));
  });
});

Deno.test("the oldest make way, whichever node has kept them", async () => {
  await withNodes(async ({ s3, clock, quotas, here, there, keep }) => {
    quotas.shop = { promptDays: 3, promptBytes: 10 * 4_096 };
    const kept: string[] = [];
    for (let number = 0; number < 24; number++) {
      const id = `req_${String.fromCharCode(97 + number)}`;
      kept.push(id);
      await keep(number % 2 === 0 ? here : there, id);
      clock.advance(HOUR / 4);
    }
    const left = keysOf(s3).map((key) => key.split("/").at(-1)!.split(".")[0]!);
    assert.ok(left.length <= 10 && left.length >= 5, left.join());
    assert.deepEqual(left.sort(), kept.slice(-left.length), "the newest are all there");
  });
});

Deno.test("a bucket that is away loses what is said meanwhile, says so, and is over when it is back", async () => {
  await withNodes(async ({ s3, here, there, keep }) => {
    const at = await keep(here, "req_a");
    s3.fault = () => ({ status: 503, code: "ServiceUnavailable" });
    await keep(here, "req_b");
    assert.deepEqual(here.warnings(), [
      "prompts are not kept: the bucket that has the gateway's films and files does not take or give them",
    ]);
    await assert.rejects(find(there, "req_a", at), { code: "films_away" });
    await assert.rejects(there.forget("shop"), { code: "films_away" });
    s3.fault = () => undefined;
    await keep(here, "req_c");
    assert.deepEqual(here.warnings(), []);
    assert.ok(await find(there, "req_a", at) !== undefined);
  });
});

Deno.test("a project that says much leaves its turns at a slow bucket to others", async () => {
  await withNodes(async ({ s3, clock, quotas, here, there, keep }) => {
    const areHeld = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const put: string[] = [];
    s3.hold = async ({ method, key }) => {
      if (method !== "PUT" || !key.includes("req_h")) return;
      if (put.push(key) === 8) areHeld.resolve();
      await goOn.promise;
    };
    const at = clock.now();
    for (let n = 0; n < 40; n++) {
      give(here, { requestId: `req_h${n}`, project: "shop", at, quotas: quotas.shop! });
    }
    await areHeld.promise;
    // Time enough to pack all of them.
    for (let n = 0; n < 20; n++) await keep(there, `req_t${n}`, "other");
    give(here, { requestId: "req_hother", project: "other", at, quotas: quotas.other! });
    goOn.resolve();
    await here.flush();
    assert.equal(put.length, 41);
    const before = put.findIndex((key) => key.includes("req_hother"));
    // Of eight at one time any may come first.
    assert.ok(before <= 20, `${before} came before it`);
  });
});

Deno.test("what waits when a bucket is given up is not packed any more, and ends", async () => {
  await withNodes(async ({ s3, clock, quotas, here, place }) => {
    const isHeld = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    s3.hold = async ({ method }) => {
      if (method !== "PUT") return;
      isHeld.resolve();
      await goOn.promise;
    };
    const at = clock.now();
    let packed = 0;
    const onPack = () => packed++;
    for (let n = 0; n < 40; n++) {
      give(here, { requestId: `req_h${n}`, project: "shop", at, quotas: quotas.shop!, onPack });
    }
    await isHeld.promise;
    await place.stop();
    await here.flush();
    goOn.resolve();
    assert.ok(packed >= 1 && packed <= 9, `${packed} were packed`);
  });
});

for (const method of ["GET", "DELETE"]) {
  Deno.test(`the end does not wait for a bucket that does not answer a ${method}`, async () => {
    await using s3 = await FakeS3.start();
    const dir = await Deno.makeTempDir();
    await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
    const store = storeIn(s3);
    const place = new PromptObjects({
      ...{ store, quick: store, prefix: PREFIX, monotonic: () => 0 },
      offset: () => ({ aheadMs: 0, errorMs: 0 }),
      isChosen: () => Promise.resolve(true),
      files: new PromptFiles({ folder: dir, freeBytes: () => Infinity }),
    });
    await place.forget("shop", 5);
    const isAsked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    s3.hold = async (asked) => {
      if (asked.method !== method || asked.key === "") return;
      isAsked.resolve();
      await goOn.promise;
    };
    const call = { projectId: "shop", requestId: "req_a", at: 5, days: 1, mostBytes: 1e6 };
    const written = assert.rejects(
      place.write({ ...call, isForgotten: () => false }, new Uint8Array(1)),
      // Not that of a patience that is over.
      { name: "AbortError" },
    );
    await isAsked.promise;
    try {
      await place.stop();
      await written;
    } finally {
      goOn.resolve();
    }
  });
}

Deno.test("what a data dir has of before goes to the bucket, but for what was forgotten since", async () => {
  await withNodes(async ({ s3, clock, quotas, here, there, folder, keep }) => {
    const place = new PromptFiles({ folder, freeBytes: () => Infinity });
    const before = new KeptPrompts({ place, clock, daysOf: (id) => quotas[id]?.promptDays });
    const at = await keep(before, "req_a");
    const other = await keep(before, "req_b", "other");
    await before.stop();
    const written = [...Deno.readDirSync(`${folder}/other`)].map(({ name }) => name);
    const file = `${folder}/other/${written[0]}/req_b.gz`;
    await Deno.utime(file, other / 1_000, other / 1_000);
    clock.advance(1_000);
    await there.forget("other");
    await here.reap();
    assert.equal((await find(there, "req_a", at))?.request !== undefined, true);
    assert.equal(await find(there, "req_b", other, "other"), undefined);
    assert.ok(!keysOf(s3).some((key) => key.includes("req_b")));
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});

const FILES_TROUBLE =
  'kept prompts may not be deleted in time: the folder "prompts" of the data dir cannot be read or written (EISDIR); look at its rights and its disk';
const BUCKET_TROUBLE =
  "kept prompts may not be deleted in time: the bucket that has the gateway's films and files does not take or give them";

Deno.test("a file that cannot be read keeps no other one, and nothing that is due", async () => {
  await withNodes(async ({ s3, clock, duty, quotas, here, folder, keep }) => {
    duty.of = "here";
    await keep(here, "req_due");
    clock.advance(3 * DAY);
    const place = new PromptFiles({ folder, freeBytes: () => Infinity });
    const before = new KeptPrompts({ place, clock, daysOf: (id) => quotas[id]?.promptDays });
    const at = await keep(before, "req_a");
    await keep(before, "req_b", "other");
    await before.stop();
    const [hour] = [...Deno.readDirSync(`${folder}/shop`)];
    const bad = `${folder}/shop/${hour!.name}/req_0.gz`;
    await Deno.mkdir(`${bad}/in`, { recursive: true });
    await Deno.writeTextFile(`${folder}/notes.txt`, "of somebody else");
    await here.reap();
    const left = keysOf(s3).map((key) => key.split("/").at(-1)!.split(".")[0]);
    assert.deepEqual(left.sort(), ["req_a", "req_b"]);
    assert.ok(await find(here, "req_a", at) !== undefined);
    assert.deepEqual([...Deno.readDirSync(`${folder}/shop/${hour!.name}`)].length, 1);
    assert.deepEqual(here.warnings(), [FILES_TROUBLE]);
    await keep(here, "req_c");
    assert.deepEqual(here.warnings(), [FILES_TROUBLE], "it lasts, although others are kept");
    await Deno.remove(bad, { recursive: true });
    await here.reap();
    assert.deepEqual(here.warnings(), []);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["notes.txt"]);
  });
});

Deno.test("a project whose list fails keeps nothing of others, and is told until it is looked at again", async () => {
  await withNodes(async ({ s3, clock, there, keep }) => {
    for (const id of ["shop", "other", "gone"]) {
      await storeIn(s3).put(
        `${PREFIX}prompts/${id}/1970010100/req_old.1d.0.gz`,
        await bytesSource(new Uint8Array(1)),
      );
    }
    await keep(there, "req_fresh");
    s3.asked.length = 0;
    s3.fault = ({ query }) =>
      query.get("prefix")?.endsWith("/other/") ? { status: 500, code: "InternalError" } : undefined;
    await there.reap();
    const left = () => keysOf(s3).filter((key) => key.includes("req_old"));
    assert.deepEqual(left(), [`${PREFIX}prompts/other/1970010100/req_old.1d.0.gz`]);
    assert.ok(keysOf(s3).some((key) => key.includes("req_fresh")));
    const ofAll = s3.asked.map((asked) => new URLSearchParams(asked.split("?")[1]))
      .filter((query) => query.get("prefix") === `${PREFIX}prompts/`);
    assert.deepEqual(ofAll.map((query) => query.get("delimiter")), ["/"]);
    assert.deepEqual(there.warnings(), [BUCKET_TROUBLE]);
    s3.fault = () => undefined;
    await there.reap();
    assert.deepEqual(there.warnings(), [BUCKET_TROUBLE], "nobody has looked at it since");
    clock.advance(HOUR);
    await there.reap();
    assert.deepEqual([there.warnings(), left()], [[], []]);
  });
});

Deno.test("a bucket that is away is not asked for every project, but again with the next look", async () => {
  await withNodes(async ({ s3, there }) => {
    for (let n = 0; n < 20; n++) {
      await storeIn(s3).put(
        `${PREFIX}prompts/p${n}/1970010100/req_old.1d.0.gz`,
        await bytesSource(new Uint8Array(1)),
      );
    }
    s3.asked.length = 0;
    s3.fault = ({ query }) =>
      query.has("delimiter") ? undefined : { status: 503, code: "ServiceUnavailable" };
    await there.reap();
    assert.equal(s3.asked.length, 1 + 3);
    s3.fault = () => undefined;
    await there.reap();
    assert.deepEqual([there.warnings(), keysOf(s3)], [[], []]);
  });
});

const REFUSED = { status: 403, code: "AccessDenied" };

Deno.test("projects of which nothing can be deleted keep nothing of those behind them", async () => {
  await withNodes(async ({ s3, clock, quotas, there, keep }) => {
    for (const id of ["a", "b", "c", "z"]) {
      quotas[id] = { promptDays: 1 };
      await keep(there, `req_${id}`, id);
    }
    clock.advance(2 * DAY);
    s3.fault = ({ method, key }) =>
      method === "DELETE" && !key.includes("/z/") ? REFUSED : undefined;
    await there.reap();
    const left = () => keysOf(s3).map((key) => key.split("/")[2]);
    assert.deepEqual(left(), ["a", "b", "c"]);
    assert.deepEqual(there.warnings(), [BUCKET_TROUBLE]);
    s3.fault = () => undefined;
    clock.advance(HOUR);
    await there.reap();
    assert.deepEqual([there.warnings(), left()], [[], []]);
  });
});

Deno.test("a look that a failing bucket has ended is gone on with behind where it ended", async () => {
  await withNodes(async ({ s3, clock, quotas, there, keep }) => {
    for (const id of ["a", "b", "c", "z"]) {
      quotas[id] = { promptDays: 1 };
      await keep(there, `req_${id}`, id);
    }
    clock.advance(2 * DAY);
    s3.fault = ({ query }) =>
      /prompts\/[abc]\/$/.test(query.get("prefix") ?? "")
        ? { status: 503, code: "ServiceUnavailable" }
        : undefined;
    const left = () => keysOf(s3).map((key) => key.split("/")[2]);
    await there.reap();
    assert.deepEqual(left(), ["a", "b", "c", "z"]);
    await there.reap();
    assert.deepEqual(left(), ["a", "b", "c"]);
    s3.fault = () => undefined;
    await there.reap();
    assert.deepEqual([there.warnings(), left()], [[], []]);
  });
});

Deno.test("an object that cannot be deleted keeps none of its project's", async () => {
  await withNodes(async ({ s3, clock, there, keep }) => {
    for (let n = 0; n < 30; n++) await keep(there, `req_a${n}`);
    clock.advance(3 * DAY);
    s3.fault = ({ method, key }) =>
      method === "DELETE" && /req_a[0-9]\./.test(key) ? REFUSED : undefined;
    await there.reap();
    const left = keysOf(s3).map((key) => key.split("/").at(-1)!.split(".")[0]);
    assert.deepEqual(left.sort(), Array.from({ length: 10 }, (_, n) => `req_a${n}`));
    assert.deepEqual(there.warnings(), [BUCKET_TROUBLE]);
    // Of a bucket that takes nothing not all are asked for.
    clock.advance(HOUR);
    s3.asked.length = 0;
    s3.fault = ({ method }) =>
      method === "DELETE" ? { status: 503, code: "ServiceUnavailable" } : undefined;
    await there.reap();
    assert.equal(s3.asked.filter((asked) => asked.startsWith("DELETE")).length, 8);
  });
});

Deno.test("the end does not wait for a database that does not say who deletes", async () => {
  await using s3 = await FakeS3.start();
  const dir = await Deno.makeTempDir();
  await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }) };
  const store = storeIn(s3);
  const isAsked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<boolean>();
  const place = new PromptObjects({
    ...{ store, quick: store, prefix: PREFIX, monotonic: () => 0 },
    offset: () => ({ aheadMs: 0, errorMs: 0 }),
    isChosen() {
      isAsked.resolve();
      return answer.promise;
    },
    files: new PromptFiles({ folder: dir, freeBytes: () => Infinity }),
  });
  const expired = place.expire(0, () => 1);
  await isAsked.promise;
  await place.stop();
  // Nothing is begun when it says so after the end.
  answer.resolve(true);
  await expired;
  assert.deepEqual(s3.asked, []);
});

Deno.test("whoever reads what is on its way to a bucket that does not take it hears so, and reads it later", async () => {
  await withNodes(async ({ s3, clock, quotas, here }) => {
    const put = holdBack(s3, ({ method }) => method === "PUT");
    const at = clock.now();
    give(here, { requestId: "req_a", project: "shop", at, quotas: quotas.shop! });
    await put.isAsked;
    await assert.rejects(find(here, "req_a", at), {
      code: "films_away",
      message: /'req_a' said is still on its way to the bucket/,
    });
    assert.equal(await find(here, "req_b", at), undefined, "of others nothing is on its way");
    put.goOn();
    await here.flush();
    assert.ok(await find(here, "req_a", at) !== undefined);
  });
});
