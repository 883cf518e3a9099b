import assert from "node:assert/strict";
import { signWebhook } from "../../../src/providers/transport/sign_webhook.ts";
import { until } from "../../support/until.ts";
import { PROJECTS, type Received, SECRET, senderScene as scene } from "./sender_scene.ts";

Deno.test("WebhookSender sends a signed event once, and nothing of the task but its id", async () => {
  await using at = await scene();
  const message = await at.put({ event: "video.failed" });
  const sender = at.start();
  await at.timer();
  const [{ path, headers, body }, ...more] = at.received as [Received];
  assert.deepEqual(more, []);
  assert.equal(path, "/hook");
  assert.deepEqual(JSON.parse(body), {
    id: message.id,
    object: "event",
    created_at: Math.floor(message.createdAt / 1000),
    type: "video.failed",
    data: { id: message.videoId },
  });
  const timestamp = Math.floor(at.clock.now() / 1000);
  assert.deepEqual(
    ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
      headers.get(name)
    ),
    [
      "application/json",
      message.id,
      String(timestamp),
      signWebhook({ id: message.id, timestamp, body }, SECRET, at.clock.now()),
    ],
  );
  assert.equal(headers.get("authorization"), null);
  assert.deepEqual(at.tries.map(({ outcome }) => outcome), ["delivered"]);
  at.advance(100_000_000);
  sender.wake();
  await at.timer();
  assert.equal(at.received.length, 1);
  await sender.stop();
});

Deno.test("WebhookSender tries again after rising waits, and gives up after nine tries", async () => {
  await using at = await scene();
  const { id } = await at.put();
  at.receiver.answer = () => new Response("no", { status: 500 });
  const sender = at.start();
  const waits = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200].map((seconds) => seconds * 1_000);
  for (const [index, wait] of waits.entries()) {
    await until("the try", () => at.tries.length === index + 1);
    const { message, outcome } = at.tries.at(-1)!;
    assert.deepEqual(
      [outcome, message.tries, message.nextAt - at.clock.now(), message.lastError],
      ["failed", index + 1, wait, "answered 500"],
    );
    await at.timer();
    at.clock.advance(wait - 1);
    sender.wake();
    await at.timer();
    assert.equal(at.received.length, index + 1, "not before its time");
    at.clock.advance(1);
    sender.wake();
  }
  await until("the last try", () => at.tries.length === 9);
  assert.equal(at.tries.at(-1)!.outcome, "given_up");
  assert.deepEqual(
    new Set(at.received.map(({ headers }) => headers.get("webhook-id"))),
    new Set([id]),
  );
  assert.equal(await at.world.storage.webhooks.nextDueAt(0), undefined);
  await sender.stop();
});

Deno.test("WebhookSender stops at 410, and follows no redirect", async () => {
  await using at = await scene();
  await at.put();
  at.receiver.answer = () => new Response(null, { status: 410 });
  const sender = at.start();
  await until("the first", () => at.tries.length === 1);
  await at.put();
  at.receiver.answer = () =>
    new Response(null, { status: 302, headers: { location: `${at.url}/elsewhere` } });
  sender.wake();
  await until("the second", () => at.tries.length === 2);
  assert.deepEqual(
    at.tries.map(({ outcome, message }) => [outcome, message.lastError]),
    [["given_up", "answered 410"], ["failed", "answered 302"]],
  );
  assert.deepEqual(at.received.map(({ path }) => path), ["/hook", "/hook"]);
  await sender.stop();
});

Deno.test("WebhookSender connects to no private address unless the operator allows it", async () => {
  await using at = await scene({ allowsPrivate: false });
  await at.put();
  const sender = at.start();
  await until("the try", () => at.tries.length === 1);
  assert.equal(at.tries[0]!.outcome, "given_up");
  assert.deepEqual(at.received, []);
  await sender.stop();
});

Deno.test("WebhookSender waits for a secret that is not there", async () => {
  await using at = await scene({ hasSecret: false });
  await at.put();
  const sender = at.start();
  await until("the try", () => at.tries.length === 1);
  assert.equal(at.tries[0]!.message.lastError, "the project has no webhook secret");
  await at.world.storage.commitBatch([{ kind: "put_webhook_secret", secret: SECRET }]);
  await at.timer();
  at.advance(5_000);
  await until("the next", () => at.tries.length === 2);
  assert.equal(at.tries[1]!.outcome, "delivered");
  await sender.stop();
});

Deno.test("WebhookSender sends eight at one time and the others after them, each once", async () => {
  await using at = await scene({ projects: PROJECTS });
  const gate = Promise.withResolvers<void>();
  at.receiver.answer = () => gate.promise.then(() => new Response(null, { status: 200 }));
  for (let count = 0; count < 20; count++) {
    await at.put({ projectId: PROJECTS[count % PROJECTS.length]! });
  }
  const sender = at.start();
  await until("eight", () => at.received.length >= 8);
  sender.wake();
  await at.world.timeline.settle();
  assert.equal(at.received.length, 8);
  gate.resolve();
  await until("all", () => at.tries.length === 20);
  assert.equal(new Set(at.received.map(({ headers }) => headers.get("webhook-id"))).size, 20);
  assert.equal(at.received.length, 20);
  await sender.stop();
});

