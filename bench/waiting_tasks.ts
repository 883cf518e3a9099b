/**
 * Fills a data dir with video tasks that wait, through the gateway's own storage.
 *
 * @module
 */

import type { OpenCall } from "../src/domain/call.ts";
import { randomName } from "../src/domain/ids.ts";
import { NEW_TASK, type VideoTask } from "../src/domain/video_task.ts";
import type { Entry } from "../src/storage/ports/entry.ts";
import { createSqliteStorage } from "../src/storage/sqlite/sqlite_storage.ts";

const BATCH = 5_000;
const ID_CHARACTERS = 26;

/** How many tasks there are and whose. */
export interface WaitingTasks {
  readonly tasks: number;
  readonly projects: number;
  /** Of a video model in the catalogue. */
  readonly model: string;
}

/** Adds projects with queued tasks while no process has the data dir. */
export async function addWaitingTasks(
  dataDir: string,
  { tasks, projects, model }: WaitingTasks,
): Promise<void> {
  const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
  try {
    const catalogue = await storage.catalogue.load();
    const [route] = catalogue!.models.find(({ id }) => id === model)!.routes;
    const firstId = await storage.calls.lastCallId() + 1;
    const entries = [
      ...Array.from({ length: projects }, (_, index) => newProject(index)),
      ...Array.from({ length: tasks }, (_, index) =>
        newTask({
          callId: firstId + index,
          requestId: `req_bench_${index.toString(36)}`,
          projectId: projectId(index % projects),
          keyId: "key_bench",
          capability: "videos",
          model,
          provider: route!.providerId,
          route: route!.id,
          priceVersion: route!.prices.version,
          heldE8: 0n,
          unlimited: true,
          stream: false,
          openedAt: Date.now(),
          video: { size: "640x360", seconds: 1 },
        })),
    ];
    for (let first = 0; first < entries.length; first += BATCH) {
      for (const result of await storage.commitBatch(entries.slice(first, first + BATCH))) {
        if (!result.ok) throw new Error(`Cannot fill the database: ${result.message}`);
      }
    }
    await storage.writeSums();
  } finally {
    await storage.close();
  }
}

function projectId(index: number): string {
  return `waits-${index}`;
}

function newProject(index: number): Entry {
  return {
    kind: "create_project",
    project: {
      id: projectId(index),
      unlimited: true,
      disabled: false,
      models: ["*"],
      limits: {},
      budgets: {},
      quotas: {},
      createdAt: 0,
    },
  };
}

function newTask(call: OpenCall): Entry {
  const { callId, requestId, projectId, keyId, model, provider, route, openedAt, video } = call;
  const task: VideoTask = {
    id: `video_${randomName(ID_CHARACTERS)}`,
    callId,
    requestId,
    projectId,
    keyId,
    model,
    prompt: "A red fox runs through falling snow in a pine forest at dawn",
    ...video!,
    wishes: { provider: undefined, route: undefined, preference: undefined, excludeRiskLevels: [] },
    fields: {},
    referenceType: undefined,
    callbackUrl: undefined,
    fingerprint: requestId,
    createdAt: openedAt,
    provider,
    route,
    ...NEW_TASK,
  };
  return { kind: "create_video", task, call };
}
