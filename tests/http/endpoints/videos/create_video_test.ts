import assert from "node:assert/strict";
import { greyRows, pngFile } from "../../../../render/tests/images/png_file.ts";
import { refusal, startVideoScene } from "./video_scene.ts";

const PNG = pngFile(64, 36, greyRows(64, 36)) as Uint8Array<ArrayBuffer>;
const PNG_URL = `data:image/png;base64,${PNG.toBase64()}`;

Deno.test("POST /v1/videos", async (test) => {
  await using at = await startVideoScene();
  const { ask, post, postForm, create } = at;

  await test.step("takes JSON under both prefixes and tells when to ask again", async () => {
    for (const prefix of ["/v1", "/api/gateway/v1"]) {
      const response = await post({ model: "sora-2", prompt: "A hill", seconds: 8 }, { prefix });
      const video = await response.json();
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("openai-poll-after-ms"), "2500");
      assert.match(response.headers.get("x-request-id")!, /^req_/);
      assert.equal(response.headers.get("idempotent-replayed"), null);
      assert.deepEqual(
        [video.object, video.model, video.status, video.progress, video.size, video.seconds],
        ["video", "never", "queued", 0, "640x360", "8"],
      );
      assert.equal("pricing" in video || "output" in video, false);
    }
  });

  await test.step("takes the form that SDKs send, with nested names and a file", async () => {
    const response = await postForm([
      ["model", "never"],
      ["prompt", "Ein Hügel"],
      ["seconds", "4"],
      ["size", "1280x720"],
      ["seed", "7"],
      ["source_policy[exclude_risk_levels][]", "high"],
      ["input_reference", new File([PNG], "a.png", { type: "image/png" })],
    ]);
    const video = await response.json();
    assert.equal(response.status, 200, JSON.stringify(video));
    const task = await at.gateway.running.admin.storage.videos.find(video.id);
    assert.equal(task?.prompt, "Ein Hügel");
    assert.deepEqual(task?.wishes.excludeRiskLevels, ["high"]);
    assert.deepEqual(task?.fields, { seed: "7" });
    assert.equal(task?.referenceType, "image/png");
  });

  await test.step("takes a data URL in a form's nested field and in JSON", async () => {
    const inForm = await postForm([
      ["model", "never"],
      ["prompt", "A hill"],
      ["input_reference[image_url]", PNG_URL],
    ]);
    assert.equal(inForm.status, 200, await inForm.text());
    for (const reference of [PNG_URL, { image_url: PNG_URL }, { image_url: { url: PNG_URL } }]) {
      await create({ input_reference: reference });
    }
  });

  await test.step("takes a urlencoded form", async () => {
    const body = new URLSearchParams({ model: "never", prompt: "A hill", seconds: "8" });
    const response = await ask("/videos", { method: "POST", body });
    assert.equal((await response.json()).seconds, "8");
  });

  const before = await count(at);
  const refused: readonly (readonly [
    what: string,
    body: unknown,
    expected: { status: number; code: string; param?: string },
  ])[] = [
    ["no prompt", {}, { status: 400, code: "missing_required_parameter", param: "prompt" }],
    ["two video models and no choice", { model: undefined, prompt: "A" }, {
      status: 400,
      code: "missing_required_parameter",
      param: "model",
    }],
    ["an unknown model", { model: "none", prompt: "A" }, {
      status: 404,
      code: "model_not_found",
      param: "model",
    }],
    ["a chat model", { model: "echo-1", prompt: "A" }, {
      status: 400,
      code: "invalid_value",
      param: "model",
    }],
    ["a size that is not offered", { prompt: "A", size: "1x99999" }, {
      status: 400,
      code: "invalid_value",
      param: "size",
    }],
    ["seconds that are not offered", { prompt: "A", seconds: 5 }, {
      status: 400,
      code: "invalid_value",
      param: "seconds",
    }],
    ["an address to fetch an image from", { prompt: "A", input_reference: "https://a/b.png" }, {
      status: 400,
      code: "invalid_value",
      param: "input_reference",
    }],
    ["base64 that is none", { prompt: "A", input_reference: "data:image/png;base64,!" }, {
      status: 400,
      code: "invalid_value",
      param: "input_reference",
    }],
    ["an image that is none", { prompt: "A", input_reference: "data:image/png;base64,AAAA" }, {
      status: 400,
      code: "invalid_value",
      param: "input_reference",
    }],
    ["an empty image", { prompt: "A", input_reference: "data:image/png;base64," }, {
      status: 400,
      code: "invalid_value",
      param: "input_reference",
    }],
    ["a file by its id", { prompt: "A", input_reference: { file_id: "file_1" } }, {
      status: 400,
      code: "not_supported",
      param: "input_reference.file_id",
    }],
    ["a callback to this machine", { prompt: "A", callback_url: "http://127.0.0.1/" }, {
      status: 400,
      code: "invalid_value",
      param: "callback_url",
    }],
    ["a callback without a secret to sign with", {
      prompt: "A",
      callback_url: "https://a.example/",
    }, {
      status: 400,
      code: "invalid_value",
      param: "callback_url",
    }],
    ["fields without end", { prompt: "A", seed: "x".repeat(70_000) }, {
      status: 413,
      code: "request_too_large",
    }],
  ];
  for (const [what, body, expected] of refused) {
    await test.step(`refuses ${what}`, async () => {
      await refusal(await post({ model: "never", ...body as object }), expected);
    });
  }

  await test.step("refuses a field that no route passes on, naming it for each route", async () => {
    const response = await post({ model: "never", prompt: "A", made_up: 1 });
    const { error } = await response.json();
    assert.equal(response.status, 400);
    assert.deepEqual(error.routes.map(({ reason }: { reason: string }) => reason), [
      "field_not_passed",
    ]);
  });

  await test.step("refuses a file in any other field, and one that has fields", async () => {
    const file = new File([PNG], "a.png");
    for (const name of ["seed", "mask", "prompt"]) {
      const parts = [["model", "never"], ["prompt", "A"]].filter(([one]) => one !== name);
      await refusal(await postForm([...parts as [string, string][], [name, file]]), {
        status: 400,
        code: "invalid_value",
        param: name,
      });
    }
    await refusal(
      await postForm([["prompt", "A"], ["input_reference", file], [
        "input_reference[length]",
        "9",
      ]]),
      { status: 400, code: "invalid_value", param: "input_reference[length]" },
    );
  });

  await test.step("refuses other content types, broken JSON and broken forms", async () => {
    const send = (type: string, body: string) =>
      ask("/videos", { method: "POST", headers: { "content-type": type }, body });
    await refusal(await send("text/plain", "{}"), {
      status: 415,
      code: "unsupported_content_type",
    });
    await refusal(await send("application/json", "{"), { status: 400, code: "invalid_json" });
    await refusal(await send("multipart/form-data; boundary=x", "--x\r\n"), {
      status: 400,
      code: "malformed_request",
    });
    await refusal(await send("multipart/form-data", "--x\r\n"), {
      status: 400,
      code: "malformed_request",
    });
  });

  await test.step("refuses without a key before it reads a body", async () => {
    await refusal(await post("{", { key: "sk-tg-nobody" }), {
      status: 401,
      code: "PROJECT_KEY_INVALID",
    });
  });

  await test.step("refuses a key that may not use the model, and one whose project has no money", async () => {
    const narrow = await at.gateway.key("default", ["soon"]);
    await refusal(await post({ model: "never", prompt: "A" }, { key: narrow }), {
      status: 403,
      code: "MODEL_NOT_ALLOWED",
      param: "model",
    });
    const poor = await at.gateway.key("paying");
    const { status, headers } = await post({ model: "never", prompt: "A" }, { key: poor });
    assert.deepEqual([status, headers.get("x-should-retry")], [402, "false"]);
  });

  assert.equal(await count(at), before, "nothing that was refused was stored");
  assert.doesNotMatch(at.gateway.log(), /Ein Hügel|A hill/, "prompts are not for the log");
});

