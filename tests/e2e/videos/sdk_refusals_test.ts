/**
 * What the official clients throw when the gateway refuses something about films.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../../fixtures/openai/video_schemas.json" with { type: "json" };
import { startFakeVideoServer } from "../../support/fake_video_server.ts";
import { assertSatisfies } from "../../support/schema_check.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { MAJORS } from "../openai_sdk/majors.ts";
import { type Client, clientOf, create, waitingFilms } from "./scene.ts";

const FIELDS = { model: "film", prompt: "A lighthouse in fog", size: "640x360", seconds: "4" };
const NEVER = `video_${"a".repeat(26)}`;

const PROJECTS = [
  "id: default, unlimited: true",
  "id: single, unlimited: true, limits: { open_video_tasks: 1 }",
  "id: broke, unlimited: false",
];

interface Refusal {
  readonly name: string;
  readonly ask: (clients: Clients) => Promise<unknown>;
  readonly class: string;
  readonly status: number;
  readonly code: string;
  readonly param?: string;
  readonly message?: RegExp;
}

interface Clients {
  readonly client: Client;
  readonly stranger: Client;
  readonly broke: Client;
  readonly single: Client;
  /** A video of `client` that waits. */
  readonly id: string;
  readonly file: File;
}

const BAD_REQUEST = { class: "BadRequestError", status: 400 };
const NOT_FOUND = { class: "NotFoundError", status: 404, code: "video_not_found" };
const NOT_SUPPORTED = { ...BAD_REQUEST, code: "not_supported" };

const REFUSALS: readonly Refusal[] = [
  {
    name: "a prompt that says nothing",
    ask: ({ client }) => create(client, { ...FIELDS, prompt: " " }),
    ...BAD_REQUEST,
    code: "invalid_value",
    param: "prompt",
  },
  {
    name: "a size that is not on offer",
    ask: ({ client }) => create(client, { ...FIELDS, size: "1280x720" }),
    ...BAD_REQUEST,
    code: "invalid_value",
    param: "size",
    message: /640x360/,
  },
  {
    name: "a length that is not on offer",
    ask: ({ client }) => create(client, { ...FIELDS, seconds: "8" }),
    ...BAD_REQUEST,
    code: "invalid_value",
    param: "seconds",
    message: /\b4\b/,
  },
  {
    name: "an image by a file's id",
    ask: ({ client }) => create(client, { ...FIELDS, input_reference: { file_id: "file-1" } }),
    ...NOT_SUPPORTED,
    param: "input_reference.file_id",
  },
  {
    name: "a file that is no image",
    ask: ({ client, file }) => create(client, { ...FIELDS, input_reference: file }),
    ...BAD_REQUEST,
    code: "invalid_value",
    param: "input_reference",
  },
  {
    name: "a model that is not there",
    ask: ({ client }) => create(client, { ...FIELDS, model: "sora-9" }),
    class: "NotFoundError",
    status: 404,
    code: "model_not_found",
    param: "model",
  },
  {
    name: "a key that nobody made",
    ask: ({ stranger }) => stranger.videos.list(),
    class: "AuthenticationError",
    status: 401,
    code: "PROJECT_KEY_INVALID",
  },
  {
    name: "no money",
    ask: ({ broke }) => create(broke, FIELDS),
    class: "APIError",
    status: 402,
    code: "INSUFFICIENT_BALANCE",
  },
  {
    name: "another project's video",
    ask: ({ broke, id }) => broke.videos.retrieve(id),
    ...NOT_FOUND,
  },
  {
    name: "deletion of another project's video",
    ask: ({ broke, id }) => broke.videos.delete(id),
    ...NOT_FOUND,
  },
  {
    name: "a video that never was",
    ask: ({ client }) => client.videos.retrieve(NEVER),
    ...NOT_FOUND,
  },
  {
    name: "content before it is there",
    ask: ({ client, id }) => client.videos.downloadContent(id),
    ...BAD_REQUEST,
    code: "video_not_ready",
    message: /queued|in_progress/,
  },
  {
    name: "a page after no video",
    ask: ({ client }) => client.videos.list({ after: NEVER }),
    ...BAD_REQUEST,
    code: "invalid_value",
    param: "after",
  },
  {
    name: "remix",
    ask: ({ client, id }) => client.videos.remix(id, { prompt: "Again" }),
    ...NOT_SUPPORTED,
    message: /remix/,
  },
  {
    name: "edit",
    ask: ({ client, id }) => client.videos.edit({ prompt: "Again", video: { id } }),
    ...NOT_SUPPORTED,
    message: /edits/,
  },
  {
    name: "extend",
    ask: ({ client, id }) => client.videos.extend({ prompt: "Again", seconds: "4", video: { id } }),
    ...NOT_SUPPORTED,
    message: /extensions/,
  },
  {
    name: "createCharacter",
    ask: ({ client, file }) => client.videos.createCharacter({ name: "Otto", video: file }),
    ...NOT_SUPPORTED,
    message: /characters/,
  },
  {
    name: "getCharacter",
    ask: ({ client }) => client.videos.getCharacter("char_1"),
    ...NOT_SUPPORTED,
    message: /characters/,
  },
];

