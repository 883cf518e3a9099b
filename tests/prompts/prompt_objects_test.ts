/**
 * Keeping what calls said in a bucket: two nodes that share nothing else.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Quotas } from "../../src/domain/account.ts";
import { bytesSource } from "../../src/objects/bytes_source.ts";
import { S3Bucket } from "../../src/objects/s3_bucket.ts";
import { KeptPrompts } from "../../src/prompts/kept_prompts.ts";
import { PromptFiles } from "../../src/prompts/prompt_files.ts";
import { PromptObjects } from "../../src/prompts/prompt_objects.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { FakeS3 } from "../support/fake_s3.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Of a bucket that other things are in, too. */
const PREFIX = "tollgate/";

interface World {
  readonly s3: FakeS3;
  readonly clock: FakeClock;
  readonly quotas: { [project: string]: Quotas };
  readonly here: KeptPrompts;
  readonly there: KeptPrompts;
  /** Of `here`. */
  readonly place: PromptObjects;
  /** The data dir of `here`. */
  readonly folder: string;
  readonly keep: (at: KeptPrompts, requestId: string, project?: string) => Promise<number>;
}

async function withNodes(run: (world: World) => Promise<void>): Promise<void> {
  await using s3 = await FakeS3.start();
  const store = storeIn(s3);
  const clock = new FakeClock();
  const quotas: { [project: string]: Quotas } = {
    shop: { promptDays: 3 },
    other: { promptDays: 9 },
  };
  const dir = await Deno.makeTempDir();
  const nodes: KeptPrompts[] = [];
  const places: PromptObjects[] = [];
  const node = (name: string) => {
    const files = new PromptFiles({ folder: `${dir}/${name}`, freeBytes: () => Infinity });
    const place = new PromptObjects({
      ...{ store, quick: store, prefix: PREFIX, files },
      monotonic: () => clock.now(),
    });
    places.push(place);
    nodes.push(new KeptPrompts({ place, clock, daysOf: (id) => quotas[id]?.promptDays }));
    return nodes.at(-1)!;
  };
  const keep: World["keep"] = async (at, requestId, project = "shop") => {
    const now = clock.now();
    give(at, { requestId, project, at: now, quotas: quotas[project]! });
    await at.flush();
    return now;
  };
  try {
    const [here, there] = [node("here"), node("there")];
    await run({ s3, clock, quotas, here, there, place: places[0]!, folder: `${dir}/here`, keep });
  } finally {
    await Promise.all(nodes.map((one) => one.stop()));
    await Deno.remove(dir, { recursive: true });
  }
}

function storeIn(s3: FakeS3): S3Bucket {
  const access = {
    endpoint: s3.endpoint,
    region: "us-east-1",
    keys: () => ({ accessKeyId: "AKIAFAKE", secretAccessKey: "secret" }),
  };
  return new S3Bucket({ bucket: "films", access, waitsMs: [] });
}

function give(
  at: KeptPrompts,
  call: {
    readonly requestId: string;
    readonly project: string;
    readonly at: number;
    readonly quotas: Quotas;
    /** Hears that it is handed over to be packed. */
    readonly onPack?: () => void;
  },
): void {
  at.keep({
    project: { id: call.project, quotas: call.quotas },
    ...{ requestId: call.requestId, at: call.at, model: "m" },
    get path() {
      call.onPack?.();
      return "/chat/completions";
    },
    ...{ status: 200, state: "complete", request: { prompt: "Hello" }, requestBytes: 5 },
    answer: { form: "json", text: "{}", isCut: false },
  });
}

function find(prompts: KeptPrompts, requestId: string, at: number, projectId = "shop") {
  return prompts.find({ projectId, requestId, at });
}

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
    assert.equal(await there.bytesOf("shop"), 4_096);
    assert.equal(await there.forget("shop"), 4_096);
    assert.equal(await find(here, "req_a", at), undefined);
    assert.ok(await find(here, "req_b", other, "other") !== undefined);
    assert.deepEqual(keysOf(s3).filter((key) => key.includes("req_a")), []);
    await assert.rejects(Deno.stat(folder), Deno.errors.NotFound, "nothing is in the data dir");
  });
});

Deno.test("what is on its way when another node forgets is not kept", async () => {
  await withNodes(async ({ s3, clock, quotas, here, there, keep }) => {
    await keep(there, "req_before");
    const isAsked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    s3.hold = async ({ method, key }) => {
      if (method !== "PUT" || !key.includes("req_late")) return;
      isAsked.resolve();
      await goOn.promise;
    };
    const at = clock.now();
    give(here, { requestId: "req_late", project: "shop", at, quotas: quotas.shop! });
    await isAsked.promise;
    assert.deepEqual(here.warnings(), []);
    clock.advance(10_001);
    assert.deepEqual(here.warnings(), ["prompts wait: it takes more than 10 s to keep one"]);
    await there.forget("shop");
    goOn.resolve();
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
    await here.reap();
    assert.deepEqual(keysOf(s3), []);
  });
});

Deno.test("what has been kept for its days is removed by any node, and of others nothing", async () => {
  await withNodes(async ({ s3, clock, quotas, here, there, keep }) => {
    await storeIn(s3).put(`${PREFIX}prompts/shop/notes.txt`, await bytesSource(new Uint8Array(1)));
    await keep(here, "req_a");
    const other = await keep(here, "req_b", "other");
    clock.advance(3 * DAY);
    const fresh = await keep(here, "req_c");
    await there.reap();
    const left = keysOf(s3).map((key) => key.split("/").at(-1)!.split(".")[0]);
    assert.deepEqual(left.sort(), ["notes", "req_b", "req_c"]);
    quotas.other = { promptDays: 2 };
    assert.equal(await find(here, "req_b", other, "other"), undefined, "fewer days hold at once");
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

function keysOf(s3: FakeS3): readonly string[] {
  return [...s3.objects.keys()].filter((key) => !key.endsWith("/forgotten"));
}
