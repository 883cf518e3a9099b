/**
 * The settings of alerts and of backups by schedule: what is taken, refused and shown.
 *
 * @module
 */

import assert from "node:assert/strict";
import { isQuiet, parseQuietHours } from "../../src/config/quiet_hours.ts";
import { faults, load } from "./loaded.ts";

const SECRET = `whsec_${btoa("k".repeat(32))}`;
const SIGNED = { alert_secret: "env:S" };
const env = { S: SECRET, URL_1: "https://hooks.slack.com/services/T0/B0/hidden", BAD: "nowhere" };

Deno.test("a target says by its host or its form how it is told, and is shown without its secret", async () => {
  const { settings, shown } = await load({
    ...SIGNED,
    alert_url:
      "https://hooks.slack.com/services/T0/B0/x slack=env:URL_1 webhook=https://a.example/b",
  }, { env });
  assert.deepEqual(settings.alerts.targets, [
    { form: "slack", url: "https://hooks.slack.com/services/T0/B0/x" },
    { form: "slack", url: "env:URL_1" },
    { form: "webhook", url: "https://a.example/b" },
  ]);
  assert.equal(
    shown.find(({ name }) => name === "alert_url")?.value,
    "slack=https://hooks.slack.com,slack=env:URL_1,webhook=https://a.example",
  );
  assert.doesNotMatch(JSON.stringify(shown), /T0|hidden|whsec/);
});

const REFUSED: readonly (readonly [flags: Record<string, string>, why: RegExp])[] = [
  [{ alert_url: "https://a.example/b" }, /--alert-secret .*openssl rand/],
  [{ ...SIGNED, alert_url: "ftp://a.example" }, /alert_url: Expected https:/],
  [{ ...SIGNED, alert_url: "https://user@a.example" }, /alert_url: Expected https:/],
  [{ ...SIGNED, alert_url: "teams=https://a.example" }, /alert_url: Expected https:/],
  [{ ...SIGNED, alert_url: "http://127.0.0.1/x" }, /loopback .*--webhook-private-addresses true/],
  [{ ...SIGNED, alert_url: "http://[::1]/x" }, /loopback/],
  [{ ...SIGNED, alert_url: "env:BAD" }, /env:BAD is no http or https URL/],
  [{ ...SIGNED, alert_url: "env:NONE" }, /env:NONE has no value/],
  [{ alert_secret: SECRET, alert_url: "https://a.example" }, /not the secret itself/],
  [{ alert_secret: "env:BAD", alert_url: "https://a.example" }, /not 'whsec_'/],
  [{ alert_causes: "budget,weather" }, /alert_causes: Expected some of budget, /],
  [{ alert_quiet: "22-7" }, /22:00-07:00 Europe\/Berlin/],
  [{ alert_quiet: "22:00-07:00 Europe/Atlantis" }, /alert_quiet: /],
  [{ alert_quiet: "07:00-07:00" }, /alert_quiet: /],
  [{ alert_error_ratio: "0" }, /alert_error_ratio/],
  [{ backup_every: "5m" }, /backup_every: .*12h, 1d or 1w/],
  [{ backup_keep: "0" }, /backup_keep/],
  [{ backup_to: "ftp://host/x" }, /a folder or s3:\/\/BUCKET\/PREFIX: backups go to no other URL/],
  [{ backup_to: "s3://Bucket/x" }, /Expected s3:\/\/BUCKET\/PREFIX: a bucket's name in small/],
  [{ backup_to: "s3://bucket/a/../b" }, /Expected s3:\/\/BUCKET\/PREFIX/],
];

for (const [flags, why] of REFUSED) {
  Deno.test(`settings ${JSON.stringify(flags)} are refused`, async () => {
    const found = (await faults(flags, { env })).join("\n");
    assert.match(found, why);
    assert.ok(!found.includes(SECRET), "a secret is repeated");
  });
}

Deno.test("private addresses are taken where the operator allows them", async () => {
  const flags = { ...SIGNED, alert_url: "http://10.0.0.7/x", webhook_private_addresses: "true" };
  assert.equal((await load(flags, { env })).settings.alerts.targets.length, 1);
});

Deno.test("quiet hours go over midnight and follow the zone through the year", () => {
  const night = parseQuietHours("22:00-07:00 Europe/Berlin")!;
  const at = (text: string) => isQuiet(night, Date.parse(text));
  // Berlin is one hour ahead of UTC in winter, two in summer.
  assert.deepEqual(
    ["2026-01-10T20:59Z", "2026-01-10T21:00Z", "2026-01-11T05:59Z", "2026-01-11T06:00Z"].map(at),
    [false, true, true, false],
  );
  assert.deepEqual(
    ["2026-07-10T19:59Z", "2026-07-10T20:00Z", "2026-07-11T04:59Z", "2026-07-11T05:00Z"].map(at),
    [false, true, true, false],
  );
  const noon = parseQuietHours("12:00-13:00")!;
  assert.equal(noon.zone, "UTC");
  assert.equal(isQuiet(noon, Date.parse("2026-07-10T12:59Z")), true);
  assert.equal(isQuiet(noon, Date.parse("2026-07-10T13:00Z")), false);
});
