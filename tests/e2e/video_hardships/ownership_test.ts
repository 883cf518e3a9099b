/**
 * A film is its project's alone: for any other key it is as if it had never been,
 * and no spelling of an id leads anywhere else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { RawSocket } from "../../support/raw_socket.ts";
import { assertErrorBody } from "../bad_input/answer_checks.ts";
import { type CreatedFilm, FilmGateway, SMALL_FILM } from "../../support/films/film_gateway.ts";

const PREFIXES = ["/v1", "/api/gateway/v1"];
const NEVER = `video_${"a".repeat(26)}`;

/** Everything that names a task in its path or query. */
const VERBS: readonly (readonly [method: string, path: (id: string) => string])[] = [
  ["GET", (id) => `/videos/${id}`],
  ["DELETE", (id) => `/videos/${id}`],
  ["GET", (id) => `/videos/${id}/content`],
  ["HEAD", (id) => `/videos/${id}/content`],
  ["GET", (id) => `/videos/${id}/content?variant=video`],
  ["GET", (id) => `/videos/${id}/content?variant=thumbnail`],
  ["GET", (id) => `/videos?after=${id}`],
];

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a caller can see, without what differs from request to request. */
async function answerTo(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const { "x-request-id": requestId, date: _date, ...headers } = Object.fromEntries(
    response.headers,
  );
  const body = await response.text();
  assert.match(requestId ?? "", /^req_/);
  return { status: response.status, headers, body: body.replaceAll(requestId!, "req") };
}

/** Sends a target as it is: `fetch` would tidy it up. */
async function rawStatus(
  { url }: FilmGateway,
  { method, target, key }: {
    readonly method: string;
    readonly target: string;
    readonly key: string;
  },
) {
  const { hostname, port } = new URL(url);
  using socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  await socket.send(
    `${method} ${target} HTTP/1.1\r\nHost: gateway.test\r\nAuthorization: Bearer ${key}\r\n` +
      "Connection: close\r\n\r\n",
  );
  return await socket.readResponse({ bodyless: method === "HEAD" });
}

Deno.test("another project's key cannot tell a film from one that never existed", async (test) => {
  await using films = await FilmGateway.start({ projects: ["shop", "studio"] });
  const done = await films.create();
  const open = await films.create({ model: "slow", seconds: 4 });
  const gone = await films.create();
  assert.equal(await films.remove(gone), 200);
  await films.untilStatus(done);
  const before = await films.show(done);

  for (const [method, path] of VERBS) {
    await test.step(`${method} ${path("{id}")}`, async () => {
      for (const prefix of PREFIXES) {
        const headers = { authorization: `Bearer ${films.keys.studio}` };
        const ask = (id: string) =>
          answerTo(films.url + prefix + path(id), {
            method,
            headers: { ...headers, range: "bytes=0-9", "if-none-match": "*" },
          });
        const never = await ask(NEVER);
        const isList = path("").includes("after");
        if (method !== "HEAD") {
          assertErrorBody(never, {
            status: isList ? 400 : 404,
            code: isList ? "invalid_value" : "video_not_found",
            param: isList ? "after" : null,
          });
        } else assert.deepEqual([never.status, never.body], [404, ""]);
        for (const { id } of [done, open, gone]) assert.deepEqual(await ask(id), never);
      }
    });
  }
  await test.step("a list", async () => {
    const { body } = await films.json("/videos?limit=100", { project: "studio" });
    assert.deepEqual([body.data, body.first_id, body.has_more], [[], null, false]);
  });
  await test.step("the call that bought it", async () => {
    const { status } = await films.json(`/calls/${done.requestId}`, { project: "studio" });
    assert.equal(status, 404);
  });

  assert.deepEqual(await films.show(done), before);
  assert.notEqual((await films.show(open)).status, "failed");
});

