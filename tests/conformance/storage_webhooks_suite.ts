/**
 * The storage suite's part about the outbox and the signing secrets.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { WebhookMessage } from "../../src/domain/webhook.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { DueBounds, Storage } from "../../src/storage/ports/storage.ts";
import type { StorageTest } from "./storage_test_case.ts";
import { commitEach, fundProject, NOON_ISH, words } from "./storage_samples.ts";
import {
  claimedTask,
  createEntry,
  numberedId,
  sampleMessage,
  sampleTask,
} from "./storage_video_samples.ts";

/** Puts messages into the outbox, each with a task's change. */
async function send(storage: Storage, messages: readonly WebhookMessage[]): Promise<void> {
  await fundProject(storage, 0n);
  const entries = messages.flatMap((webhook, index): Entry[] => {
    const task = sampleTask({ callId: index + 1 });
    return [
      createEntry(task, { heldE8: 0n }),
      { kind: "change_video", task: claimedTask(task), webhook },
    ];
  });
  const results = await storage.commitBatch(entries);
  assert.equal(results.every(({ ok }) => ok), true, JSON.stringify(results));
}

const note = (message: WebhookMessage): Entry => ({ kind: "change_webhook", message });

const forgetDone = (messagesDoneBefore: number): Entry => ({
  kind: "forget",
  answersExpiredAt: 0,
  messagesDoneBefore,
});

