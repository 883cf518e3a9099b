/**
 * Two executables over one database have no more unfinished films of a project than it may.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startFakeUpstream } from "../support/fake_upstream.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { waitingFilms } from "./videos/scene.ts";

const server = postgresOfFile();

const FILM = { model: "film", prompt: "A kite", size: "640x360", seconds: "4" };
const MOST = 3;

/** Asks for a film, and again while a hindrance passes. */
async function create({ url }: ServedGateway, key: string): Promise<Response> {
  for (;;) {
    const response = await fetch(`${url}/v1/videos`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(FILM),
    });
    if (response.status !== 503) return response;
    await response.body?.cancel();
  }
}

Deno.test("two nodes have as many unfinished films as a project may", NEEDS_POSTGRES, async () => {
  await using upstream = await startFakeUpstream(() => new Promise(() => {}));
  await server.create("films");
  const env = { TOLLGATE_DATABASE_URL: server.url("films") };
  await using first = await serveGateway({ env });
  const limited = `id: shop, unlimited: true, limits: { open_video_tasks: ${MOST} }`;
  await first.apply(waitingFilms(upstream.url, "id: default, unlimited: true", limited));
  const key = await first.key("shop");
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
  await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
  await using second = await serveGateway({ dataDir, env, expectKey: false });
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, at) => create(at % 2 === 0 ? first : second, key)),
  );
  const answers = await Promise.all(
    responses.map(async (response) => ({ status: response.status, body: await response.json() })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, MOST);
  for (const { status, body } of answers) {
    if (status === 200) continue;
    assert.equal(status, 429);
    assert.match(
      body.error.message,
      /^This project's limit of 3 unfinished video tasks is reached/,
    );
  }
});