Deno.test("WebhookSender keeps nobody waiting because of one project's receiver that does not answer", async () => {
  await using at = await scene();
  const gate = Promise.withResolvers<void>();
  at.receiver.answer = ({ path }) =>
    path === "/dead" ? gate.promise.then(() => new Response()) : new Response();
  for (let count = 0; count < 20; count++) await at.put({ url: `${at.url}/dead` });
  const late = { projectId: "q", url: `${at.url}/hook` };
  for (let count = 0; count < 5; count++) await at.put(late);
  await at.put({ ...late, nextAt: at.clock.now() + 1_000 });
  const sender = at.start();
  await until("the others", () => at.tries.length === 5);
  await at.timer();
  at.advance(1_000);
  await until("the one that was due later", () => at.tries.length === 6);
  assert.deepEqual(new Set(at.tries.map(({ message }) => message.projectId)), new Set(["q"]));
  assert.equal(at.received.filter(({ path }) => path === "/dead").length, 2);
  gate.resolve();
  await until("all", () => at.tries.length === 26);
  assert.equal(at.received.length, 26);
  await sender.stop();
});

Deno.test("WebhookSender.stop() breaks off what is being sent; the next start sends it", async () => {
  await using at = await scene();
  const gate = Promise.withResolvers<void>();
  at.receiver.answer = () => gate.promise.then(() => new Response());
  const { id } = await at.put();
  const first = at.start();
  await until("the try", () => at.received.length === 1);
  await first.stop();
  first.wake();
  assert.deepEqual([at.tries, at.errors, [...at.timers]], [[], [], []]);
  assert.deepEqual(
    (await at.world.storage.webhooks.due(at.clock.now(), { most: 10, perProject: 10 })).map((one) =>
      one.tries
    ),
    [0],
  );

  gate.resolve();
  at.receiver.answer = () => new Response();
  const second = at.start();
  await until("the delivery", () => at.tries.length === 1);
  assert.deepEqual([at.tries[0]!.outcome, at.tries[0]!.message.id], ["delivered", id]);
  await second.stop();
});

Deno.test("WebhookSender sends nothing for a while when storage takes no outcome", async () => {
  await using at = await scene();
  await at.put();
  at.storage.refuses = true;
  const sender = at.start();
  await until("the trouble", () => at.errors.length === 1);
  for (let count = 0; count < 5; count++) {
    sender.wake();
    await at.world.timeline.settle();
  }
  assert.equal(at.received.length, 1, "the receiver is not flooded");
  at.storage.refuses = false;
  await at.timer();
  at.advance(30_000);
  await until("the delivery", () => at.tries.length === 1);
  assert.deepEqual([at.received.length, at.tries[0]!.outcome], [2, "delivered"]);
  await sender.stop();
});

Deno.test("WebhookSender gives receivers that answer late half of the places, and each project its turn", async () => {
  const late = PROJECTS;
  await using at = await scene({ projects: [...late, "z"] });
  let gate = Promise.withResolvers<void>();
  at.receiver.answer = async ({ path }) => {
    if (path === "/late") await gate.promise;
    return new Response();
  };
  for (let count = 0; count < 20; count++) {
    await at.put({ projectId: late[count % late.length]!, url: `${at.url}/late` });
  }
  const sender = at.start();
  const sent = (path: string) => at.received.filter((one) => one.path === path).length;
  await until("every place to be taken", () => sent("/late") === 8);
  at.clock.advance(5_000);
  const before = gate;
  gate = Promise.withResolvers<void>();
  await at.put({ projectId: "z" });
  before.resolve();
  // Four that are not known as late yet, of e, take their turn too.
  await until("the one with a good receiver", () => sent("/hook") === 1);
  await until("its end", () => at.tries.some(({ message }) => message.projectId === "z"));
  await until("the late ones' places", () => sent("/late") - at.tries.length + 1 >= 4);
  for (let count = 0; count < 5; count++) await at.put({ projectId: "z" });
  sender.wake();
  await until("all others", () => sent("/hook") === 6);
  assert.ok(sent("/late") < 20, "the late ones are not through");
  gate.resolve();
  await until("all", () => at.tries.length === 26);
  assert.equal(new Set(at.received.map(({ headers }) => headers.get("webhook-id"))).size, 26);
  await sender.stop();
});

Deno.test("WebhookSender keeps its place for what a receiver still sends, and ends what does not end", async () => {
  await using at = await scene();
  let open = 0;
  let mostOpen = 0;
  const chunk = new Uint8Array(16 * 1024);
  at.receiver.answer = () => {
    mostOpen = Math.max(mostOpen, ++open);
    return new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(chunk),
        cancel: () => void open--,
      }),
    );
  };
  for (let count = 0; count < 12; count++) await at.put();
  const sender = at.start();
  await until("all", () => at.tries.length === 12);
  assert.deepEqual(new Set(at.tries.map(({ outcome }) => outcome)), new Set(["delivered"]));
  await until("the ends", () => open === 0);
  assert.ok(mostOpen <= 4, `${mostOpen} were open`);
  await sender.stop();
});

Deno.test("WebhookSender calls nobody an upstream", async () => {
  await using at = await scene();
  const closed = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = closed.addr;
  closed.close();
  await at.put({ url: `http://127.0.0.1:${port}/hook` });
  const sender = at.start();
  await until("the try", () => at.tries.length === 1);
  const { lastError } = at.tries[0]!.message;
  assert.match(lastError!, /^The webhook's receiver could not be reached: Connection refused/);
  await sender.stop();
});
