/**
 * A project's turn to have kept answers read: a short request may go back to very many bytes.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { StoredResponse } from "../../../src/domain/stored_response.ts";
import { loadConversation } from "../../../src/gateway/responses/conversation.ts";
import { resolveReferences } from "../../../src/gateway/responses/input_items.ts";
import { countKept, type KeptQuestion } from "../../../src/http/endpoints/responses/kept.ts";
import { Stay } from "../../../src/limits/stay.ts";
import type { ResponseStore } from "../../../src/storage/ports/storage.ts";
import type { CommitQueue } from "../../../src/storage/ports/commit_queue.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";

const MIB = 1024 ** 2;
const PROJECT = "default";
const QUESTION = { projectId: PROJECT, now: 0, maxBytes: 20 * MIB, reserve: () => {} };

/** Keeps three answers, each after the one before, which say a megabyte back; gives their ids. */
async function keepThree({ admin }: TestGateway): Promise<readonly [string, string, string]> {
  const commits = admin.commits as CommitQueue;
  const ids = [1, 2, 3].map((number) => `resp_${String(number).repeat(40).replaceAll("1", "a")}`);
  for (const [index, id] of ids.entries()) {
    const response: StoredResponse = {
      id,
      callId: 1_000_000 + index,
      projectId: PROJECT,
      status: "completed",
      isBackground: false,
      previousId: ids[index - 1],
      input: "[]",
      body: JSON.stringify({
        instructions: "漢".repeat(MIB),
        output: [{ type: "message", id: `msg_${index}`, content: [] }],
      }),
      createdAt: 0,
      expiresAt: Number.MAX_SAFE_INTEGER,
    };
    commits.enqueue({ kind: "put_response", response });
  }
  await commits.flush();
  return ids as [string, string, string];
}

/** Whose turn comes never: what is read all the same is noted. */
function noTurn(responses: ResponseStore) {
  const read: string[] = [];
  const asked: number[] = [];
  const watched: ResponseStore = {
    ...responses,
    find: (query) => {
      read.push(query.responseId);
      return responses.find(query);
    },
  };
  const awaitTurn = (bytes: number) => {
    asked.push(bytes);
    return Promise.reject(new Error("no turn"));
  };
  return { responses: watched, awaitTurn, read, asked };
}

async function sizeOf({ admin }: TestGateway, ids: readonly string[]): Promise<number> {
  const sizes = ids.map((responseId) =>
    admin.storage.responses.size({ projectId: PROJECT, responseId })
  );
  return (await Promise.all(sizes)).reduce<number>((sum, bytes) => sum + bytes!, 0);
}

Deno.test("a conversation has its turn by all that is read for it, before any of it is read", async () => {
  await using gateway = await startTestGateway();
  const [first, second, third] = await keepThree(gateway);
  const { responses, awaitTurn, read, asked } = noTurn(gateway.admin.storage.responses);
  const goOn = (previousId: string | undefined, projectId = PROJECT) =>
    loadConversation(responses, { ...QUESTION, projectId, awaitTurn, previousId });
  await assert.rejects(goOn(third), /no turn/);
  await assert.rejects(goOn(first), /no turn/);
  await assert.rejects(goOn(third, "another"), /no turn/);
  assert.deepEqual(asked, [
    await sizeOf(gateway, [first, second, third]),
    await sizeOf(gateway, [first]),
    0,
  ]);
  assert.ok(asked[0]! > 9 * MIB, String(asked));
  assert.deepEqual(read, []);
  // Who goes on from nothing waits for nothing.
  assert.equal((await goOn(undefined)).bytes, 0);
});

Deno.test("answers whose items are referred to have their turn, each once", async () => {
  await using gateway = await startTestGateway();
  const [first, second] = await keepThree(gateway);
  const { responses, awaitTurn, read, asked } = noTurn(gateway.admin.storage.responses);
  const items = ["msg_0", "msg_1", "msg_0", "msg_9"].map((id) => ({ type: "item_reference", id }));
  const question = { ...QUESTION, earlier: [], awaitTurn };
  await assert.rejects(resolveReferences(responses, items, question), /no turn/);
  assert.deepEqual(asked, [await sizeOf(gateway, [first, second])]);
  assert.deepEqual(read, []);
});

Deno.test("a kept answer that is asked for has its turn like a body", async () => {
  await using gateway = await startTestGateway();
  const [id] = await keepThree(gateway);
  const asked: number[] = [];
  const turnInMs = (bytes: number) => {
    asked.push(bytes);
    return 31_000;
  };
  const permit = { release: () => {} } as Stay["permit"];
  const stay = new Stay(permit, { reserve: () => {}, release: () => {}, turnInMs });
  const admitted = { kind: "permit", permit };
  const limiter = { enterWhenRoom: () => admitted, countWhenRoom: () => undefined };
  const { responses } = gateway.admin.storage;
  const size = (projectId: string, responseId: string) => responses.size({ projectId, responseId });
  const deps = { limiter, responses: { size } } as unknown as Parameters<typeof countKept>[0];
  const caller = { project: { id: PROJECT, limits: {} }, key: { id: "key", limits: {} } };
  await assert.rejects(
    countKept(deps, { id, caller: caller as KeptQuestion["caller"], stay }),
    (error: Error & { code?: string; retryAfterSeconds?: number }) =>
      error.code === "POOL_LIMIT_EXCEEDED" && error.retryAfterSeconds === 1,
  );
  assert.deepEqual(asked, [await sizeOf(gateway, [id])]);
});
