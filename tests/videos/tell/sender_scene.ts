/**
 * A sender of webhooks over a real database, a receiver on a real socket, and time that tests move.
 *
 * @module
 */

import assert from "node:assert/strict";
import { randomName } from "../../../src/domain/ids.ts";
import type { WebhookMessage } from "../../../src/domain/webhook.ts";
import { createTransport } from "../../../src/providers/transport/transport.ts";
import type { CommitQueue } from "../../../src/storage/ports/commit_queue.ts";
import { WebhookSender, type WebhookTry } from "../../../src/videos/tell/webhook_sender.ts";
import { until } from "../../support/until.ts";
import { VideoWorld } from "../../support/video_world.ts";

/** Every project's. */
export const SECRET = {
  projectId: "p",
  secret: `whsec_${btoa("32 bytes that nobody else knows!")}`,
  createdAt: 0,
  previous: undefined,
};

/** As many as a test needs. */
export const PROJECTS = ["p", "q", "r", "s", "t"];

/** A call as it came. */
export interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A world with a receiver on a real socket, and messages to it. */
export async function senderScene(
  { allowsPrivate = true, hasSecret = true, projects = ["p", "q"] } = {},
) {
  const world = await VideoWorld.create({ projects });
  const { clock } = world.timeline;
  if (hasSecret) {
    await world.storage.commitBatch(
      projects.map((projectId) => ({
        kind: "put_webhook_secret",
        secret: { ...SECRET, projectId },
      })),
    );
  }
  const received: Received[] = [];
  const receiver = {
    answer: (_request: Received): Response | Promise<Response> =>
      new Response(null, { status: 204 }),
  };
  const end = new AbortController();
  const listen = { port: 0, hostname: "127.0.0.1", signal: end.signal, onListen() {} };
  const server = Deno.serve(listen, async (request) => {
    const { pathname: path } = new URL(request.url);
    const one = { path, headers: request.headers, body: await request.text() };
    received.push(one);
    return await receiver.answer(one);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const tries: WebhookTry[] = [];
  const errors: unknown[] = [];
  const timers = new Set<{ readonly run: () => void; readonly at: number }>();
  const storage = { refuses: false };
  const commits: Pick<CommitQueue, "commit"> = {
    commit: async (entry) =>
      storage.refuses
        ? { ok: false, reason: "full", message: "no space" }
        : (await world.storage.commitBatch([entry]))[0]!,
  };
  const transport = createTransport({ clock });
  function start(): WebhookSender {
    const sender = new WebhookSender({
      webhooks: world.storage.webhooks,
      commits: commits as CommitQueue,
      transport,
      clock,
      allowsPrivate,
      later: (run, ms) => {
        const timer = { run, at: clock.now() + ms };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      onEvent: (event) => tries.push(event),
      onError: (error) => errors.push(error),
    });
    sender.wake();
    return sender;
  }
  /** Puts a message into the outbox. */
  async function put(parts: Partial<WebhookMessage> = {}): Promise<WebhookMessage> {
    const { id: videoId, callId } = await (async () => {
      if (world.boot === undefined) await world.start({ isIdle: true });
      return await world.create();
    })();
    assert.ok(callId > 0);
    const message: WebhookMessage = {
      id: `evt_${randomName(26)}`,
      projectId: "p",
      event: "video.completed",
      videoId,
      url: `${url}/hook`,
      createdAt: clock.now(),
      tries: 0,
      state: "waiting",
      nextAt: clock.now(),
      lastError: undefined,
      roundFrom: 0,
      lastTries: [],
      ...parts,
    };
    const task = (await world.storage.videos.find(videoId))!;
    const [result] = await world.storage.commitBatch([
      { kind: "change_video", task: { ...task, revision: 2 }, webhook: message },
    ]);
    assert.ok(result?.ok, JSON.stringify(result));
    return message;
  }
  /** Lets time pass and wakes whoever is due. */
  function advance(ms: number): void {
    clock.advance(ms);
    for (const timer of [...timers]) {
      if (timer.at > clock.now()) continue;
      timers.delete(timer);
      timer.run();
    }
  }
  const timer = () => until("a timer", () => [...timers][0]);
  return {
    ...{ world, clock, url, received, receiver, tries, errors, timers, storage, start, put },
    ...{ advance, timer },
    async [Symbol.asyncDispose]() {
      transport.close();
      end.abort();
      await server.finished;
      await world[Symbol.asyncDispose]();
    },
  };
}
