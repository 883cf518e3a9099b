/**
 * Whatever is wrong with a request for a film, its answer names it, and nothing is
 * stored, held, charged or fetched for it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startFakeVideoServer } from "../../support/fake_video_server.ts";
import { RawSocket } from "../../support/raw_socket.ts";
import { greyRows, pngFile } from "../../../render/tests/images/png_file.ts";
import {
  JPEG,
  LOSSLESS_WEBP,
  LOSSY_WEBP,
  makeImage,
  needsFfmpeg,
} from "../../../render/tests/film_probe.ts";
import { assertErrorBody, assertTellsNothing } from "../bad_input/answer_checks.ts";
import { BAD_BODIES, BAD_FIELDS } from "./bad_fields.ts";
import { type BadFilm, filmForm, filmJson, FORM_TYPE } from "./bad_film.ts";
import { BAD_FORMS } from "./bad_forms.ts";
import { badImages } from "./bad_images.ts";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { filmCatalogue, UPSTREAM_KEYS } from "../../support/films/film_catalogue.ts";
import { FilmGateway } from "../../support/films/film_gateway.ts";

const TALK = `  - id: talk
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, free: true }]
projects:`;

async function start(): Promise<FilmGateway> {
  return await FilmGateway.start({ catalogue: filmCatalogue().replace("projects:", TALK) });
}

/** Nothing is stored or held, and the program takes calls. */
async function assertUntouched(films: FilmGateway): Promise<void> {
  const { body: list } = await films.json("/videos");
  assert.deepEqual(list.data, []);
  assert.deepEqual(films.folder(), []);
  const { body: { project } } = await films.json("/key");
  assert.deepEqual([project.balance, project.held], ["100.00000000", "0.00000000"]);
}

/** Sends the request byte for byte: `fetch` would refuse to send some of it. */
async function post(films: FilmGateway, { type, headers, body }: BadFilm) {
  const { hostname, port } = new URL(films.url);
  using socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const lines: Record<string, string | undefined> = {
    "host": "gateway.test",
    "authorization": `Bearer ${films.keys.shop}`,
    "content-type": type,
    "content-length": bytes === undefined ? undefined : String(bytes.length),
    ...headers,
  };
  const head = Object.entries(lines).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await socket.send(`POST /v1/videos HTTP/1.1\r\n${head}\r\n`);
  if (bytes !== undefined) await socket.send(bytes);
  const answer = await socket.readResponse();
  // It was read byte by byte.
  const text = Uint8Array.from(answer.body, (character) => character.charCodeAt(0));
  return { ...answer, body: new TextDecoder().decode(text) };
}

async function assertAllRefused(
  films: FilmGateway,
  test: Deno.TestContext,
  cases: readonly BadFilm[],
): Promise<void> {
  for (const bad of cases) {
    await test.step(bad.name, async () => {
      const sent = "type" in bad ? bad : { ...bad, type: "application/json" };
      const { status, headers, body } = await post(films, sent);
      assert.match(headers.get("x-request-id") ?? "", /^req_[\w-]+$/);
      const { code = "invalid_value", param = null, hasRoutes = false } = bad;
      assertErrorBody({ status, body }, { status: bad.status ?? 400, code, param, hasRoutes });
      assertTellsNothing(body, {
        key: films.keys.shop,
        port: Number(new URL(films.url).port),
        upstreamKey: UPSTREAM_KEYS.UPSTREAM_KEY_A,
      });
      assert.equal(body.includes(films.dataDir), false);
    });
  }
  await assertUntouched(films);
}

/** The program still makes films, its books add up, and its log has nothing that it should not. */
async function assertWell(films: FilmGateway): Promise<void> {
  const film = await films.create();
  assert.equal((await films.untilStatus(film)).status, "completed");
  await assertBooksClosed(films);
  const { code } = await films.server.stop();
  assert.equal(code, 0);
  assert.equal(films.log.includes(films.keys.shop), false);
  assert.doesNotMatch(films.log, /internal_error|TypeError|RangeError|\.ts:\d|^\s+at /m);
}

Deno.test("wrong fields of a film are named, and nothing is stored for them", async (test) => {
  await using films = await start();
  await assertAllRefused(films, test, [...BAD_FIELDS, ...BAD_BODIES]);
  await assertWell(films);
});

Deno.test("forms that are cut off, or wrong, are refused whole", async (test) => {
  await using films = await start();
  await assertAllRefused(films, test, BAD_FORMS);
  await assertWell(films);
});

