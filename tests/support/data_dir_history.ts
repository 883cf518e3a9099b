/**
 * A data dir with a past: a project that paid for calls, and a film.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startTestGateway } from "./gateway.ts";
import { until } from "./until.ts";

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
  /** Films. Default none. */
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
  const ids: string[] = [];
  for (let film = 0; film < films; film++) ids.push(await makeFilm(gateway.url, key));
  return ids;
}

async function makeFilm(url: string, key: string): Promise<string> {
  const headers = { "authorization": `Bearer ${key}`, "content-type": "application/json" };
  const created = await fetch(`${url}/v1/videos`, {
    method: "POST",
    headers,
    body: JSON.stringify({ prompt: "a kite", size: "640x360", seconds: "1" }),
  });
  const { id } = await created.json();
  await until("the film", async () => {
    const { status } = await (await fetch(`${url}/v1/videos/${id}`, { headers })).json();
    return status === "completed";
  });
  return id;
}

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
