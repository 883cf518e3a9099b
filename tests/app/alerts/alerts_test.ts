import assert from "node:assert/strict";
import { parseQuietHours } from "../../../src/config/quiet_hours.ts";
import { signWebhook } from "../../../src/providers/transport/sign_webhook.ts";
import { AlertScene, SECRET, type Told, trouble } from "./alert_scene.ts";

const HOUR_MS = 3_600_000;

/** What each message said, in a line. */
function lines(told: readonly Told[]): string[] {
  return told.map(({ body: { type, data } }) =>
    `${type}: ${data.alerts.map(({ id }: { id: string }) => id).join(" ")}${
      data.more > 0 ? ` +${data.more}` : ""
    }`
  );
}

Deno.test("a cause is told once, signed, until it is over, and that is told once", async () => {
  await using scene = new AlertScene();
  scene.troubles = [trouble("one", { project: "shop" })];
  await scene.look();
  await scene.look(10_000);
  assert.deepEqual(lines(scene.told), ["alert.raised: one"]);
  const [{ headers, text, body }] = scene.told as [Told];
  const id = headers.get("webhook-id")!;
  assert.equal(body.id, id);
  assert.equal(
    headers.get("webhook-signature"),
    signWebhook(
      { id, timestamp: Number(headers.get("webhook-timestamp")), body: text },
      { secret: SECRET, previous: undefined },
      scene.clock.now(),
    ),
  );
  assert.deepEqual(body.data.alerts[0], {
    state: "raised",
    cause: "backup",
    id: "one",
    severity: "warning",
    text: "Trouble one",
    help: "tollgate doctor",
    link: "https://gw.example/console/system",
    project: "shop",
    route: null,
    since: "2026-01-01T00:00:00.000Z",
    until: null,
  });
  scene.troubles = [];
  await scene.look(10_000);
  await scene.look(10_000);
  assert.deepEqual(lines(scene.told).slice(1), ["alert.resolved: one"]);
  assert.deepEqual((await scene.alerts.list()).map(({ state }) => state), ["resolved"]);
});

Deno.test("what comes and goes is one alert, and what has not lasted is none", async () => {
  await using scene = new AlertScene();
  const route = trouble("r", { cause: "route", afterMs: 15_000 });
  for (const isDown of [true, false, true, true, true, false, true, false, false]) {
    scene.troubles = isDown ? [route] : [];
    await scene.look(10_000);
  }
  assert.deepEqual(lines(scene.told), ["alert.raised: r"]);
  await scene.look(60_000);
  assert.deepEqual(lines(scene.told), ["alert.raised: r", "alert.resolved: r"]);
  assert.equal(scene.told[1]!.body.data.alerts[0].text, "Trouble r");
});

Deno.test("what else there is to say of the end of an alert is told and listed with it", async () => {
  await using scene = new AlertScene();
  scene.troubles = [trouble("r")];
  await scene.look();
  scene.troubles = [];
  scene.ending = "now it is disabled: it bills twice";
  await scene.look();
  const text = `Trouble r; ${scene.ending}`;
  assert.deepEqual(scene.told.map(({ body }) => body.data.alerts[0].text), ["Trouble r", text]);
  assert.deepEqual((await scene.alerts.list()).map(({ trouble }) => trouble.text), [text]);
});

Deno.test("a restart tells nothing again, and tells what had not arrived under the same id", async () => {
  await using scene = new AlertScene();
  const onceUntil = scene.clock.now() + HOUR_MS;
  scene.troubles = [trouble("mark", { cause: "budget", onceUntil })];
  await scene.look();
  await scene.restart();
  assert.deepEqual(lines(scene.told), ["alert.raised: mark"]);
  // Below it for a while, such as after a resume: it was told for this window.
  scene.troubles = [];
  await scene.look(60_000);
  scene.troubles = [trouble("mark", { cause: "budget", onceUntil })];
  await scene.look(60_000);
  assert.equal(scene.told.length, 1);

  scene.answer = () => new Response(null, { status: 500 });
  scene.troubles.push(trouble("late"));
  await scene.look();
  assert.deepEqual(scene.tries, ["delivered", "answered 500"]);
  scene.answer = () => new Response(null, { status: 204 });
  await scene.restart({ isKilled: true });
  await scene.look(5_000);
  assert.deepEqual(lines(scene.told).slice(1), ["alert.raised: late", "alert.raised: late"]);
  assert.equal(scene.told[1]!.body.id, scene.told[2]!.body.id);
  assert.equal(scene.alerts.targets()[0]!.waiting, 0);
  // The window is over: nobody is told of that.
  scene.troubles = [trouble("late")];
  await scene.look(HOUR_MS);
  assert.equal(scene.told.length, 3);
});