Deno.test("what is no image is refused before anything is stored", needsFfmpeg, async (test) => {
  await using films = await start();
  const good = {
    jpeg: await makeImage("161x91", ...JPEG),
    webp: await makeImage("161x91", ...LOSSY_WEBP),
    "lossless webp": await makeImage("161x91", ...LOSSLESS_WEBP),
  };
  await assertAllRefused(films, test, badImages(good));
  await assertWell(films);
});

Deno.test("an image that inflates to much more than it says does no harm", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using films = await start();
  // 200 MB of pixels in 200 KB, for a picture of 64 by 64.
  const bomb = pngFile(64, 64, new Uint8Array(200_000_000));
  assert.ok(bomb.length < 500_000);
  const before = await peakBytes(films);
  const { status, body } = await post(films, {
    name: "a bomb",
    type: FORM_TYPE,
    body: filmForm([["input_reference", bomb, "image/png"]]),
  });
  assertErrorBody({ status, body }, {
    status: 400,
    code: "invalid_value",
    param: "input_reference",
  });
  assert.ok(await peakBytes(films) - before < 150_000_000, "it was inflated");
  await assertUntouched(films);
  await assertWell(films);
});

Deno.test("nothing that a caller writes is fetched to make a film", async () => {
  await using canary = startFakeVideoServer({ manners: "openai" });
  await using films = await start();
  const { origin } = new URL(canary.url);
  const address = `${origin}/image.png`;
  for (
    const reference of [address, { image_url: address }, { image_url: { url: address } }, [address]]
  ) {
    const { status } = await post(films, {
      name: "an address",
      type: "application/json",
      body: filmJson({ input_reference: reference }),
    });
    assert.equal(status, 400);
  }
  const { status, body } = await post(films, {
    name: "a form",
    type: FORM_TYPE,
    body: filmForm([["input_reference", address]]),
  });
  assertErrorBody({ status, body }, {
    status: 400,
    code: "invalid_value",
    param: "input_reference",
  });
  for (const name of ["base_url", "api_base", "callback_url"]) {
    const { status } = await post(films, {
      name,
      type: "application/json",
      body: filmJson({ [name]: origin, seconds: 13 }),
    });
    assert.equal(status, 400);
  }
  assert.equal(canary.requests.length, 0);
  await assertUntouched(films);
  await assertWell(films);
});

Deno.test("an upload of 200 MB is refused early, by an answer that its sender can read", async () => {
  await using films = await start();
  const { hostname, port } = new URL(films.url);
  const total = 200_000_000;
  for (const framing of ["content-length", "transfer-encoding"]) {
    using socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
    const length = framing === "content-length" ? total : "chunked";
    await socket.send(
      `POST /v1/videos HTTP/1.1\r\nHost: gateway.test\r\nAuthorization: Bearer ${films.keys.shop}\r\n` +
        `Content-Type: ${FORM_TYPE}\r\n${framing}: ${length}\r\n\r\n`,
    );
    const piece = new Uint8Array(1_000_000).fill(0x61);
    let sent = 0;
    let isAnswered = false;
    const answer = socket.readResponse().finally(() => isAnswered = true);
    while (sent < total && !isAnswered) {
      if (framing === "transfer-encoding") await socket.send(`${piece.length.toString(16)}\r\n`);
      await socket.send(piece);
      if (framing === "transfer-encoding") await socket.send("\r\n");
      sent += piece.length;
    }
    const { status, body } = await answer;
    assertErrorBody({ status, body }, { status: 413, code: "request_too_large", param: null });
    // What is announced as too large is not waited for.
    assert.ok(sent < (framing === "content-length" ? total / 10 : total), `after ${sent} bytes`);
    await assertUntouched(films);
  }
  await assertWell(films);
});