/** Registers the tests about the outbox and the signing secrets. */
export function testWebhooks(test: StorageTest): void {
  test("webhooks.due() gives waiting messages of a project, earliest first", async (storage) => {
    assert.equal(await storage.webhooks.nextDueAt(0), undefined);
    assert.deepEqual(await storage.webhooks.due(NOON_ISH, { most: 10, perProject: 10 }), []);
    const messages = [30, 10, 20].map((delayMs, index) =>
      sampleMessage({ id: numberedId("evt_", index), nextAt: NOON_ISH + delayMs })
    );
    await send(storage, messages);
    const [late, first, second] = messages;
    const { webhooks } = storage;
    assert.equal(await webhooks.nextDueAt(0), NOON_ISH + 10);
    assert.equal(await webhooks.nextDueAt(NOON_ISH + 10), NOON_ISH + 20);
    assert.equal(await webhooks.nextDueAt(NOON_ISH + 30), undefined);
    assert.deepEqual(await webhooks.due(NOON_ISH + 9, { most: 10, perProject: 10 }), []);
    assert.deepEqual(await webhooks.due(NOON_ISH + 20, { most: 10, perProject: 10 }), [
      first,
      second,
    ]);
    assert.deepEqual(await webhooks.due(NOON_ISH + 99, { most: 10, perProject: 10 }), [
      first,
      second,
      late,
    ]);
    assert.deepEqual(await webhooks.due(NOON_ISH + 99, { most: 1, perProject: 1 }), [first]);
  });

  test("webhooks.due() gives no more than so many of one project", async (storage) => {
    const messages = ["acme", "acme", "acme", "acme", "zeta", "beta"].map((projectId, index) =>
      sampleMessage({ id: numberedId("evt_", index), projectId, nextAt: NOON_ISH + index })
    );
    await send(storage, messages);
    const due = async (most: number, perProject: number, turn: Partial<DueBounds> = {}) => {
      const found = await storage.webhooks.due(NOON_ISH + 99, { most, perProject, ...turn });
      return found.map(({ nextAt }) => nextAt - NOON_ISH);
    };
    // Project by project, so that none waits for the backlog of others.
    assert.deepEqual(await due(10, 2), [0, 1, 5, 4]);
    assert.deepEqual(await due(3, 2), [0, 1, 5]);
    assert.deepEqual(await due(10, 10), [0, 1, 2, 3, 5, 4]);
    assert.deepEqual(await due(10, 2, { after: "acme" }), [5, 4, 0, 1]);
    assert.deepEqual(await due(2, 2, { after: "beta" }), [4, 0]);
    assert.deepEqual(await due(9, 1, { after: "zz" }), [0, 5, 4]);
    assert.deepEqual(await due(10, 2, { after: "acme", skip: ["zeta", "none"] }), [5, 0, 1]);
    const [first] = messages as [WebhookMessage];
    await storage.commitBatch([note({ ...first, tries: 1, state: "delivered" })]);
    assert.deepEqual(await due(10, 1), [1, 5, 4]);
  });

  test("change_webhook notes each try once and ends once", async (storage) => {
    const message = sampleMessage();
    await send(storage, [message]);
    const failed = { ...message, tries: 1, nextAt: NOON_ISH + 60, lastError: "status 500 \0" };
    const delivered = { ...failed, tries: 2, state: "delivered" as const, lastError: undefined };
    assert.deepEqual(
      words(
        await commitEach(storage, [
          note({ ...message, id: numberedId("evt_", 5), tries: 1 }),
          note(message),
          note({ ...message, tries: 2 }),
          note(failed),
          note(failed),
        ]),
      ),
      ["missing", "conflict", "conflict", "ok", "conflict"],
    );
    assert.deepEqual(await storage.webhooks.due(NOON_ISH + 60, { most: 10, perProject: 10 }), [
      { ...failed, lastError: "status 500 \ufffd" },
    ]);
    assert.deepEqual(
      words(
        await commitEach(storage, [
          note(delivered),
          note({ ...delivered, tries: 3, state: "waiting" }),
        ]),
      ),
      ["ok", "conflict"],
    );
    assert.deepEqual(await storage.webhooks.due(NOON_ISH + 999, { most: 10, perProject: 10 }), []);
    assert.equal(await storage.webhooks.nextDueAt(0), undefined);
  });

  test("webhooks.list() gives messages newest first, and resend lets one wait again", async (storage) => {
    const tried = { at: NOON_ISH, milliseconds: 3, status: null, error: "no answer \0" };
    const messages = ["acme", "acme", "zeta"].map((projectId, index) =>
      sampleMessage({
        id: numberedId("evt_", index),
        videoId: numberedId("video_", index),
        createdAt: NOON_ISH + index,
        projectId,
      })
    );
    await send(storage, messages);
    const [first, second, other] = messages as [WebhookMessage, WebhookMessage, WebhookMessage];
    const { webhooks } = storage;
    const all = { projectId: undefined, state: undefined, after: undefined, limit: 9 };
    assert.deepEqual(await webhooks.list(all), [other, second, first]);
    assert.deepEqual(await webhooks.list({ ...all, limit: 1, after: other }), [second]);
    assert.deepEqual(await webhooks.list({ ...all, projectId: "acme" }), [second, first]);
    assert.deepEqual(await webhooks.ofVideo(second.videoId), second);
    assert.equal(await webhooks.ofVideo("video_x"), undefined);
    const given = {
      ...{ ...second, tries: 1, state: "given_up" as const, lastError: "no answer" },
      lastTries: [tried],
    };
    const resend = (messageId: string): Entry => ({
      kind: "resend_webhook",
      ...{ messageId, at: NOON_ISH + 9 },
    });
    assert.deepEqual(
      words(await commitEach(storage, [note(given), resend(second.id), resend("evt_x")])),
      ["ok", "ok", "missing"],
    );
    const again = { ...given, state: "waiting", nextAt: NOON_ISH + 9, roundFrom: 1 };
    assert.deepEqual(await webhooks.find(second.id), again);
    const ended: WebhookMessage = { ...first, tries: 1, state: "delivered", lastTries: [tried] };
    await storage.commitBatch([note(ended)]);
    assert.deepEqual(await webhooks.list({ ...all, state: "delivered" }), [ended]);
    assert.deepEqual(await webhooks.list({ ...all, state: "waiting", projectId: "acme" }), [again]);
  });

  test("forget removes what is done before its time, and nothing that waits", async (storage) => {
    const messages = [1, 2, 3].map((index) =>
      sampleMessage({ id: numberedId("evt_", index), nextAt: NOON_ISH + index })
    );
    await send(storage, messages);
    const [waiting, delivered, given] = messages as [
      WebhookMessage,
      WebhookMessage,
      WebhookMessage,
    ];
    const done = { ...delivered, tries: 1, state: "delivered" as const };
    const givenUp = { ...given, tries: 1, state: "given_up" as const };
    const again = (message: WebhookMessage) => note({ ...message, tries: 9 });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          note(done),
          note(givenUp),
          forgetDone(NOON_ISH + 3),
          again(done),
          again(givenUp),
          forgetDone(NOON_ISH + 4),
          again(givenUp),
        ]),
      ),
      ["ok", "ok", "ok", "missing", "conflict", "ok", "missing"],
    );
    assert.deepEqual(await storage.webhooks.due(NOON_ISH + 9, { most: 10, perProject: 10 }), [
      waiting,
    ]);
    assert.equal((await storage.videos.list({ order: "asc", limit: 10 })).length, 3);
  });

  test("put_webhook_secret replaces a project's secret", async (storage) => {
    await fundProject(storage, 0n);
    const first = {
      projectId: "acme",
      secret: "whsec_b25l",
      createdAt: NOON_ISH,
      previous: undefined,
    };
    const rotated = {
      ...first,
      secret: "whsec_dHdv",
      createdAt: NOON_ISH + 1,
      previous: { secret: first.secret, until: NOON_ISH + 100 },
    };
    assert.equal(await storage.webhooks.secret("acme"), undefined);
    const put = (secret: typeof first | typeof rotated): Entry => ({
      kind: "put_webhook_secret",
      secret,
    });
    assert.deepEqual(
      words(await commitEach(storage, [put({ ...first, projectId: "nobody" }), put(first)])),
      ["missing", "ok"],
    );
    assert.deepEqual(await storage.webhooks.secret("acme"), first);
    assert.deepEqual(words(await commitEach(storage, [put(rotated)])), ["ok"]);
    assert.deepEqual(await storage.webhooks.secret("acme"), rotated);
    assert.equal(await storage.webhooks.secret("nobody"), undefined);
  });
}
