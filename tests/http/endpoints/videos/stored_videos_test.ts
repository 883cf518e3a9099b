import assert from "node:assert/strict";
import { until } from "../../../support/until.ts";
import { FILM, refusal, startVideoScene, type Video } from "./video_scene.ts";

const MISSING = { status: 404, code: "video_not_found" } as const;
const STRANGE_IDS = [
  "video_",
  `video_${"a".repeat(26)}`,
  "..%2f..%2ftollgate.db",
  "%00",
  "%0a",
  "x".repeat(5_000),
  "%E0%A4%A",
];

Deno.test("GET and HEAD /v1/videos/{id}", async (test) => {
  await using at = await startVideoScene();
  const { ask } = at;
  const done = await at.completed();
  const waiting = await at.create();

  await test.step("show a film that is there, with its link, source and price", () => {
    assert.equal(done.output, `${at.gateway.url}/videos/${done.id}.mp4`);
    assert.deepEqual([done.provider, done.route, done.progress], ["soon", "soon/film", 100]);
    assert.deepEqual(done.pricing, {
      currency: "USD",
      cost_amount: "0.40000000",
      sale_amount: "1.00000000",
    });
  });

  await test.step("answer the same under both prefixes, and HEAD with the head alone", async () => {
    for (const prefix of ["/v1", "/api/gateway/v1"]) {
      const path = `/videos/${done.id}`;
      const response = await ask(path, { prefix });
      assert.deepEqual(await response.json(), done);
      assert.equal(response.headers.get("openai-poll-after-ms"), "2500");
      const head = await ask(path, { prefix, method: "HEAD" });
      assert.deepEqual([head.status, await head.text()], [200, ""]);
      assert.equal(head.headers.get("openai-poll-after-ms"), "2500");
    }
  });

  await test.step("answer the same for foreign, unknown and impossible ids, on every verb", async () => {
    const answers = new Set<string>();
    const attempts = [
      ...STRANGE_IDS.map((id) => [id, at.key] as const),
      [done.id, at.other] as const,
      [waiting.id, at.other] as const,
    ];
    for (const [id, key] of attempts) {
      for (const [method, rest] of [["GET", ""], ["DELETE", ""], ["GET", "/content"]] as const) {
        const response = await ask(`/videos/${id}${rest}`, { method, key });
        const { message } = await refusal(response, MISSING);
        answers.add(message);
      }
      const head = await ask(`/videos/${id}/content`, { method: "HEAD", key });
      assert.equal(head.status, 404);
    }
    assert.equal(answers.size, 1);
    assert.equal((await ask(`/videos/${waiting.id}`)).status, 200, "foreign DELETEs did nothing");
  });

  await test.step("ask for a key first", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await ask(`/videos/${done.id}`, { method, key: "sk-tg-nobody" });
      await refusal(response, { status: 401, code: "PROJECT_KEY_INVALID" });
    }
  });
});

