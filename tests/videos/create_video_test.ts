import assert from "node:assert/strict";
import type { Route } from "../../src/domain/catalogue.ts";
import { GatewayError } from "../../src/errors.ts";
import type { CreateVideoRequest } from "../../src/videos/task/create_request.ts";
import type { CreateVideoDeps } from "../../src/videos/create_video.ts";
import { createVideo } from "../../src/videos/create_video.ts";
import { ReferenceLine } from "../../src/videos/reference_line.ts";
import { ImageError } from "@tollgate/render";
import {
  type Asking,
  createDeps,
  createRequest,
  placed,
  plainAnswer,
} from "../support/video_creating.ts";
import { CREDIT_E8, FILM_SALE_E8, videoRoute } from "../support/video_parts.ts";
import { VideoWorld } from "../support/video_world.ts";

const IMAGE = new Uint8Array([1, 2, 3]);
const UNPAID: Asking = { project: { id: "poor" } };

async function idleWorld(routes?: readonly Route[]): Promise<VideoWorld> {
  const world = await VideoWorld.create({
    projects: ["p", "q"],
    ...(routes === undefined ? {} : { routes }),
  });
  await world.start({ isIdle: true });
  return world;
}

Deno.test("createVideo() stores a queued task with its hold, its price and its image", async () => {
  await using world = await idleWorld();
  const request = createRequest(world, { reference: IMAGE, fields: {} });
  const { task, body } = await createVideo(createDeps(world), request, plainAnswer);
  assert.equal(body, `task ${task.id}`);
  assert.match(task.id, /^video_[a-z2-7]{26}$/);
  assert.deepEqual(await world.stored(task), task);
  assert.deepEqual(
    [task.status, task.progress, task.revision, task.route, task.size, task.seconds],
    ["queued", 0, 1, "here/film", "640x360", 4],
  );
  assert.equal(task.referenceType, "image/png");
  assert.deepEqual(await world.files.readReference(task.id), IMAGE);
  assert.equal(world.boot.book.callOf(task.id)?.priceVersion, 1);
  assert.equal(world.boot.ledger.balanceOf("p").held, FILM_SALE_E8);
});

Deno.test("createVideo() takes the first size and length of the route, and the key's only model", async () => {
  await using world = await idleWorld([
    videoRoute("here", {
      video: { sizes: ["1280x720", "640x360"], seconds: [8, 4], passFields: [] },
    }),
  ]);
  const request = createRequest(world, { model: undefined, size: undefined, seconds: undefined });
  const { task } = await createVideo(createDeps(world), request, plainAnswer);
  assert.deepEqual([task.model, task.size, task.seconds], ["film", "1280x720", 8]);
});

Deno.test("createVideo() names the models when a key may use none, and refuses without a choice", async () => {
  await using world = await idleWorld();
  const request = createRequest(world, { model: undefined }, { key: { models: ["other"] } });
  await assert.rejects(createVideo(createDeps(world), request, plainAnswer), {
    error: "missing_required_parameter",
    param: "model",
  });
});

Deno.test("createVideo() takes a dearer route's hold only where the balance covers it", async () => {
  await using world = await idleWorld([
    videoRoute("here", { sale: "999999", weight: 1_000_000 }),
    videoRoute("acme"),
  ]);
  const wishes = { ...createRequest(world).wishes, preference: "lowest_latency" as const };
  const { task } = await createVideo(
    createDeps(world),
    createRequest(world, { wishes }),
    plainAnswer,
  );
  assert.equal(task.route, "acme/film");
  assert.equal(world.boot.ledger.balanceOf("p").held, FILM_SALE_E8);
});

/** A request with every fault, of which each refusal's row takes one away. */
const REFUSALS: readonly (readonly [
  error: string,
  request: Partial<CreateVideoRequest>,
  asking?: Asking,
  deps?: (world: VideoWorld) => Partial<CreateVideoDeps> & { readonly freeBytes?: () => number },
])[] = [
  ["shutting_down", { model: "none" }, {}, () => ({ isStopping: () => true })],
  ["model_not_found", { model: "none", size: "1x1" }, { key: { models: ["x"] }, ...UNPAID }],
  ["model_not_allowed", { size: "1x1" }, { key: { models: ["x"] }, ...UNPAID }],
  ["model_not_allowed", { size: "1x1" }, { project: { id: "poor", models: ["x"] } }],
  ["invalid_value", { callbackUrl: "ftp://a/", size: "1x1" }, UNPAID],
  ["invalid_value", { callbackUrl: "https://hooks.example/", size: "1x1" }, UNPAID],
  ["invalid_value", { size: "1x1" }, UNPAID, () => ({ freeBytes: () => 0 })],
  ["invalid_value", { seconds: 5 }, UNPAID],
  ["invalid_value", { fields: { seed: 1 } }, UNPAID],
  ["storage_full", { reference: IMAGE }, UNPAID, () => ({ freeBytes: () => 691_202 })],
  ["pool_limit_exceeded", { reference: IMAGE }, {
    project: { id: "poor", limits: { requestsPerMinute: 0 } },
  }],
  ["pool_limit_exceeded", { reference: IMAGE }, {
    project: { id: "poor", limits: { openVideoTasks: 0 } },
  }],
  ["invalid_value", { reference: IMAGE }, {}, () => ({
    references: new ReferenceLine({ check: () => Promise.reject(new ImageError("not_an_image")) }),
  })],
  ["request_too_large", { reference: IMAGE }, {}, () => ({
    references: new ReferenceLine({ check: () => Promise.reject(new ImageError("too_large")) }),
  })],
  ["storage_full", { reference: IMAGE }, {}, () => ({
    references: { check: () => Promise.reject(new Error("looked at")) },
    quota: { promise: () => Promise.reject(new GatewayError("storage_full", "no room")) },
  })],
  // Whoever cannot pay has no image decoded.
  ["insufficient_balance", { reference: IMAGE }, UNPAID, () => ({
    references: { check: () => Promise.reject(new Error("looked at")) },
  })],
];