Deno.test("no id but the right one leads to a film, however it is written", async (test) => {
  await using films = await FilmGateway.start();
  const { id } = await films.create();
  await films.untilStatus({ id, requestId: "", project: "shop" });
  const wrong = [
    id.toUpperCase(),
    id.replace("video_", "VIDEO_"),
    `${id}.mp4`,
    `${id}%00`,
    `${id}%0a`,
    `${id}%0d%0a`,
    `${id}%20`,
    `${id}%2f`,
    `${id};a=b`,
    `%2e%2e%2f${id}`,
    `..%2fvideos%2f${id}`,
    `..%5c${id}`,
    `%00${id}`,
    `%c0%ae%c0%ae%2f${id}`,
    "..%2f..%2ftollgate.db",
    "..%2f",
    "%00",
    "%0a",
    "%ff",
    "%",
    "%zz",
    "*",
    "%25",
    "null",
    "undefined",
    "[object%20Object]",
    "'%20OR%20'1'='1",
    id.slice(0, -1),
    `${id}a`,
    `${id.slice(0, -1)}1`,
    "a".repeat(8_000),
    `video_${"a".repeat(4_000)}`,
    encodeURIComponent("video_" + "é".repeat(26)),
  ];
  for (const wrongId of wrong) {
    await test.step(wrongId.slice(0, 60), async () => {
      for (const prefix of PREFIXES) {
        for (const [method, path] of VERBS.filter(([, of]) => !of("").includes("?"))) {
          const target = prefix + path(wrongId);
          const { status, body } = await rawStatus(films, {
            method,
            target,
            key: films.keys.shop,
          });
          assert.equal(status, 404, `${method} ${target}: ${body}`);
          assert.doesNotMatch(body, /\.ts\b|\/tmp\/|sqlite|tollgate\.db/i);
        }
      }
      if (wrongId.endsWith(".mp4")) return;
      const { status } = await rawStatus(films, {
        method: "GET",
        target: `/videos/${wrongId}.mp4`,
        key: films.keys.shop,
      });
      assert.equal(status, 404);
    });
  }
  for (const target of [`/videos/${id}`, `/videos/${id}.webp`, `/videos/${id}.mp4/`, "/videos/"]) {
    const { status } = await rawStatus(films, { method: "GET", target, key: films.keys.shop });
    assert.equal(status, 404, target);
  }
  assert.equal((await films.show({ id, requestId: "", project: "shop" })).status, "completed");
});

Deno.test("a link works without a key, unless the operator keeps films to keys", async () => {
  await using films = await FilmGateway.start({ args: ["--public-links", "false"] });
  const film = await films.create();
  const shown = await films.untilStatus(film);
  assert.equal("output" in shown, false);
  const answers: Answer[] = [];
  for (const id of [film.id, NEVER]) {
    for (const init of [{}, { headers: { authorization: `Bearer ${films.keys.shop}` } }]) {
      answers.push(await answerTo(`${films.url}/videos/${id}.mp4`, init));
    }
  }
  assertErrorBody(answers[0]!, { status: 404, code: "video_not_found", param: null });
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  const content = await films.fetch(`/videos/${film.id}/content`);
  assert.equal((await content.bytes()).length, Number(content.headers.get("content-length")));
});

Deno.test("a key that is disabled, deleted or made up gets no film, nor tells one from none", async () => {
  await using films = await FilmGateway.start();
  const film = await films.create();
  await films.untilStatus(film);
  const second = await films.admin("POST", "/keys", { project: "shop" });
  const asked = { headers: { authorization: `Bearer ${second.key}` } };
  assert.equal((await answerTo(`${films.url}/v1/videos/${film.id}`, asked)).status, 200);

  for (const change of ["disable", "delete"]) {
    if (change === "disable") await films.admin("POST", `/keys/${second.id}/disable`);
    else await films.admin("DELETE", `/keys/${second.id}`);
    const code = change === "disable" ? "PROJECT_KEY_DISABLED" : "PROJECT_KEY_INVALID";
    for (const [method, path] of VERBS) {
      const ask = (id: string) => answerTo(`${films.url}/v1${path(id)}`, { ...asked, method });
      const never = await ask(NEVER);
      if (method !== "HEAD") assertErrorBody(never, { status: 401, code, param: null });
      assert.deepEqual(await ask(film.id), never);
    }
  }
  for (const authorization of ["", "Bearer sk-tg-" + "A".repeat(43), `Basic ${films.keys.shop}`]) {
    const headers = { authorization };
    const content = await answerTo(`${films.url}/v1/videos/${film.id}/content`, { headers });
    assert.equal(content.status, 401, authorization);
  }
  assert.equal((await films.show(film)).status, "completed");
});

Deno.test("a key makes films with the models that it may use only, and sees all of its project", async () => {
  await using films = await FilmGateway.start();
  const { key } = await films.admin("POST", "/keys", { project: "shop", models: ["slow"] });
  const post = (fields: object) =>
    answerTo(`${films.url}/v1/videos`, {
      method: "POST",
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...SMALL_FILM, ...fields }),
    });
  assertErrorBody(await post({}), { status: 403, code: "MODEL_NOT_ALLOWED", param: "model" });
  assertErrorBody(await post({ model: "no-such-model" }), {
    status: 404,
    code: "model_not_found",
    param: "model",
  });
  assert.equal((await films.json("/videos")).body.data.length, 0);
  // The only model that it may use is what it gets when it names none.
  const made = await post({ model: undefined });
  assert.equal(made.status, 200, made.body);
  const { id, model } = JSON.parse(made.body);
  assert.equal(model, "slow");
  const film: CreatedFilm = { id, requestId: "", project: "shop" };
  assert.equal((await films.show(film)).id, id);
  assert.equal(await films.remove(film), 200);
});
