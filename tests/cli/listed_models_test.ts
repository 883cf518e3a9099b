/**
 * Lists of models as hostile or odd upstreams send them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { type Bench, bench } from "./vendor_bench.ts";

async function addProvider({ out }: Bench, url: string): Promise<void> {
  await out(`providers set up --kind openai_compatible --base-url ${url} --auth none`);
}

bench("a list of 100,000 models is cut off, and said to be", async (on) => {
  const data = Array.from({ length: 100_000 }, (_none, index) => ({ id: `m${index}` }));
  await using upstream = await startFakeUpstream(jsonReply({ object: "list", data }));
  await addProvider(on, upstream.url);
  const { code, stdout, stderr } = await on.run("providers models up --json");
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).length, 10_000);
  assert.match(stderr, /lists more than 10000 models: the rest is left out/);
});

bench(
  "names that would fool a terminal or a file are left out, and none is there twice",
  async (on) => {
    const names = [
      "good",
      "good",
      "\u001b[2Jcleared",
      "line\nbreak",
      "right\u202eleft",
      "a".repeat(201),
      "a?b",
      "a*b",
      "",
      "../../etc",
      "__proto__",
      "x/*",
    ];
    const data = [...names.map((id) => ({ id })), null, 7, [], { id: 5 }, { id: { a: 1 } }];
    await using upstream = await startFakeUpstream(jsonReply({ object: "list", data }));
    await addProvider(on, upstream.url);
    const rows = JSON.parse(await on.out("providers models up --json"));
    assert.deepEqual(
      rows.map(({ model }: { model: string }) => model),
      ["../../etc", "__proto__", "a*b", "a?b", "good", "x/*"],
    );
    const table = await on.out("providers models up");
    // deno-lint-ignore no-control-regex -- exactly those must not be there
    assert.doesNotMatch(table, /[\u0000-\u0009\u000b-\u001f\u202e]/);
    const lines = await on.out("providers models up --lines");
    await Deno.writeTextFile(`${on.dataDir}/m.yaml`, lines);
    const applied = await on.out(`apply ${on.dataDir}/m.yaml`);
    for (const id of ["good", "a-b", "a-b-2", "etc", "proto__"]) {
      assert.ok(applied.includes(`+ model ${id}\n`), `${id}\n${applied}`);
    }
    const { settings } = JSON.parse(await on.out("routes show up/a-b-2 --json"));
    assert.equal(settings.upstream_model, "a?b");
  },
);

bench("ten thousand names that all make the same id get one each", async (on) => {
  const marks = (count: number) => "!".repeat(count);
  const names = Array.from(
    { length: 10_000 },
    (_none, at) => `${marks(1 + at % 100)}${"#".repeat(1 + Math.floor(at / 100))}`,
  );
  const data = ["model", "model-7", ...names.slice(2)].map((id) => ({ id }));
  await using upstream = await startFakeUpstream(jsonReply({ object: "list", data }));
  await addProvider(on, upstream.url);
  const lines = (await on.out("providers models up --lines")).split("\n");
  const ids = lines.flatMap((line) => /^ {2}- \{ id: (\S+),/.exec(line)?.[1] ?? []);
  assert.equal(ids.length, 10_000);
  assert.equal(new Set(ids).size, 10_000);
  assert.ok(ids.every((id) => /^model(?:-\d+)*$/.test(id)));
});

bench("prices and counts that cannot be are none, and spoil no file", async (on) => {
  const priced = (id: string, prompt: unknown, completion: unknown = "0.000001") => ({
    id,
    pricing: { prompt, completion },
    context_length: id === "huge" ? 1e300 : 8192,
    top_provider: "none",
  });
  const data = [
    priced("huge", "999999"),
    priced("minus", "-0.000001"),
    priced("number", 0.000001),
    priced("long", "0.00000000000000000001"),
    priced("words", "free; rm -rf"),
    priced("good", "0.000001"),
    { id: "list", pricing: ["0.1"] },
  ];
  await using upstream = await startFakeUpstream(jsonReply({ object: "list", data }));
  await Deno.writeTextFile(`${on.dataDir}.key`, "k");
  await on.out(
    `providers set az --kind azure --base-url ${upstream.url} --api-key file:${on.dataDir}.key`,
  );
  const rows = JSON.parse(await on.out("providers models az --json"));
  const cost = Object.fromEntries(
    rows.map(({ model, cost }: { model: string; cost: unknown }) => [model, cost]),
  );
  assert.deepEqual(cost.good, { input: "1.00", output: "1.00" });
  for (const model of ["huge", "minus", "number", "long", "words", "list"]) {
    assert.equal(cost[model], null, model);
  }
  await Deno.writeTextFile(`${on.dataDir}/p.yaml`, await on.out("providers models az --prices"));
  assert.match(
    await on.out(`prices update ${on.dataDir}/p.yaml --dry-run`),
    /\+ price azure\/good/,
  );
  await Deno.writeTextFile(`${on.dataDir}/m.yaml`, await on.out("providers models az --lines"));
  await on.out(`apply ${on.dataDir}/m.yaml --dry-run`);
});

bench("an answer that is no list, or far too large, ends in words that help", async (on) => {
  const wrong: readonly [string, string][] = [
    ["[]", "no object"],
    ['{"data":{}}', "no model list|broken"],
    ['{"data":"none"}', "no model list|broken"],
    ["<html>login</html>", "JSON"],
    [`{"data":[{"id":"${"x".repeat(70_000_000)}"}]}`, "large|bytes|long"],
  ];
  let body = "";
  await using upstream = await startFakeUpstream(() => ({ ...jsonReply({}), steps: [body] }));
  await addProvider(on, upstream.url);
  for (const [text, said] of wrong) {
    body = text;
    const { code, stderr } = await on.run("providers models up");
    assert.equal(code, 1, text.slice(0, 40));
    assert.match(stderr, new RegExp(`Cannot list the models of provider 'up': .*(?:${said})`));
    assert.ok(stderr.length < 2_000);
  }
});
