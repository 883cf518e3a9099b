/**
 * Signed callbacks: both official clients unwrap them, they are sent again until
 * they arrive, and they lead nowhere that the operator has not opened.
 *
 * @module
 */

import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import * as seven from "openai7";
import { serveGateway } from "../../support/served_gateway.ts";
import { MAJORS } from "../openai_sdk/majors.ts";
import { clientOf, create, untilEnded, untilLogged } from "./scene.ts";
import { pollUntil } from "./poll_until.ts";
import { type ReceivedCall, startWebhookReceiver } from "./webhook_receiver.ts";

const SMALL = { size: "640x360", seconds: "1" };

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: video-2
    kind: video
    routes: [{ id: builtin/video-2, provider: builtin, sale: { free: true } }]
  - id: failing
    kind: video
    routes:
      - id: builtin/failing
        provider: builtin
        upstream_model: "video-2:fail"
        sale: { free: true }
projects:
  - { id: default, unlimited: true }
`;

Deno.test("callbacks are signed for both majors, and sent again under one id until they arrive", async () => {
  await using receiver = startWebhookReceiver((path, before) => {
    if (path === "/moved") return Response.redirect(`${receiver.url}/elsewhere`, 307);
    return new Response(null, { status: path === "/flaky" && before === 0 ? 500 : 204 });
  });
  await using gateway = await serveGateway({
    catalogue: CATALOGUE,
    args: ["--webhook-private-addresses", "true"],
  });
  const { url, server: { key } } = gateway;
  const client = clientOf(seven, { url, key });
  const callback_url = `${receiver.url}/flaky`;
  const asked = { model: "video-2", prompt: "A parcel arrives", ...SMALL };

  // Without a secret nothing could be signed: the refusal says what to do.
  await assert.rejects(create(client, { ...asked, callback_url }), {
    status: 400,
    param: "callback_url",
    message: /projects webhook-secret default/,
  });
  const { secret: first } = await gateway.cli("projects", "webhook-secret", "default");
  assert.match(first, /^whsec_[A-Za-z0-9+/]{43}=$/);

  const made = await create(client, { ...asked, callback_url });
  const moved = await create(client, { ...asked, callback_url: `${receiver.url}/moved` });
  const failed = await create(client, {
    ...asked,
    model: "failing",
    callback_url: `${receiver.url}/failed?token=kept`,
  });
  const [failure] = await receiver.received("/failed", 1);
  await assertUnwraps(failure!, { secrets: [first], type: "video.failed", videoId: failed.id });

  const [one] = await receiver.received("/flaky", 1);
  await assertUnwraps(one!, { secrets: [first], type: "video.completed", videoId: made.id });
  const { secret: second, previous_until } = await gateway.cli(
    "projects",
    "webhook-secret",
    "default",
  );
  assert.notEqual(second, first);
  assert.ok(Date.parse(previous_until) > Date.now());

  // The 500 was no arrival. By now there are two secrets, and receivers may know either.
  const [, two] = await receiver.received("/flaky", 2);
  await assertUnwraps(two!, {
    secrets: [first, second],
    type: "video.completed",
    videoId: made.id,
  });
  assert.equal(two!.headers["webhook-id"], one!.headers["webhook-id"]);
  assert.equal(two!.body, one!.body);
  assert.notEqual(failure!.headers["webhook-id"], one!.headers["webhook-id"]);
  await untilLogged(gateway, /"event":"webhook_delivered".*"tries":2/);
  assert.match(gateway.server.stderr, /"event":"webhook_failed".*"error":"answered 500"/);

  // Redirects lead nowhere, and what has arrived is not sent again.
  await untilEnded(client, moved.id);
  await receiver.received("/moved", 1);
  assert.deepEqual(receiver.callsTo("/elsewhere"), []);
  assert.equal(receiver.callsTo("/flaky").length, 2);
  assert.equal(receiver.callsTo("/failed").length, 1);
  const { code, stderr, stdout } = await gateway.server.stop();
  assert.equal(code, 0);
  for (const secret of [first, second, "token=kept"]) {
    assert.ok(!`${stderr}${stdout}`.includes(secret), "the log has a secret");
  }
});

Deno.test("callbacks go to no private address unless the operator allows it", async (test) => {
  using canary = listenEverywhere();
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { url, server: { key } } = gateway;
  const client = clientOf(seven, { url, key });
  await gateway.cli("projects", "webhook-secret", "default");
  const asked = { model: "video-2", prompt: "Nobody calls", ...SMALL };

  for (const host of ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "0x7f.1"]) {
    await test.step(`${host} is refused at once`, async () => {
      const callback_url = `http://${host}:${canary.port}/`;
      await assert.rejects(create(client, { ...asked, callback_url }), {
        status: 400,
        code: "invalid_value",
        param: "callback_url",
      });
      assert.deepEqual((await client.videos.list()).data, []);
    });
  }

  const name = await privateName();
  await test.step({
    name: "a name that leads to this machine is looked up, and nothing is connected",
    // A machine may know itself by no name at all.
    ignore: name === undefined,
    async fn() {
      const callback_url = `http://${name}:${canary.port}/hook`;
      const { id } = await create(client, { ...asked, callback_url });
      assert.equal((await untilEnded(client, id)).status, "completed");
      await untilLogged(gateway, /"event":"webhook_given_up"/);
    },
  });
  assert.equal(canary.connections, 0);
  // The canary does notice: only the gateway stays away.
  (await Deno.connect({ hostname: "127.0.0.1", port: canary.port })).close();
  await pollUntil({
    what: "a connection",
    read: () => canary.connections,
    isThere: (count) => count === 1,
  });
});

