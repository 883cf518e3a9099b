/**
 * A project's files are added up all together now and then only, and their sum is never too small.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import { Ask } from "../../../src/storage/postgres/ask.ts";
import { Connection } from "../../../src/storage/postgres/connection.ts";
import { FileSums } from "../../../src/storage/postgres/file_sums.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { commitOne, fundProject, words } from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";

const server = postgresOfFile();
let databases = 0;
let files = 0;

interface Scene {
  readonly nodes: readonly [PostgresStorage, PostgresStorage];
  readonly sums: FileSums;
  /** Rows behind which place each sum was of, as it was asked for. */
  readonly asked: number[];
  /** Lets time pass. */
  pass(ms: number): void;
}

async function withNodes(test: (scene: Scene) => Promise<void>): Promise<void> {
  const database = `files_${++databases}`;
  await server.create(database);
  const url = server.url(database);
  await using stack = new AsyncDisposableStack();
  const open = async (node: string) => {
    const storage = await openPostgresStorage({ url, identity: { node, label: node } });
    stack.defer(() => storage.close());
    await storage.beginSession();
    return storage;
  };
  const nodes = [await open("one"), await open("two")] as const;
  await fundProject(nodes[0], 1_000n);
  const connection = await Connection.open({ url });
  stack.defer(() => connection.close());
  const asked: number[] = [];
  const ask = new Ask((text, values, types) => {
    asked.push(values[0] as number);
    return connection.run(text, values, { types });
  });
  let now = 0;
  const sums = new FileSums(ask, () => now);
  await test({ nodes, sums, asked, pass: (ms) => now += ms });
}

function create(bytes: number, mostBytes?: number): Extract<Entry, { kind: "create_upload" }> {
  const id = `file-${String(++files).padStart(26, "0")}`;
  return {
    kind: "create_upload",
    file: {
      ...{ id, projectId: "acme", purpose: "batch", filename: "asked.jsonl", bytes },
      ...{ sha256: "0".repeat(64), createdAt: 1, expiresAt: undefined },
    },
    mostBytes,
  };
}

Deno.test(
  "only what has come since is added to a sum, for five seconds",
  NEEDS_POSTGRES,
  () =>
    withNodes(async ({ nodes, sums, asked, pass }) => {
      await commitOne(nodes[0], create(40));
      assert.equal(await sums.bytesOf("acme", 1_000), 40);
      await commitOne(nodes[1], create(2));
      pass(4_999);
      assert.equal(await sums.bytesOf("acme", 1_000), 42);
      assert.equal(await sums.bytesOf("acme", 1_000), 42);
      pass(1);
      assert.equal(await sums.bytesOf("acme", 1_000), 42);
      const [, first, second] = asked;
      assert.ok(first! > 0 && second! > first!, String(asked));
      assert.deepEqual([asked[0], asked[3], asked.length], [0, 0, 4]);
    }),
);

Deno.test(
  "where it would be too much, all is added up again",
  NEEDS_POSTGRES,
  () =>
    withNodes(async ({ nodes, sums, asked }) => {
      const kept = create(40);
      await commitOne(nodes[0], kept);
      assert.equal(await sums.bytesOf("acme", 40), 40);
      await commitOne(nodes[1], { kind: "delete_upload", fileId: kept.file.id });
      await commitOne(nodes[1], create(3));
      assert.equal(await sums.bytesOf("acme", 43), 43, "with what another node has deleted");
      assert.equal(await sums.bytesOf("acme", 42), 3);
      assert.equal(await sums.bytesOf("acme", 2), 3);
      assert.deepEqual(asked.filter((place) => place === 0).length, 3);
    }),
);

Deno.test(
  "who asks while all is added up gets what was there as it asked",
  NEEDS_POSTGRES,
  () =>
    withNodes(async ({ nodes, sums, asked }) => {
      await commitOne(nodes[0], create(40));
      const first = sums.bytesOf("acme", 0);
      const others = Array.from({ length: 5 }, () => sums.bytesOf("acme", 0));
      assert.deepEqual(await Promise.all([first, ...others]), Array(6).fill(40));
      assert.deepEqual(asked, [0, 0]);
    }),
);

Deno.test(
  "a deletion that was not written does not make room",
  NEEDS_POSTGRES,
  () =>
    withNodes(async ({ nodes: [node] }) => {
      const kept = create(60, 100);
      assert.deepEqual(words([await commitOne(node, kept)]), ["ok"]);
      assert.deepEqual(words([await commitOne(node, create(30, 100))]), ["ok"]);
      // The whole batch is tried again, one by one, for what is refused late.
      const results = await node.commitBatch([
        { kind: "delete_upload", fileId: kept.file.id },
        { ...create(1, 100), file: { ...create(1).file, sha256: "short" } },
        create(20, 100),
      ]);
      assert.deepEqual(words(results), ["ok", "failed", "ok"]);
      assert.deepEqual(words([await commitOne(node, create(51, 100))]), ["conflict"]);
      assert.deepEqual(words([await commitOne(node, create(50, 100))]), ["ok"]);
    }),
);
