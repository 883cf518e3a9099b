/**
 * Alerts of the executable: told by what really happens, signed, once, also over a restart; tried and
 * listed from the command line.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { runTollgate } from "../support/executable.ts";
import { pricedCatalogue } from "../support/paying_gateway.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { type ReceivedCall, startWebhookReceiver } from "./videos/webhook_receiver.ts";

const SECRET = `whsec_${btoa("a secret of the alerts', 32 long")}`;
const NOWHERE = "http://127.0.0.1:9/v1";
const HELLO = { model: "echo-1", messages: [{ role: "user", content: "a prompt nobody tells" }] };

// deno-lint-ignore no-explicit-any -- read as it comes
async function unwrapped({ body, headers }: ReceivedCall): Promise<any> {
  const client = new seven.OpenAI({ apiKey: "none", webhookSecret: SECRET });
  return await client.webhooks.unwrap(body, headers);
}

Deno.test("a budget's alert arrives once, signed, and not again after a restart", async () => {
  await using receiver = startWebhookReceiver((path) =>
    new Response(null, { status: path === "/gone" ? 404 : 204 })
  );
  const start = {
    env: { S: SECRET, SLACK: `${receiver.url}/slack/T0/B0/hidden-part` },
    args: [
      ...["--alert-url", `webhook=${receiver.url}/hook`, "--alert-url", "slack=env:SLACK"],
      ...["--alert-secret", "env:S", "--webhook-private-addresses", "true"],
    ],
  };
  const folder = await Deno.makeTempDir({ prefix: "tollgate-alerts-" });
  const dataDir = `${folder}/data`;
  try {
    let projectKey = "";
    {
      await using gateway = await serveGateway({
        ...{ ...start, dataDir, expectKey: true },
        catalogue: pricedCatalogue(NOWHERE),
      });
      await gateway.admin("POST", "/projects", {
        id: "shop",
        unlimited: true,
        budgets: { daily: "0.00000200" },
      });
      projectKey = await gateway.key("shop");
      const first = await gateway.chat(projectKey, { ...HELLO, max_tokens: 1 });
      assert.equal(first.status, 200, await first.text());
      const rows = await gateway.cli("alerts", "list");
      const [raised] = rows.filter(({ cause }: { cause: string }) => cause === "budget");
      assert.equal(raised.state, "raised");
      assert.equal(raised.project, "shop");

      const [message] = await receiver.received("/hook", 1);
      const event = await unwrapped(message!);
      assert.equal(event.type, "alert.raised");
      assert.equal(event.data.alerts[0].text, raised.text);
      assert.equal(event.data.alerts[0].link, `${gateway.url}/console/projects/shop`);
      const [slack] = await receiver.received("/slack/T0/B0/hidden-part", 1);
      assert.ok(JSON.parse(slack!.body).text.includes(raised.text));
      assert.equal(slack!.headers["webhook-signature"], undefined);

      const tests = await gateway.cli("alerts", "test");
      assert.deepEqual(
        tests.map(({ target, delivered }: Record<string, unknown>) => [target, delivered]),
        [[`webhook=${receiver.url}`, true], ["slack=env:SLACK", true]],
      );
      assert.equal((await unwrapped(receiver.callsTo("/hook")[1]!)).type, "alert.test");
      const all = receiver.callsTo("/hook").concat(receiver.callsTo(slack!.path));
      for (const secret of [projectKey, SECRET, "a prompt nobody tells", "hidden-part"]) {
        assert.ok(!all.some(({ body }) => body.includes(secret)), `a message has ${secret}`);
        assert.ok(!gateway.server.stderr.includes(secret), `the log has ${secret}`);
      }
      await gateway.server.stop();
    }
    {
      await using gateway = await serveGateway({ ...start, dataDir, expectKey: false });
      const rows = await gateway.cli("alerts", "list");
      assert.ok(
        rows.some(({ cause, told_at }: Record<string, unknown>) =>
          cause === "budget" && told_at !== null
        ),
      );
      assert.equal(receiver.callsTo("/hook").length, 2, "told again after the restart");
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("doctor names a URL that fails, /readyz does not, and the test says what was answered", async () => {
  await using receiver = startWebhookReceiver(() => new Response(null, { status: 404 }));
  await using gateway = await serveGateway({
    env: { S: SECRET },
    args: [
      ...["--alert-url", `webhook=${receiver.url}/in/secret-part`, "--alert-secret", "env:S"],
      ...["--webhook-private-addresses", "true"],
    ],
  });
  const { dataDir } = gateway.server;
  const test = await runTollgate(["alerts", "test", "--data-dir", dataDir]);
  assert.equal(test.code, 1);
  assert.match(test.stdout, /answered 404/);
  const doctor = await runTollgate(["doctor", "--offline", "--data-dir", dataDir]);
  assert.match(
    doctor.stdout,
    new RegExp(`Alerts do not reach webhook=${receiver.url}: answered 404`),
  );
  const ready = await (await fetch(`${gateway.url}/readyz`)).text();
  assert.match(ready, /alerts do not arrive/);
  for (const text of [ready, doctor.stdout, test.stdout, gateway.server.stderr]) {
    assert.doesNotMatch(text, /secret-part/);
  }
  assert.ok(!ready.includes(receiver.url));
});

Deno.test("a catalogue file that is wrong at SIGHUP is told, and told to be over when it is mended", async () => {
  await using receiver = startWebhookReceiver();
  const folder = await Deno.makeTempDir({ prefix: "tollgate-alerts-" });
  const file = `${folder}/catalogue.yaml`;
  const right = pricedCatalogue(NOWHERE);
  try {
    await Deno.writeTextFile(file, right);
    await using gateway = await serveGateway({
      env: { S: SECRET },
      args: [
        ...["--alert-url", `${receiver.url}/hook`, "--alert-secret", "env:S", "--catalog", file],
        ...["--webhook-private-addresses", "true"],
      ],
    });
    const { server } = gateway;
    await Deno.writeTextFile(file, right.replace("models:", "modells:"));
    server.process.kill("SIGHUP");
    await server.waitForOutput(/modells/);
    await gateway.cli("alerts", "list");
    const [raised] = await receiver.received("/hook", 1);
    const { data: { alerts: [alert] } } = await unwrapped(raised!);
    assert.equal(alert.cause, "catalogue");
    assert.match(alert.text, /catalogue\.yaml has a problem/);
    await Deno.writeTextFile(file, right);
    server.process.kill("SIGHUP");
    await server.waitForOutput(/catalogue_applied[^]*catalogue_applied/);
    await gateway.cli("alerts", "list");
    const [, over] = await receiver.received("/hook", 2);
    assert.equal((await unwrapped(over!)).type, "alert.resolved");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
