/**
 * No value of a caller becomes an address (LiteLLM CVE-2024-6587, Open WebUI
 * CVE-2026-45400 and -45401): a canary on this machine is never called.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runCommand } from "../../../build/run_command.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { Canary } from "../../support/security/canary.ts";
import { addressesOf, ownNames } from "../../support/security/corpora/address_spellings.ts";
import { redirectAsAsked, tryForgery } from "../../support/security/corpora/forgery.ts";
import { SecurityWorld } from "../../support/security/security_world.ts";
import { until } from "../../support/until.ts";

/** Names with addresses of their own, for a start that sees another `/etc/hosts`. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "hooks-of-loopback.example": ["127.0.0.1"],
  "hooks-of-lan.example": ["10.0.0.1"],
  "hooks-of-cloud.example": ["169.254.169.254"],
  "hooks-of-six.example": ["::1"],
  "hooks-of-mapped.example": ["::ffff:127.0.0.1"],
  "hooks-of-both.example": ["93.184.215.14", "127.0.0.1"],
};

const canHaveNames = (await runCommand([
  "unshare",
  "--mount",
  "bash",
  "-c",
  "mount --bind /etc/hostname /etc/hosts",
])).success;

Deno.test("no value of a caller is called as an address, however it is written", async () => {
  await using canary = Canary.start();
  await using world = await SecurityWorld.start({ upstream: redirectAsAsked });
  const { tried, broken } = await tryForgery(world, { canary, names: await ownNames() });
  assert.deepEqual(broken, []);
  assert.ok(addressesOf(1).length >= 60);
  assert.ok(tried > 1_500, `only ${tried} cases were tried`);
});

Deno.test({
  name: "a name that leads to a private address is not called, whatever else it leads to",
  ignore: !canHaveNames && Deno.env.get("CI") !== "true",
  async fn() {
    await using canary = Canary.start();
    const hosts = await Deno.makeTempFile({ prefix: "tollgate-hosts-" });
    const lines = Object.entries(NAMES).flatMap(([name, addresses]) =>
      addresses.map((address) => `${address} ${name}\n`)
    );
    await Deno.writeTextFile(hosts, ["127.0.0.1 localhost\n", ...lines].join(""));
    try {
      await using world = await SecurityWorld.start({
        through: [
          "unshare",
          "--mount",
          "bash",
          "-c",
          `mount --bind ${hosts} /etc/hosts; exec "$0" "$@"`,
        ],
      });
      for (const name of Object.keys(NAMES)) {
        const { id } = await world.film({ callback_url: `http://${name}:${canary.port}/` });
        const line = await until(
          `what became of ${name}`,
          () =>
            world.gateway.server.stderr.split("\n").find((one) =>
              one.includes('"webhook_') && one.includes(id)
            ),
        );
        assert.match(line, /"webhook_given_up".*not on the public internet/, name);
      }
      assert.deepEqual(world.faults, []);
      assert.deepEqual(canary.seen, []);
    } finally {
      await Deno.remove(hosts);
    }
  },
});

Deno.test("a receiver that redirects a webhook is not followed", async () => {
  await using canary = Canary.start();
  await using receiver = await startFakeUpstream(({ target }) =>
    jsonReply({}, {
      status: Number(target.slice(1)),
      headers: { location: `http://127.0.0.1:${canary.port}/` },
    })
  );
  await using world = await SecurityWorld.start({ args: ["--webhook-private-addresses", "true"] });
  const statuses = [301, 302, 303, 307, 308];
  for (const status of statuses) {
    const { id } = await world.film({
      callback_url: `http://127.0.0.1:${receiver.port}/${status}`,
    });
    const line = await until(
      `what became of ${status}`,
      () =>
        world.gateway.server.stderr.split("\n").find((one) =>
          one.includes('"webhook_') && one.includes(id)
        ),
    );
    assert.match(line, new RegExp(`"webhook_failed".*answered ${status}`));
  }
  // A slow machine may see some of them sent again.
  const asked = new Set(receiver.requests.map(({ target }) => Number(target.slice(1))));
  assert.deepEqual([...asked], statuses);
  assert.deepEqual(canary.seen, []);
});