Deno.test("POST /v1/videos with an Idempotency-Key", async (test) => {
  await using at = await startVideoScene();
  const { post, create } = at;
  const body = { model: "never", prompt: "A hill" };
  const headers = { "idempotency-key": "key-1" };

  await test.step("gives the same answer to the same request, also at one time and elsewhere", async () => {
    const [first, ...rest] = await Promise.all([
      post(body, { headers }),
      post({ prompt: "A hill", model: "never" }, { headers }),
      post(body, { headers, prefix: "/api/gateway/v1" }),
    ].map(async (sent) => {
      const response = await sent;
      return { text: await response.text(), replayed: response.headers.get("idempotent-replayed") };
    }));
    assert.equal(new Set([first, ...rest].map((one) => one!.text)).size, 1);
    assert.deepEqual([first, ...rest].map((one) => one!.replayed).sort(), [null, "true", "true"]);
    assert.equal(await count(at), 1);
  });

  await test.step("refuses another request under the key, and a key that is none", async () => {
    await refusal(await post({ ...body, seconds: 8 }, { headers }), {
      status: 400,
      code: "idempotency_key_reused",
      param: "Idempotency-Key",
    });
    await refusal(await post(body, { headers: { "idempotency-key": "a b" } }), {
      status: 400,
      code: "invalid_value",
      param: "Idempotency-Key",
    });
  });

  await test.step("belongs to its project alone", async () => {
    const response = await post(body, { headers, key: at.other });
    assert.equal(response.headers.get("idempotent-replayed"), null);
    assert.equal(await count(at), 2);
  });

  await test.step("is free again after a refusal", async () => {
    const again = { headers: { "idempotency-key": "key-2" } };
    assert.equal((await post({ model: "none", prompt: "A hill" }, again)).status, 404);
    await create({}, again);
    assert.equal(await count(at), 3);
  });

  await test.step("is not needed by SDKs that say which try it is", async () => {
    const retry = { headers: { "x-stainless-retry-count": "1" } };
    const first = await create({ prompt: "Another hill" });
    assert.equal((await create({ prompt: "Another hill" }, retry)).id, first.id);
    await (await at.ask(`/videos/${first.id}`)).body?.cancel();
    await at.gateway.admin.commits.flush();
    assert.notEqual((await create({ prompt: "Another hill" }, retry)).id, first.id);
  });
});

async function count(at: {
  gateway: {
    running: {
      admin: {
        storage: {
          videos: {
            list(query: { order: "asc"; limit: number }): Promise<readonly unknown[]>;
          };
        };
      };
    };
  };
}): Promise<number> {
  return (await at.gateway.running.admin.storage.videos.list({ order: "asc", limit: 1_000 }))
    .length;
}
