/**
 * What became of a webhook, on its film's page: each try, and a button that sends it again.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { clientOf, create, untilEnded } from "../videos/scene.ts";
import { pollUntil } from "../videos/poll_until.ts";
import { startWebhookReceiver } from "../videos/webhook_receiver.ts";
import { assertFits, assertQuiet, enterConsole, textOf } from "./console_page.ts";

const SAID = "a-secret-of-the-receiver";

Deno.test("an operator sees which tries of a webhook failed, sends it again and sees it arrive", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  let isBroken = true;
  await using receiver = startWebhookReceiver(() =>
    isBroken ? new Response(SAID, { status: 410 }) : new Response(null, { status: 204 })
  );
  await using gateway = await serveGateway({ args: ["--webhook-private-addresses", "true"] });
  const { url, server: { key } } = gateway;
  const client = clientOf(seven, { url, key });
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const { secret } = await gateway.cli("projects", "webhook-secret", "default");
  const order = { model: "video-2", size: "640x360", seconds: "1", prompt: "a parcel" } as const;
  const film = await create(client, { ...order, callback_url: `${receiver.url}/hook?token=kept` });
  assert.equal((await untilEnded(client, film.id)).status, "completed");
  const [first] = await receiver.received("/hook", 1);
  const inState = (state: string) =>
    pollUntil({
      what: state,
      read: () => gateway.cli("webhooks", "list", "--state", state),
      isThere: (rows) => rows.length > 0,
    });
  const [given] = await inState("given_up");

  await test.step("at the command line, without what its URL and its secret hold", async () => {
    assert.deepEqual(
      [given.id, given.video, given.receiver, given.tries, given.tries_left, given.next_try_at],
      [first!.headers["webhook-id"], film.id, receiver.url, 1, 0, null],
    );
    assert.deepEqual(given.last_tries.map(({ status, error }: Tried) => [status, error]), [
      [410, "answered 410"],
    ]);
    const { webhook } = await gateway.cli("videos", "show", film.id);
    assert.deepEqual(webhook, given);
    for (const hidden of [secret, "token=kept", SAID]) {
      assert.ok(!JSON.stringify(given).includes(hidden), hidden);
    }
  });

  await test.step("on the film's page, at a desk and on a phone", async () => {
    await page.open(`${url}/console/videos/${film.id}`);
    const text = await textOf(page);
    assert.match(text, /given up/);
    assert.match(text, /1 made/);
    assert.match(text, /answered 410/);
    assert.ok(!text.includes(SAID) && !text.includes(secret));
    assert.match(text, new RegExp(`Told when it ends\\s+${receiver.url}\\s`));
    const source: string = await page.evaluate("document.documentElement.outerHTML");
    assert.ok(!source.includes("token=kept"), "nor whole in an attribute");
    await assertFits(page);
  });

  await test.step("the button sends it again, under its id, and the page says that it arrived", async () => {
    isBroken = false;
    await page.follow(`document.querySelector('form[action$="/resend"] button').click()`);
    assert.match(await textOf(page), /It is sent now, under its id/);
    const [, second] = await receiver.received("/hook", 2);
    assert.equal(second!.headers["webhook-id"], given.id);
    assert.equal(second!.body, first!.body);
    const [delivered] = await inState("delivered");
    assert.deepEqual([delivered.id, delivered.tries], [given.id, 2]);
    await page.open(`${url}/console/videos/${film.id}`);
    assert.match(await textOf(page), /delivered/);
    assert.equal(
      await page.evaluate("document.querySelectorAll('main table tbody tr').length"),
      2,
    );
    await assertFits(page);
    const [row] = await gateway.cli("audit", "list", "--operation", "webhooks.resend");
    assert.deepEqual([row.subject, row.before.state], [`webhook:${given.id}`, "given_up"]);
  });

  await test.step("what has arrived is sent once more by a command; a viewer may not", async () => {
    assert.equal((await gateway.cli("webhooks", "resend", given.id)).tries_left, 9);
    await receiver.received("/hook", 3);
    const { token } = await gateway.cli("tokens", "create", "--name", "vera", "--role", "viewer");
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asked = await fetch(`${url}/admin/v1/webhooks/${given.id}/resend`, {
      ...{ method: "POST", headers, body: "{}" },
    });
    await asked.body?.cancel();
    assert.equal(asked.status, 403);
    const listed = await fetch(`${url}/admin/v1/webhooks`, { headers });
    assert.equal((await listed.json()).data[0].id, given.id);
    assert.equal(receiver.callsTo("/hook").length, 3);
  });
  assertQuiet(gateway, page);
});

interface Tried {
  readonly status: number | null;
  readonly error: string | null;
}
