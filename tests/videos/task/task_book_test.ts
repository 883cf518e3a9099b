import assert from "node:assert/strict";
import type { CallOutcome } from "../../../src/accounts/close_call.ts";
import { NO_WORK } from "../../../src/domain/work.ts";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import type { WebhookMessage } from "../../../src/domain/webhook.ts";
import { withdrawn } from "../../support/video_endings.ts";
import { CREDIT_E8, FILM_SALE_E8 } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const FULL = { ok: false, reason: "full", message: "no space" } as const;
const paid: CallOutcome = {
  result: "completed",
  billable: true,
  work: NO_WORK,
  usageSource: "reported",
  costE8: 1n,
  saleE8: FILM_SALE_E8,
  firstByteMs: undefined,
  attempts: 1,
  errorCode: undefined,
};
const claimed = {
  status: "in_progress",
  attempt: 1,
  lease: { session: 1, until: 1 },
} as const;
const done = {
  status: "completed",
  progress: 100,
  lease: undefined,
  completedAt: 5,
  file: { bytes: 1, sha256: "0".repeat(64), hasThumbnail: false, key: undefined },
  costE8: 1n,
  saleE8: FILM_SALE_E8,
} as const;

async function idleWorld(): Promise<VideoWorld> {
  const world = await VideoWorld.create();
  await world.start({ isIdle: true });
  return world;
}

/** Memory and disk have the same balance; gives it. */
async function balance(world: VideoWorld): Promise<{ avail: bigint; held: bigint }> {
  const [stored] = await world.storage.accounts.loadBalances();
  assert.deepEqual(world.boot.ledger.balanceOf("p"), stored);
  return { avail: stored!.avail, held: stored!.held };
}

const UNTOUCHED = { avail: CREDIT_E8, held: 0n };
const HELD = { avail: CREDIT_E8 - FILM_SALE_E8, held: FILM_SALE_E8 };
const PAID = { avail: CREDIT_E8 - FILM_SALE_E8, held: 0n };

Deno.test("TaskBook takes a task from its hold to its payment, and storage agrees at each step", async () => {
  await using world = await idleWorld();
  const { book } = world.boot;
  assert.deepEqual(await balance(world), UNTOUCHED);

  const task = await world.create();
  assert.deepEqual(await balance(world), HELD);
  assert.deepEqual(await world.stored(task), task);
  assert.equal(book.find(task.id), task, "an open task is in memory");
  assert.equal(book.callOf(task.id)?.heldE8, FILM_SALE_E8);

  const begun = await book.change(task.id, () => ({ set: claimed }));
  assert.equal(begun?.revision, 2);
  assert.deepEqual(await balance(world), HELD);
  const completed = await book.change(task.id, () => ({ set: done, close: paid }));
  assert.deepEqual(await world.stored(task), completed);
  assert.deepEqual(await balance(world), PAID);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  assert.deepEqual([...book.openTasks()], []);
  assert.equal(book.callOf(task.id), undefined);
  assert.equal(book.find(task.id), completed, "a task that has just ended is in memory");
});

Deno.test("TaskBook gives back the hold of a task that fails", async () => {
  await using world = await idleWorld();
  const task = await world.create();
  await world.boot.book.change(task.id, (task) => ({
    set: { status: "failed", error: { code: "upstream_error", message: "No" } },
    ...withdrawn(task) as { close: CallOutcome },
  }));
  assert.deepEqual(await balance(world), UNTOUCHED);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
});

for (
  const [what, before, change] of [
    ["ends a task without ending its call", claimed, { set: done }],
    ["ends the call of a task that goes on", {}, { set: claimed, close: paid }],
    ["goes back to queued", claimed, { set: { status: "queued" } }],
    ["completes a task that nobody began", {}, { set: done, close: paid }],
    ["takes progress back", { ...claimed, progress: 50 }, { set: { progress: 49 } }],
  ] as const
) {
  Deno.test(`TaskBook.change() refuses a change that ${what}, and nothing has changed`, async () => {
    await using world = await idleWorld();
    const { id } = await world.create();
    const { book } = world.boot;
    if ("status" in before) await book.change(id, () => ({ set: before }));
    const stored = await world.storage.videos.find(id);
    await assert.rejects(book.change(id, () => change), TypeError);
    assert.deepEqual(await world.storage.videos.find(id), stored);
    assert.deepEqual(await book.find(id), stored);
    assert.deepEqual(await balance(world), HELD);
  });
}