async function assertUnwraps(
  { headers, body }: ReceivedCall,
  { secrets, type, videoId }: {
    readonly secrets: readonly string[];
    readonly type: string;
    readonly videoId: string;
  },
): Promise<void> {
  assert.equal(headers["content-type"], "application/json");
  assert.equal("authorization" in headers, false);
  const signatures = headers["webhook-signature"]!.split(" ");
  assert.equal(signatures.length, secrets.length);
  for (const { sdk } of MAJORS) {
    const { webhooks } = new sdk.OpenAI({ apiKey: "none" });
    for (const secret of secrets) {
      const event = await webhooks.unwrap(body, headers, secret);
      assert.equal(event.id, headers["webhook-id"]);
      assert.ok(Math.abs(event.created_at - Date.now() / 1000) < 600);
      assert.deepEqual([event.object, String(event.type), event.data], [
        "event",
        type,
        { id: videoId },
      ]);
    }
    const wrong = `whsec_${new Uint8Array(32).toBase64()}`;
    await assert.rejects(webhooks.unwrap(body, headers, wrong));
    await assert.rejects(webhooks.unwrap(`${body} `, headers, secrets[0]!));
  }
}

/** Listens on every IPv4 address of this machine and counts who connects. */
function listenEverywhere(): Disposable & { readonly port: number; readonly connections: number } {
  const listener = Deno.listen({ hostname: "0.0.0.0", port: 0 });
  let connections = 0;
  const listening = (async () => {
    for await (const connection of listener) {
      connections++;
      connection.close();
    }
  })();
  return {
    port: listener.addr.port,
    get connections() {
      return connections;
    },
    [Symbol.dispose]() {
      listener.close();
      void listening;
    },
  };
}

/** A name, other than `localhost`, that the system resolves to loopback. */
async function privateName(): Promise<string | undefined> {
  for (const name of [Deno.hostname(), "ip6-localhost", "localhost.localdomain"]) {
    const { address } = await lookup(name, { family: 4 }).catch(() => ({ address: "" }));
    if (address.startsWith("127.")) return name;
  }
  return undefined;
}