Deno.test("GET and HEAD of a film's content", async (test) => {
  await using at = await startVideoScene();
  const { ask } = at;
  const { id } = await at.completed();
  const paths = [
    `/v1/videos/${id}/content`,
    `/api/gateway/v1/videos/${id}/content`,
    `/videos/${id}.mp4`,
  ];
  const open = (path: string, init: RequestInit = {}) =>
    fetch(at.gateway.url + path, {
      ...init,
      headers: {
        ...init.headers as Record<string, string>,
        ...(path.endsWith("content") && { authorization: `Bearer ${at.key}` }),
      },
    });

  for (const path of paths) {
    await test.step(`send it whole, in part and not at all from ${path.replace(id, "{id}")}`, async () => {
      const whole = await open(path);
      assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), FILM);
      const { headers } = whole;
      assert.deepEqual(
        [
          "content-type",
          "accept-ranges",
          "cache-control",
          "x-content-type-options",
          "content-disposition",
        ]
          .map((name) => headers.get(name)),
        ["video/mp4", "bytes", "private, no-cache", "nosniff", `inline; filename="${id}.mp4"`],
      );
      const etag = headers.get("etag")!;
      assert.match(etag, /^"[0-9a-f]{64}"$/);
      const head = await open(path, { method: "HEAD" });
      assert.deepEqual(
        [
          head.status,
          head.headers.get("content-length"),
          head.headers.get("etag"),
          await head.text(),
        ],
        [200, "2000", etag, ""],
      );
      const part = await open(path, { headers: { range: "bytes=-5", "if-range": etag } });
      assert.deepEqual([part.status, part.headers.get("content-range")], [
        206,
        "bytes 1995-1999/2000",
      ]);
      assert.deepEqual(new Uint8Array(await part.arrayBuffer()), FILM.slice(-5));
      const known = await open(path, { headers: { "if-none-match": etag } });
      assert.deepEqual([known.status, await known.text()], [304, ""]);
      await refusal(await open(path, { headers: { range: "bytes=2000-" } }), {
        status: 416,
        code: "range_not_satisfiable",
      });
    });
  }

  await test.step("refuse variants that are not there, and a film that is not ready", async () => {
    const thumbnail = await ask(`/videos/${id}/content?variant=thumbnail`);
    await refusal(thumbnail, { status: 404, code: "video_not_found", param: "variant" });
    const sheet = await ask(`/videos/${id}/content?variant=spritesheet`);
    await refusal(sheet, { status: 400, code: "not_supported", param: "variant" });
    const other = await ask(`/videos/${id}/content?variant=audio`);
    await refusal(other, { status: 400, code: "invalid_value", param: "variant" });
    const waiting = await at.create();
    await refusal(await ask(`/videos/${waiting.id}/content`), {
      status: 400,
      code: "video_not_ready",
    });
    assert.equal((await open(`/videos/${waiting.id}.mp4`)).status, 404);
  });

  await test.step("know no other links", async () => {
    for (const file of [id, `${id}.webp`, `${id}.mp4.part`, `..%2fvideos%2f${id}.mp4`, "%00.mp4"]) {
      const response = await open(`/videos/${file}`);
      await refusal(response, MISSING);
    }
  });

  await test.step("say that a film is gone when its file is", async () => {
    await Deno.remove(`${at.gateway.dataDir}/videos/${id}.mp4`);
    for (const path of paths) await refusal(await open(path), MISSING);
  });
});

Deno.test("DELETE /v1/videos/{id}", async (test) => {
  await using at = await startVideoScene();
  const { ask } = at;

  await test.step("removes a film with its file and link, once, with the body that Python sends", async () => {
    const { id } = await at.completed();
    const init = { method: "DELETE", headers: { "content-type": "application/json" }, body: "{}" };
    const response = await ask(`/videos/${id}`, init);
    assert.deepEqual(await response.json(), { id, object: "video.deleted", deleted: true });
    await refusal(await ask(`/videos/${id}`, init), MISSING);
    await refusal(await ask(`/videos/${id}`), MISSING);
    await refusal(await fetch(`${at.gateway.url}/videos/${id}.mp4`), MISSING);
    assert.deepEqual(await fileNames(at.gateway.dataDir), []);
  });

  await test.step("stops a job that is under way at its upstream, under the other prefix too", async () => {
    const { id } = await at.create();
    const job = await at.never.received("start").then(() =>
      until("its job", async () => (await at.gateway.running.admin.storage.videos.find(id))?.job)
    );
    const response = await ask(`/videos/${id}`, { method: "DELETE", prefix: "/api/gateway/v1" });
    assert.equal(response.status, 200);
    await until("the cancelling", () => at.never.cancelled.includes(job.id));
  });
});