Deno.test("TaskBook runs the changes of one task in turn, each on the newest", async () => {
  await using world = await idleWorld();
  const { id } = await world.create();
  const { book } = world.boot;
  await book.change(id, () => ({ set: claimed }));
  const seen: number[] = [];
  await Promise.all(Array.from({ length: 20 }, () =>
    book.change(id, ({ progress }) => {
      seen.push(progress);
      return { set: { progress: progress + 1 } };
    })));
  assert.deepEqual(seen, Array.from({ length: 20 }, (_, index) => index));
  const stored = await world.storage.videos.find(id);
  assert.deepEqual([stored?.progress, stored?.revision], [20, 22]);
});

Deno.test("TaskBook goes on with a task after a decision that throws or leaves it", async () => {
  await using world = await idleWorld();
  const { id } = await world.create();
  const { book } = world.boot;
  const [thrown, left, changed] = await Promise.allSettled([
    book.change(id, () => {
      throw new RangeError("mine");
    }),
    book.change(id, () => undefined),
    book.change(id, () => ({ set: claimed })),
  ]);
  assert.equal(thrown.status, "rejected");
  assert.deepEqual(left, { status: "fulfilled", value: undefined });
  assert.equal(changed.status === "fulfilled" && changed.value?.revision, 2);
});

Deno.test("TaskBook.change() notes that an id was used beside a completion, and loses neither", async () => {
  await using world = await idleWorld();
  const { id } = await world.create();
  const { book } = world.boot;
  await book.change(id, () => ({ set: claimed }));
  await Promise.all([
    book.change(id, () => ({ set: { isIdUsed: true } })),
    book.change(id, () => ({ set: done, close: paid })),
    book.change(id, (task) => task.isIdUsed ? undefined : { set: { isIdUsed: true } }),
  ]);
  const stored = await world.storage.videos.find(id);
  assert.deepEqual([stored?.status, stored?.isIdUsed, stored?.revision], ["completed", true, 4]);
  assert.deepEqual(await balance(world), PAID);
});

Deno.test("TaskBook completes or deletes a task, never both, whoever comes first", async () => {
  await using world = await idleWorld();
  const { book } = world.boot;
  for (const isDeletedFirst of [true, false]) {
    const { id } = await world.create();
    await book.change(id, () => ({ set: claimed }));
    const before = await balance(world);
    const remove = () => book.remove(id, withdrawn);
    const complete = () => book.change(id, () => ({ set: done, close: paid }));
    const [first, second] = isDeletedFirst ? [remove, complete] : [complete, remove];
    await Promise.all([first(), second()]);
    assert.equal(await book.find(id), undefined);
    assert.equal(await world.storage.videos.find(id), undefined);
    const { avail, held } = await balance(world);
    assert.equal(held, before.held - FILM_SALE_E8);
    assert.equal(avail, before.avail + (isDeletedFirst ? FILM_SALE_E8 : 0n));
  }
});

Deno.test("TaskBook changes nothing while the disk is full, and goes on afterwards", async () => {
  await using world = await idleWorld();
  const { book } = world.boot;
  const told: unknown[] = [];
  const task = await world.create();
  book.subscribe((_before, after) => told.push(after?.status));
  world.refuse = () => FULL;
  const changes = [
    () => book.change(task.id, () => ({ set: claimed })),
    () =>
      book.change(
        task.id,
        () => ({ set: { status: "failed" }, close: { ...paid, billable: false } }),
      ),
    () => book.remove(task.id, withdrawn),
    () => world.create(),
  ];
  for (const change of changes) {
    await assert.rejects(change(), { error: "storage_full" });
    assert.deepEqual(await balance(world), HELD);
    assert.equal(book.find(task.id), task);
  }
  assert.deepEqual(told, []);
  world.refuse = undefined;
  await book.change(task.id, () => ({ set: claimed }));
  await book.change(task.id, () => ({ set: done, close: paid }));
  assert.deepEqual(told, ["in_progress", "completed"]);
  assert.deepEqual(await balance(world), PAID);
});

for (const reason of ["conflict", "missing"] as const) {
  Deno.test(`TaskBook tells that somebody else changed a task when storage says ${reason}, and keeps the hold`, async () => {
    await using world = await idleWorld();
    const { book } = world.boot;
    const task = await world.create();
    await book.change(task.id, () => ({ set: claimed }));
    world.refuse = () => ({ ok: false, reason, message: "another revision" });
    const change = book.change(task.id, () => ({ set: done, close: paid }));
    await assert.rejects(change, { error: "internal_error" });
    await assert.rejects(book.remove(task.id, withdrawn), { error: "internal_error" });
    assert.deepEqual(await balance(world), HELD);
    world.refuse = undefined;
    await book.remove(task.id, withdrawn);
    assert.deepEqual(await balance(world), UNTOUCHED);
  });
}