Deno.test("odd but good requests for a film are taken", async () => {
  await using films = await start();
  const image = pngFile(64, 64, greyRows(64, 64));
  const good: Readonly<Record<string, BadFilm>> = {
    "a prompt of 32,000 characters": { name: "", body: filmJson({ prompt: "x".repeat(32_000) }) },
    "32,000 characters of two code units": {
      name: "",
      body: filmJson({ prompt: "🪁".repeat(32_000) }),
    },
    "a lone surrogate": { name: "", body: filmJson().replace("red", "\\ud800") },
    "null for what is left out": {
      name: "",
      body: filmJson({ size: null, callback_url: null, input_reference: null, provider: null }),
    },
    "a field of another prototype": {
      name: "",
      body: filmJson().replace("{", '{"__proto__": {"model": "slow", "x": 1},'),
    },
    "seconds as a text": { name: "", body: filmJson({ seconds: "1" }) },
    "a quoted boundary": {
      name: "",
      type: FORM_TYPE.replace(/boundary=(.*)/, 'boundary="$1"'),
      body: filmForm([["input_reference", image, "application/octet-stream"]]),
    },
    "a form of fields": {
      name: "",
      type: "application/x-www-form-urlencoded",
      body: "model=film&prompt=a+kite&size=64x64&seconds=1",
    },
  };
  for (const [name, request] of Object.entries(good)) {
    const sent = "type" in request ? request : { ...request, type: "application/json" };
    const { status, body, headers } = await post(films, sent);
    assert.equal(status, 200, `${name}: ${body}`);
    assert.equal(JSON.parse(body).model, "film", name);
    const film = {
      id: JSON.parse(body).id,
      requestId: headers.get("x-request-id")!,
      project: "shop",
    } as const;
    assert.equal((await films.untilStatus(film)).status, "completed", name);
  }
  await assertBooksClosed(films);
});

Deno.test("wrong questions about films are answered by name", async (test) => {
  await using films = await start();
  const film = await films.create();
  await films.untilStatus(film);
  const size = (await films.admin("GET", `/videos/${film.id}`)).file.bytes;
  const queries: readonly (readonly [query: string, param: string])[] = [
    ...["-1", "101", "1e1", "4.5", "x", "", "٤", "NaN", " 1", "01", "999999999999"].map((limit) =>
      [`limit=${encodeURIComponent(limit)}`, "limit"] as const
    ),
    ...["up", "", "DESC", "asc;", "desc,asc"].map((order) =>
      [`order=${encodeURIComponent(order)}`, "order"] as const
    ),
    ...["", "x", "video_", "%00", "..%2f", "%27", `${film.id}x`].map((after) =>
      [`after=${after}`, "after"] as const
    ),
  ];
  for (const [query, param] of queries) {
    await test.step(`?${query}`, async () => {
      const { status, body } = await films.json(`/videos?${query}`);
      assertErrorBody({ status, body: JSON.stringify(body) }, {
        status: 400,
        code: "invalid_value",
        param,
      });
    });
  }
  for (const variant of ["", "x", "VIDEO", "spritesheet", "..%2f", "%00"]) {
    await test.step(`?variant=${variant}`, async () => {
      const { status, body } = await films.json(`/videos/${film.id}/content?variant=${variant}`);
      assert.deepEqual([status, body.error.param], [400, "variant"]);
    });
  }
  const ignored = ["bytes=5-2", "bytes=-", "bytes=a-b", "bytes=1-2,4-5", "items=0-5", "bytes 0-5"];
  for (const range of [...ignored, "bytes=-0x1", "bytes=0-1-2", "bytes=٠-٥", "x".repeat(5_000)]) {
    await test.step(`Range: ${range.slice(0, 20)}`, async () => {
      const sent = unescape(encodeURIComponent(range));
      const response = await films.fetch(`/videos/${film.id}/content`, {
        headers: { range: sent },
      });
      assert.equal(response.status, 200);
      assert.equal((await response.bytes()).length, size);
    });
  }
  const beyond = [`bytes=${size}-`, "bytes=99999999999999999999-", "bytes=-0"];
  for (const range of beyond) {
    await test.step(`Range: ${range}`, async () => {
      const response = await films.fetch(`/videos/${film.id}/content`, { headers: { range } });
      const body = await response.text();
      assertErrorBody({ status: response.status, body }, {
        status: 416,
        code: "range_not_satisfiable",
        param: null,
      });
      assert.equal(response.headers.get("content-range"), `bytes */${size}`);
    });
  }
  await test.step("methods that there are not", async () => {
    for (const [method, path] of [["PUT", ""], ["PATCH", `/${film.id}`], ["POST", `/${film.id}`]]) {
      const { status, body } = await films.json(`/videos${path}`, { method: method! });
      assertErrorBody({ status, body: JSON.stringify(body) }, {
        status: 405,
        code: "method_not_allowed",
        param: null,
      });
    }
  });
  await assertWell(films);
});

/** The most memory that the program has had, from the kernel. */
async function peakBytes({ server }: FilmGateway): Promise<number> {
  const { stdout } = await new Deno.Command("cat", {
    args: [`/proc/${server.process.pid}/status`],
  }).output();
  return Number(/VmHWM:\s+(\d+) kB/.exec(new TextDecoder().decode(stdout))![1]) * 1024;
}