for (const [index, [error, request, asking = {}, deps]] of REFUSALS.entries()) {
  Deno.test(`createVideo() refuses with ${error} (${index}) before what comes later, and leaves nothing`, async () => {
    await using world = await idleWorld();
    const all = createDeps(world, deps?.(world));
    const asked = placed(all, createRequest(world, request, asking));
    const refused = await createVideo(all, asked, plainAnswer).catch((error) => error);
    assert.ok(refused instanceof GatewayError, String(refused));
    assert.equal(refused.error, error);
    await assertNothingLeft(world);
  });
}

Deno.test("createVideo() that is refused takes nothing from the limits", async () => {
  await using world = await idleWorld();
  const deps = createDeps(world);
  const limits = { requestsPerMinute: 1, concurrent: 1, openVideoTasks: 1 };
  const poor = createRequest(world, {}, { project: { id: "poor", limits } });
  for (let count = 0; count < 3; count++) {
    await assert.rejects(createVideo(deps, placed(deps, poor), plainAnswer), {
      error: "insufficient_balance",
    });
  }
  const rich = { project: { limits: { ...limits, requestsPerMinute: 2 } } };
  const request = placed(deps, createRequest(world, {}, rich));
  const { task } = await createVideo(deps, request, plainAnswer);
  request.permit.release();
  const another = placed(deps, createRequest(world, {}, rich));
  await assert.rejects(createVideo(deps, another, plainAnswer), { error: "pool_limit_exceeded" });
  await world.boot.book.remove(task.id, () => ({ close: undefined })).catch(() => undefined);
});

for (const reason of ["full", "failed", "conflict"] as const) {
  Deno.test(`createVideo() leaves nothing, not even its image, when storage says ${reason}`, async () => {
    await using world = await idleWorld();
    world.refuse = () => ({ ok: false, reason, message: "no" });
    // A refusal that contradicts memory is told to the operator, which the world takes for a fault.
    const error = await createVideo(
      createDeps(world),
      createRequest(world, { reference: IMAGE }),
      plainAnswer,
    ).catch((error) => error);
    assert.ok(error instanceof Error);
    world.refuse = undefined;
    await assertNothingLeft(world);
  });
}

Deno.test("createVideo() leaves nothing of an image of which the disk took only half", async () => {
  await using world = await idleWorld();
  const deps = createDeps(world);
  const limits = { requestsPerMinute: 1, openVideoTasks: 1 };
  const request = createRequest(world, { reference: IMAGE }, { project: { limits } });
  const write = world.files.writeReference.bind(world.files);
  world.files.writeReference = async (id, bytes) => {
    await write(id, bytes.subarray(0, 1));
    throw new Error("No space left on device");
  };
  await assert.rejects(createVideo(deps, placed(deps, request), plainAnswer), /No space left/);
  await assertNothingLeft(world);

  // Neither its place among the requests nor the one among the open tasks is gone.
  world.files.writeReference = write;
  await createVideo(deps, placed(deps, request), plainAnswer);
});

Deno.test("createVideo() lets two creates have the last money once", async () => {
  const sale = `${Number(CREDIT_E8) / 1e8 / 4}`;
  await using world = await idleWorld([videoRoute("here", { sale })]);
  const deps = createDeps(world);
  const creates = await Promise.allSettled(
    ["a", "b"].map((prompt) =>
      createVideo(deps, createRequest(world, { prompt, reference: IMAGE }), plainAnswer)
    ),
  );
  assert.deepEqual(creates.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const refused = creates.find((one) => one.status === "rejected");
  assert.equal((refused as PromiseRejectedResult).reason.error, "insufficient_balance");
  assert.equal((await world.fileNames()).length, 1);
  assert.deepEqual(world.boot.ledger.balanceOf("p"), {
    projectId: "p",
    avail: 0n,
    held: CREDIT_E8,
  });
});

Deno.test("createVideo() stores the answer for its key in the task's own entry", async () => {
  await using world = await idleWorld();
  const scope = { projectId: "p", path: "/videos", key: "k" };
  const answer = {
    write: plainAnswer.write,
    toRecord: (body: string) => ({
      ...scope,
      body,
      fingerprint: "f",
      requestId: "req_1",
      status: 200,
      stream: undefined,
      createdAt: 1,
      expiresAt: world.timeline.clock.now() + 1_000,
    }),
  };
  world.refuse = () => ({ ok: false, reason: "full", message: "no" });
  await assert.rejects(createVideo(createDeps(world), createRequest(world), answer));
  assert.equal(await world.storage.answers.find(scope), undefined);
  world.refuse = undefined;
  const { body } = await createVideo(createDeps(world), createRequest(world), answer);
  assert.equal((await world.storage.answers.find(scope))?.body, body);
});

async function assertNothingLeft(world: VideoWorld): Promise<void> {
  assert.deepEqual(await world.storage.videos.list({ order: "asc", limit: 10 }), []);
  assert.deepEqual(await world.fileNames(), []);
  assert.deepEqual([...world.boot.book.openTasks()], []);
  for (const { projectId, avail, held } of await world.storage.accounts.loadBalances()) {
    assert.deepEqual([avail, held], [CREDIT_E8, 0n]);
    assert.deepEqual(world.boot.ledger.balanceOf(projectId), { projectId, avail, held });
  }
  assert.deepEqual(await world.storage.calls.openCalls(10), []);
}