Deno.test("TaskBook.remove() leaves a task that the decision leaves, and knows none after the first", async () => {
  await using world = await idleWorld();
  const { book } = world.boot;
  const task = await world.create();
  assert.equal(await book.remove(task.id, () => undefined), undefined);
  assert.equal(book.find(task.id), task);
  const results = await Promise.all([1, 2].map(() => book.remove(task.id, withdrawn)));
  assert.deepEqual(results, [task, undefined]);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
  assert.equal(await book.change(task.id, () => ({ set: claimed })), undefined);
});

Deno.test("TaskBook.load() takes over open tasks with their holds, and no others", async () => {
  await using world = await idleWorld();
  const tasks: VideoTask[] = [];
  for (let count = 0; count < 3; count++) tasks.push(await world.create());
  const [ended, open, deleted] = tasks;
  await world.boot.book.change(ended!.id, () => ({ set: claimed }));
  await world.boot.book.change(ended!.id, () => ({ set: done, close: paid }));
  await world.boot.book.change(open!.id, () => ({ set: claimed }));
  await world.boot.book.remove(deleted!.id, withdrawn);
  world.crash();

  const { book } = await world.start({ isIdle: true });
  assert.deepEqual([...book.openTasks()], [await world.stored(open!)]);
  assert.equal(book.callOf(open!.id)?.heldE8, FILM_SALE_E8);
  assert.deepEqual(await book.find(ended!.id), await world.stored(ended!));
  assert.equal(await book.find(deleted!.id), undefined);
  await book.change(open!.id, () => ({ set: done, close: paid }));
  assert.deepEqual(await balance(world), { avail: CREDIT_E8 - 2n * FILM_SALE_E8, held: 0n });
});

Deno.test("TaskBook.create() spends a project's last money once", async () => {
  await using world = await VideoWorld.create();
  await world.start({ isIdle: true });
  const { ledger } = world.boot;
  const most = Number(CREDIT_E8 / FILM_SALE_E8);
  // All but one film's money is held by a call of something else.
  const first = await world.create();
  const call = world.boot.book.callOf(first.id)!;
  const rest = CREDIT_E8 - FILM_SALE_E8 * 2n;
  assert.ok(most > 2);
  const hold = await ledger.shared.holdWith(
    { ...call, callId: 9_999, requestId: "req_aaaaaaaaaaaa7pr", heldE8: rest },
    {
      kind: "hold",
      call: { ...call, callId: 9_999, requestId: "req_aaaaaaaaaaaa7pr", heldE8: rest },
    },
  );
  assert.ok(hold);
  const creates = await Promise.allSettled([world.create(), world.create(), world.create()]);
  assert.deepEqual(creates.map(({ status }) => status), ["fulfilled", "rejected", "rejected"]);
  assert.deepEqual(await balance(world), { avail: 0n, held: CREDIT_E8 });
});

Deno.test("TaskBook stores a message together with the end it tells of, or not at all", async () => {
  await using world = await idleWorld();
  const { book } = world.boot;
  const { id } = await world.create({ callbackUrl: "https://hooks.example/" });
  await book.change(id, () => ({ set: claimed }));
  const webhook: WebhookMessage = {
    id: `evt_${"a".repeat(26)}`,
    projectId: "p",
    event: "video.completed",
    videoId: id,
    url: "https://hooks.example/",
    createdAt: 1,
    tries: 0,
    state: "waiting",
    nextAt: 1,
    lastError: undefined,
    roundFrom: 0,
    lastTries: [],
  };
  world.refuse = () => FULL;
  await assert.rejects(book.change(id, () => ({ set: done, close: paid, webhook })));
  assert.deepEqual(await world.storage.webhooks.due(10, { most: 10, perProject: 10 }), []);
  world.refuse = undefined;
  await book.change(id, () => ({ set: done, close: paid, webhook }));
  assert.deepEqual(await world.storage.webhooks.due(10, { most: 10, perProject: 10 }), [webhook]);
});

Deno.test("TaskBook stores a change whatever its listeners throw, and tells the others of it", async () => {
  await using world = await idleWorld();
  const { book } = world.boot;
  const fault = new Error("the folder is gone");
  const unsubscribe = book.subscribe(() => {
    throw fault;
  });
  const heard: (number | undefined)[] = [];
  book.subscribe((_before, after) => heard.push(after?.revision));
  const task = await world.create();
  assert.equal((await book.change(task.id, () => ({ set: claimed })))?.revision, 2);
  assert.deepEqual(world.listenerFaults.splice(0), [fault, fault]);
  unsubscribe();
  assert.equal((await book.remove(task.id, withdrawn))?.id, task.id);
  assert.deepEqual(heard, [1, 2, undefined]);
  assert.equal(world.listenerFaults.length, 0, "it hears no more");
  assert.equal(await world.storage.videos.find(task.id), undefined);
  assert.deepEqual(await balance(world), UNTOUCHED);
});