Deno.test("GET /v1/videos", async (test) => {
  await using at = await startVideoScene();
  const { ask } = at;
  const list = async (query = "", init = {}) => {
    const response = await ask(`/videos${query}`, init);
    const page: {
      readonly object: string;
      readonly data: readonly Video[];
      readonly first_id: string | null;
      readonly last_id: string | null;
      readonly has_more: boolean;
    } = await response.json();
    return { ...page, ids: page.data.map(({ id }) => id) };
  };

  await test.step("is an empty page at first", async () => {
    const { ids: _ids, ...page } = await list();
    assert.deepEqual(page, {
      object: "list",
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    ids.push((await at.create({ prompt: `Hill ${count}` })).id);
  }
  const newest = ids.toReversed();
  await at.create({}, { key: at.other });

  await test.step("is newest first, the project's own, under both prefixes", async () => {
    assert.deepEqual((await list()).ids, newest);
    assert.deepEqual((await list("", { prefix: "/api/gateway/v1" })).ids, newest);
    assert.equal((await list("", { key: at.other })).ids.length, 1);
    assert.deepEqual((await list("?order=asc")).ids, ids);
  });

  await test.step("goes on page by page without a gap, either way", async () => {
    for (const [order, all] of [["desc", newest], ["asc", ids]] as const) {
      const seen: string[] = [];
      for (let after = "";;) {
        const page = await list(`?limit=2&order=${order}${after}`);
        assert.deepEqual([page.first_id, page.last_id], [page.ids[0], page.ids.at(-1)]);
        seen.push(...page.ids);
        if (!page.has_more) break;
        after = `&after=${page.last_id}`;
      }
      assert.deepEqual(seen, all);
    }
  });

  await test.step("may have no entries, and at most 100", async () => {
    const none = await list("?limit=0");
    assert.deepEqual([none.ids, none.has_more, none.last_id], [[], false, null]);
    assert.deepEqual((await list("?limit=100")).ids, newest);
    assert.deepEqual((await list("?limit=5")).has_more, false);
  });

  for (
    const [query, param] of [
      ["limit=101", "limit"],
      ["limit=-1", "limit"],
      ["limit=1e1", "limit"],
      ["limit=", "limit"],
      ["order=newest", "order"],
      ["after=", "after"],
      ["after=nothing", "after"],
      [`after=video_${"a".repeat(26)}`, "after"],
    ] as const
  ) {
    await test.step(`refuses ${query}`, async () => {
      await refusal(await ask(`/videos?${query}`), { status: 400, code: "invalid_value", param });
    });
  }

  await test.step("does not go on from another project's task", async () => {
    const response = await ask(`/videos?after=${ids[0]}`, { key: at.other });
    await refusal(response, { status: 400, code: "invalid_value", param: "after" });
  });

  await test.step("does not count as a use of an id, unlike asking for it", async () => {
    const find = () => at.gateway.running.admin.storage.videos.find(ids[0]!);
    assert.equal((await find())?.isIdUsed, false);
    await (await ask(`/videos/${ids[0]}`, { key: at.other })).body?.cancel();
    assert.equal((await find())?.isIdUsed, false);
    await (await ask(`/videos/${ids[0]}`)).body?.cancel();
    await until("the note", async () => (await find())?.isIdUsed);
  });
});

Deno.test("operations of videos that do not exist here are refused by name, with a key", async () => {
  await using at = await startVideoScene();
  const { id } = await at.create();
  const operations = [
    ["POST", `/videos/${id}/remix`, "remix"],
    ["POST", "/videos/edits", "edits"],
    ["POST", "/videos/extensions", "extensions"],
    ["POST", "/videos/characters", "characters"],
    ["GET", "/videos/characters/char_1", "characters"],
  ] as const;
  for (const prefix of ["/v1", "/api/gateway/v1"]) {
    for (const [method, path, name] of operations) {
      const { message } = await refusal(await at.ask(path, { method, prefix }), {
        status: 400,
        code: "not_supported",
      });
      assert.match(message, new RegExp(`^'${name}' of videos is not supported here`));
      assert.equal((await at.ask(path, { method, prefix, key: "sk-tg-no" })).status, 401);
    }
    for (const [method, path] of [["PUT", `/videos/${id}`], ["DELETE", "/videos"]] as const) {
      const response = await at.ask(path, { method, prefix });
      assert.ok(response.headers.get("allow")?.includes("GET"));
      await refusal(response, { status: 405, code: "method_not_allowed" });
    }
  }
});

async function fileNames(dataDir: string): Promise<string[]> {
  return await Array.fromAsync(Deno.readDir(`${dataDir}/videos`), ({ name }) => name);
}
