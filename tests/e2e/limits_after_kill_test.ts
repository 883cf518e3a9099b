/**
 * Neither kill -9 nor a restart is a way around a limit, a budget or a pause.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate } from "../support/executable.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes:
      - { id: b/e, provider: builtin, sale: { input: "0", output: "0", request: "1" } }
  - id: full-1
    kind: chat
    routes:
      - id: b/full
        provider: builtin
        upstream_model: echo-1
        sale: { free: true }
        limits: { requests_per_minute: 2 }
  - id: video-2
    kind: video
    routes: [{ id: b/v, provider: builtin, upstream_model: "video-2:slow-60000", sale: { free: true } }]
projects:
  - { id: default, unlimited: true }
  - { id: requests, unlimited: true, limits: { requests_per_minute: 4 } }
  - { id: tokens, unlimited: true, limits: { tokens_per_minute: 60 } }
  - { id: films, unlimited: true, limits: { open_video_tasks: 1 } }
  - { id: filmed, unlimited: true, limits: { requests_per_minute: 1 } }
  - { id: spent, budgets: { monthly: "1.5" } }
  - { id: braked, unlimited: true, budgets: { spend_brake: 2, spend_brake_floor: "1.5" } }
`;

const messages = [{ role: "user", content: "Hi" }];
const chat = { model: "echo-1", messages, max_tokens: 8 };
const film = { model: "video-2", prompt: "x", size: "640x360", seconds: "1" };

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Calls until it is refused; the refusal, and how many were answered. */
async function untilRefused(
  call: () => Promise<Response>,
): Promise<Refusal & { answered: number }> {
  for (let answered = 0;; answered++) {
    assert.ok(answered < 50, "no call was refused");
    const response = await call();
    const body = await response.json();
    if (response.status !== 200) {
      return { status: response.status, message: body.error.message, answered };
    }
  }
}

/** Whose call is refused, and how. */
function refusals(gateway: ServedGateway, keys: Readonly<Record<string, string>>) {
  const createFilm = (project: string) => () =>
    fetch(`${gateway.url}/v1/videos`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${keys[project]}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(film),
    });
  return {
    requests: () => gateway.chat(keys.requests!, chat),
    tokens: () => gateway.chat(keys.tokens!, chat),
    route: () => gateway.chat(keys.default!, { ...chat, model: "full-1" }),
    films: createFilm("films"),
    filmed: createFilm("filmed"),
    spent: () => gateway.chat(keys.spent!, chat),
    braked: () => gateway.chat(keys.braked!, chat),
  };
}

const EXPECTED: Readonly<Record<string, readonly [status: number, message: RegExp]>> = {
  requests: [429, /^This project's limit of 4 requests per minute is reached: try again in \d+ s$/],
  tokens: [429, /^This project's limit of 60 tokens per minute is reached/],
  route: [429, /b\/full|capacity|full/],
  films: [429, /^This project's limit of 1 unfinished video tasks is reached/],
  filmed: [429, /^This project's limit of 1 requests per minute is reached/],
  spent: [402, /^The monthly budget of 1\.50000000 of this project \(spent\) is reached/],
  braked: [402, /^The spend brake has paused this project \(braked\)/],
};

Deno.test("what was refused before kill -9 is refused after it, and `resume` lets it go on", async () => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  await gateway.credit("spent", "100");
  const keys: Record<string, string> = {};
  const projects = ["default", "requests", "tokens", "films", "filmed", "spent", "braked"];
  for (const project of projects) keys[project] = await gateway.key(project);
  const filled = Object.entries(refusals(gateway, keys)).map(async ([name, call]) => {
    const { status, message, answered } = await untilRefused(call);
    assert.equal(status, EXPECTED[name]![0], `${name}: ${message}`);
    assert.match(message, EXPECTED[name]![1]);
    assert.ok(answered > 0, name);
  });
  await Promise.all(filled);
  await gateway.server.kill();

  const { dataDir } = gateway.server;
  await using again = await serveGateway({ dataDir });
  const calls = refusals(again, keys);
  for (const [name, call] of Object.entries(calls)) {
    const response = await call();
    const body = await response.json();
    assert.equal(response.status, EXPECTED[name]![0], `${name}: ${JSON.stringify(body)}`);
    assert.match(body.error.message, EXPECTED[name]![1]);
  }
  const rows = await again.cli("projects", "list");
  const row = (id: string) => rows.find((one: { id: string }) => one.id === id);
  assert.deepEqual(row("spent").reached_budgets, ["monthly"]);
  assert.notEqual(row("braked").paused, null);
  const listed = await runTollgate(["projects", "list", "--data-dir", dataDir]);
  assert.match(listed.stdout, /^braked .* paused /m);
  assert.match(
    listed.stdout,
    /^spent .* monthly budget reached .*2\.0+ of 1\.50000000 this month/m,
  );
  for (const name of ["spent", "braked"] as const) {
    const { paused, reached_budgets } = await again.cli("projects", "resume", name);
    assert.deepEqual([paused, reached_budgets], [null, []]);
    const response = await calls[name]();
    assert.equal(response.status, 200, await response.text());
  }
  await again.server.kill();

  await using last = await serveGateway({ dataDir });
  const resumed = refusals(last, keys);
  for (const name of ["spent", "braked"] as const) {
    const next = await last.cli("projects", "list");
    const { paused, spent } = next.find(({ id }: { id: string }) => id === name);
    assert.deepEqual([paused, spent[name === "spent" ? "month" : "hour"]], [null, "1.00000000"]);
    const response = await resumed[name]();
    assert.equal(response.status, 200, await response.text());
  }
});

Deno.test("`projects set` and `keys set` take budgets, and say what is wrong with them", async () => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { dataDir } = gateway.server;
  const project = await gateway.cli("projects", "set", "default", "--daily-budget", "2");
  assert.deepEqual(project.budgets, { daily: "2.00000000" });
  const { id } = await gateway.cli(
    ...["keys", "create", "--project", "default", "--spend-brake", "5"],
  );
  const key = await gateway.cli(
    ...["keys", "set", id, "--monthly-budget", "9.5", "--spend-brake", "none", "--name", "web"],
  );
  assert.deepEqual([key.name, key.budgets], ["web", { monthly: "9.50000000" }]);
  const facts = await runTollgate(
    ["projects", "set", "default", "--spend-brake", "10", "--data-dir", dataDir],
  );
  assert.match(
    facts.stdout,
    /^budgets +0\.00000000 of 2\.00000000 today, brake at 10 usual hours$/m,
  );
  assert.match(facts.stdout, /^spent +0\.00000000 this hour, .* today, .* this month \(UTC\)$/m);
  for (
    const [args, code, message] of [
      [["projects", "set", "default", "--daily-budget", "0"], 2, /positive decimal number/],
      [["keys", "set", id], 2, /Nothing to change: .*keys set --help/],
      [["keys", "set", id, "--spend-brake", "1.5"], 2, /whole number of 1 or more/],
      [["keys", "resume", "key_none"], 1, /There is no key 'key_none'/],
      [["projects", "resume", "none"], 1, /no project 'none'/i],
    ] as const
  ) {
    const done = await runTollgate([...args, "--data-dir", dataDir]);
    assert.deepEqual([done.code, done.stdout], [code, ""], done.stderr);
    assert.match(done.stderr, message);
  }
});