Deno.test("quiet hours hold back all but what is grave, and end with one message of the rest", async () => {
  await using scene = new AlertScene({ quiet: parseQuietHours("22:00-07:00 UTC") });
  scene.troubles = [trouble("a"), trouble("b"), trouble("grave", { severity: "grave" })];
  await scene.look();
  assert.deepEqual(lines(scene.told), ["alert.raised: grave"]);
  scene.troubles = [trouble("b"), trouble("grave", { severity: "grave" })];
  await scene.restart();
  await scene.look(6 * HOUR_MS);
  assert.equal(scene.told.length, 1);
  await scene.look(HOUR_MS);
  assert.deepEqual(lines(scene.told).slice(1), ["alert.summary: b a"]);
  const [b, a] = scene.told[1]!.body.data.alerts;
  assert.deepEqual([b.state, a.state], ["raised", "resolved"]);
  await scene.look(60_000);
  assert.equal(scene.told.length, 2);
});

Deno.test("a crowded minute has ten messages at most, the rest comes in one", async () => {
  await using scene = new AlertScene();
  for (let at = 0; at < 200; at++) {
    scene.troubles.push(trouble(`t${at}`));
    if (at < 20) await scene.look();
  }
  await scene.look();
  assert.equal(scene.told.length, 10);
  await scene.look(61_000);
  assert.equal(scene.told.length, 11);
  const { type, data } = scene.told[10]!.body;
  assert.equal(type, "alert.summary");
  assert.equal(data.alerts.length, 50);
  const told = scene.told.slice(0, 10).reduce((sum, { body }) => sum + body.data.alerts.length, 0);
  assert.equal(told + data.alerts.length + data.more, 200);
});

Deno.test("only the causes asked for are told, and all are listed", async () => {
  await using scene = new AlertScene({ causes: ["disk"] });
  scene.troubles = [trouble("quiet"), trouble("loud", { cause: "disk" })];
  await scene.look();
  assert.deepEqual(lines(scene.told), ["alert.raised: loud"]);
  assert.equal((await scene.alerts.list()).length, 2);
});

Deno.test("what another one covers counts as told", async () => {
  await using scene = new AlertScene();
  scene.troubles = [trouble("100"), trouble("80", { isCovered: true })];
  await scene.look();
  scene.troubles = [trouble("80")];
  await scene.look(10_000);
  assert.deepEqual(lines(scene.told), ["alert.raised: 100", "alert.resolved: 100"]);
});

Deno.test("Slack's form is text without a signature, and names in it call nobody", async () => {
  await using scene = new AlertScene({ paths: ["/slack", "/hook"] });
  scene.troubles = [trouble("x", { text: "Project <!channel> & co" })];
  await scene.look();
  const slack = scene.told.find(({ path }) => path === "/slack")!;
  assert.deepEqual(Object.keys(slack.body), ["text"]);
  assert.equal(slack.headers.get("webhook-signature"), null);
  assert.match(slack.body.text, /Project &lt;!channel&gt; &amp; co/);
  assert.match(slack.body.text, /<https:\/\/gw\.example\/console\/system\|console>/);
  assert.ok(scene.told.some(({ path }) => path === "/hook"));
});

Deno.test("a receiver that fails is tried again with growing waits, named, and given up", async () => {
  await using scene = new AlertScene({ paths: ["/bad", "/good"] });
  scene.answer = ({ path }) => new Response(null, { status: path === "/bad" ? 404 : 204 });
  scene.troubles = [trouble("one")];
  await scene.look();
  assert.deepEqual(scene.alerts.targets().map(({ trouble, waiting }) => [trouble, waiting]), [
    ["answered 404", 1],
    [undefined, 0],
  ]);
  assert.equal(scene.alerts.warnings().length, 1);
  const tried = () => scene.told.filter(({ path }) => path === "/bad").length;
  await scene.look(4_000);
  assert.equal(tried(), 1);
  for (const seconds of [1, 30, 120, 600, 1_800, 7_200, 21_600]) await scene.look(seconds * 1_000);
  assert.equal(tried(), 8);
  assert.equal(scene.alerts.targets()[0]!.waiting, 0);
  await scene.look(24 * HOUR_MS);
  assert.equal(tried(), 8);
  scene.answer = () => new Response(null, { status: 204 });
  const answers = await scene.alerts.test();
  assert.deepEqual(answers.map(({ delivered, answer }) => [delivered, answer]), [
    [true, "answered 204"],
    [true, "answered 204"],
  ]);
  assert.deepEqual(scene.alerts.warnings(), []);
});

Deno.test("what verification finds lasts until it finds nothing, also over a restart", async () => {
  await using scene = new AlertScene();
  scene.alerts.verified(3);
  await scene.look();
  await scene.restart();
  assert.deepEqual((await scene.alerts.list()).map(({ id, state }) => [id.split("@")[0], state]), [
    ["ledger:verify", "raised"],
  ]);
  scene.alerts.verified(0);
  await scene.look(10_000);
  assert.deepEqual(lines(scene.told), ["alert.raised: verify", "alert.resolved: verify"]);
});
