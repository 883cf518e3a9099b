/**
 * A data dir with a past: a project that paid for calls, and a film.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { commitEach, words } from "../conformance/storage_samples.ts";
import {
  claimedTask,
  closedTaskCall,
  completedTask,
  createEntry,
  sampleTask,
} from "../conformance/storage_video_samples.ts";
import { startTestGateway } from "./gateway.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes:
      - id: builtin/echo-1
        provider: builtin
        upstream_model: echo-1
        cost: { input: "1", output: "2" }
        sale: { input: "2", output: "4" }
  - id: video-2
    kind: video
    routes:
      - { id: builtin/video-2, provider: builtin, upstream_model: video-2, sale: { free: true } }
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;

/** How much of a past. */
export interface HistoryOptions {
  /** Calls of the project `paying`; it is credited first when it has none. Default 3. */
  readonly calls?: number;
  /** Films that are said to be made: their bytes are none. Default 0. */
  readonly films?: number;
}

/** Lives on a data dir for a while and leaves it; gives the ids of the films made. */
export async function makeHistory(
  dataDir: string,
  { calls = 3, films = 0 }: HistoryOptions = {},
): Promise<readonly string[]> {
  await using gateway = await startTestGateway({ dataDir, catalogue: CATALOGUE });
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  for (let call = 0; call < calls; call++) {
    const messages = [{ role: "user", content: `Hello ${call}` }];
    const response = await gateway.chat({ model: "echo-1", messages }, { key });
    assert.equal(response.status, 200, await response.text());
  }
  await gateway.stop();
  return films === 0 ? [] : await storeFilms(dataDir, films);
}

/** Completed tasks of the project `default`, as the runner leaves them, without the rendering. */
async function storeFilms(dataDir: string, films: number): Promise<readonly string[]> {
  const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
  try {
    const { models } = (await storage.catalogue.load())!;
    const { prices } = models.flatMap(({ routes }) => routes).find(({ id }) =>
      id === "builtin/video-2"
    )!;
    const free = { priceVersion: prices.version, unlimited: true, heldE8: 0n };
    const unpaid = { ...free, costE8: 0n, saleE8: 0n, chargedE8: 0n };
    const ids: string[] = [];
    for (let film = 0; film < films; film++) {
      const callId = await storage.calls.lastCallId() + 1;
      const task = sampleTask({ callId, projectId: "default" });
      const claimed = claimedTask(task);
      const results = await commitEach(storage, [
        createEntry(task, free),
        { kind: "change_video", task: claimed },
        {
          kind: "change_video",
          task: completedTask(claimed),
          close: closedTaskCall(task, unpaid),
        },
      ]);
      assert.deepEqual(words(results), ["ok", "ok", "ok"]);
      await Deno.writeFile(`${dataDir}/videos/${task.id}.mp4`, new Uint8Array(FILM_BYTES), {
        mode: 0o600,
      });
      ids.push(task.id);
    }
    return ids;
  } finally {
    await storage.close();
  }
}

/** What a sample of a completed task says of its film. */
const FILM_BYTES = 1_000;

/** Runs with the path of a data dir that does not exist yet; `folder` is for whatever lies beside it. */
export async function withDataDir(
  run: (dataDir: string, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-data-" });
  try {
    await run(`${folder}/data`, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