for (const { name, sdk } of MAJORS) {
  Deno.test(`what is refused about films is the ${name} client's own error`, async (test) => {
    await using upstream = startFakeVideoServer({ manners: "openai" });
    upstream.behave({ steps: [{ status: "queued", progress: 0 }] });
    await using gateway = await serveGateway({
      catalogue: waitingFilms(upstream.url, ...PROJECTS),
    });
    const { url, server: { key } } = gateway;
    const client = clientOf(sdk, { url, key });
    const clients: Clients = {
      client,
      stranger: clientOf(sdk, { url, key: `sk-tg-${"x".repeat(43)}` }),
      broke: clientOf(sdk, { url, key: await gateway.key("broke") }),
      single: clientOf(sdk, { url, key: await gateway.key("single") }),
      id: (await create(client, FIELDS)).id,
      file: await sdk.toFile(new TextEncoder().encode("<html>no image</html>"), "film.png"),
    };
    for (const refusal of REFUSALS) {
      await test.step(refusal.name, async () => {
        const error = await refusal.ask(clients).then(
          () => assert.fail("it was not refused"),
          (thrown: unknown) => thrown,
        );
        assert.ok(error instanceof sdk.APIError, String(error));
        assert.equal(error.constructor.name, refusal.class, String(error));
        const { status, code, param } = error;
        assert.deepEqual([status, code, param ?? undefined], [
          refusal.status,
          refusal.code,
          refusal.param,
        ]);
        if (refusal.message !== undefined) assert.match(error.message, refusal.message);
        assert.match(error.requestID ?? "", /^req_/);
        assertSatisfies(schemas, "ErrorResponse", { error: error.error });
        assert.doesNotMatch(error.message, /127\.0\.0\.1|\bat \/|node_modules|\.ts\b/);
      });
    }
    await test.step("one more than the project's open tasks", async () => {
      await create(clients.single, FIELDS);
      await assert.rejects(
        clients.single.videos.create(FIELDS as never, { maxRetries: 0 }),
        (error: InstanceType<typeof sdk.APIError>) => {
          assert.ok(error instanceof sdk.RateLimitError);
          assert.equal(error.code, "POOL_LIMIT_EXCEEDED");
          assert.match(error.headers.get("retry-after")!, /^([1-9]|[1-5]\d|60)$/);
          return true;
        },
      );
    });
    // Nothing that was refused has left anything.
    assert.equal((await client.videos.list()).data.length, 1);
    assert.equal((await clients.single.videos.list()).data.length, 1);
    assert.deepEqual((await clients.broke.videos.list()).data, []);
    assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
  });
}
