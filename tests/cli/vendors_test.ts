/**
 * Vendors that are added by name, and the models of their upstreams.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { bench } from "./vendor_bench.ts";

const KEY = "sk-typed-0123456789abcdef";

bench(
  "a vendor is added with its models, what they can do and their prices",
  async ({ out, run, said }) => {
    const { stdout: lines, stderr } = await run("providers add openai --yes");
    assert.match(lines, /^\+ provider openai$/m);
    // Who has agreed beforehand reads it once.
    assert.doesNotMatch(stderr, /provider openai$/m);
    const route = JSON.parse(await out("routes show openai/gpt-6.1-sol --json"));
    const { input, cached_input, output, when } = route.settings.cost;
    assert.deepEqual([input, cached_input, output], ["2.00", "0.10", "10.00"]);
    assert.equal(when[0].service_tier, "flex");
    // What is offered no longer is left out, and further kinds are not.
    assert.doesNotMatch(lines, /sora-2|o4-mini/);
    for (const route of ["gpt-transcribe", "gpt-image-2", "omni-moderation-latest"]) {
      assert.ok(lines.includes(`+ route openai/${route}\n`), route);
    }
    assert.deepEqual(route.settings.sale, { markup: "1.00" });
    // Models of every kind stand in one list: each price says what it is for.
    const models = await out("models list");
    assert.match(models, /^ID +KIND +ROUTES +FROM +PER +MANUAL/m);
    assert.match(models, /^gpt-6\.1-sol .* 1\.00000000 +million tokens, USD /m);
    assert.match(models, /^gpt-image-2 .* \d\.\d{8} +(million tokens|image), USD /m);
    assert.equal(route.settings.supports.responses, true);
    assert.equal(route.settings.supports.context_tokens, 1050000);
    const provider = JSON.parse(await out("providers show openai --json"));
    assert.deepEqual(provider.api_keys, ["env:OPENAI_API_KEY"]);
    assert.equal(provider.base_url, "https://api.openai.com/v1");
    assert.match(await said("providers add openai --yes"), /Nothing to change/);
  },
);

bench("the difference is shown first, and nothing is changed by nobody", async ({ run, out }) => {
  const alone = await run("providers add anthropic --models claude-opus-5-5");
  assert.equal(alone.code, 2);
  assert.match(alone.stderr, /^\+ model claude-opus-5-5$/m);
  assert.match(alone.stderr, /nobody can be asked: add --yes/);
  const no = await run("providers add anthropic --models claude-opus-5-5", {
    answers: () => false,
  });
  assert.equal(no.code, 1);
  const look = await run("providers add anthropic --models claude-opus-5-5 --dry-run");
  assert.match(look.stdout, /^\+ route anthropic\/claude-opus-5-5$/m);
  assert.equal((await run("providers show anthropic")).code, 1);
  await out("providers add anthropic --models claude-opus-5-5", { answers: () => true });
  await out("providers show anthropic");
});

bench("a markup that is no factor is refused, whether prices are known or not", async (on) => {
  for (const markup of ["x", "1,1", "0", "-1", "1001", "1e2"]) {
    for (const model of ["nobody-knows-it", "gpt-5-mini"]) {
      const { code, stdout, stderr } = await on.run(
        `providers add openai --yes --models ${model} --markup ${markup}`,
      );
      assert.deepEqual([code, stdout], [2, ""], `${model} ${markup} ${stderr}`);
      assert.match(stderr, /markup.*Expected a factor above 0 and at most 1000, such as 1\.10/);
    }
  }
  assert.equal((await on.run("providers show openai")).code, 1, "nothing was added");
  await on.out("providers add openai --yes --models gpt-5-mini --markup 1.1");
  const { settings } = JSON.parse(await on.out("routes show openai/gpt-5-mini --json"));
  assert.deepEqual(settings.sale, { markup: "1.10" });
});

bench("a key on the command line is refused with every other way to give it", async (on) => {
  for (const key of [KEY, "ENV:NAME", "/etc/openai.key"]) {
    const { code, stdout, stderr } = await on.run(`providers add openai --key ${key} --yes`);
    assert.deepEqual([code, stdout], [2, ""]);
    for (const way of [/--key - .*stdin.*< FILE/, /env:NAME/, /file:\/PATH/, /credential:NAME/]) {
      assert.match(stderr, way);
    }
    assert.match(stderr, /Without --key it is asked for on a terminal/);
    assert.ok(!stderr.includes(key === "ENV:NAME" ? "ENV:NAME" : key), stderr);
  }
  assert.equal((await on.run("providers show openai")).code, 1, "nothing was added");
  const odd = await on.run("providers add openai --key env:1X --yes");
  assert.match(odd.stderr, /env:NAME for an environment variable/);
});

bench("a typed key is in a file that nobody else reads, and nowhere else", async (on) => {
  const questions: string[] = [];
  const lines = (question: string) => {
    questions.push(question);
    return question.includes("key") ? KEY : "https://r.openai.azure.com";
  };
  const ended = await on.run("providers add azure --models gpt-5-mini", {
    answers: () => true,
    lines,
  });
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(questions.length, 2);
  const path = `${on.dataDir}/keys/azure.key`;
  assert.equal(await Deno.readTextFile(path), `${KEY}\n`);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  assert.equal((await Deno.stat(`${on.dataDir}/keys`)).mode! & 0o777, 0o700);
  const shown = await on.out("providers show azure --json") + await on.out("audit list --json");
  assert.ok(shown.includes(`file:${path}`));
  assert.ok(!`${shown}${ended.stdout}${ended.stderr}`.includes(KEY));
});

bench("a key that is given again takes the place of the one before", async (on) => {
  const typing = (key: string) => ({ answers: () => true, lines: () => key });
  await on.out("providers add deepseek", typing(KEY));
  const path = `${on.dataDir}/keys/deepseek.key`;
  const no = await on.run("providers add deepseek", {
    ...typing("sk-another"),
    answers: () => false,
  });
  assert.equal(no.code, 1);
  assert.match(no.stderr, /^~ key of provider deepseek$/m);
  assert.equal(await Deno.readTextFile(path), `${KEY}\n`);
  const said = await on.said("providers add deepseek", typing("sk-another"));
  assert.match(said, /The new key of provider deepseek is in its file/);
  assert.doesNotMatch(said, /Nothing to change|sk-another/);
  assert.equal(await Deno.readTextFile(path), "sk-another\n");
  assert.match(await on.said("providers add deepseek", typing("")), /Nothing to change/);
});

bench(
  "a reference that is typed is one, and an empty answer is the usual variable",
  async ({ out }) => {
    const lines = (answer: string) => ({ answers: () => true, lines: () => answer });
    await out("providers add groq", lines("env:MY_GROQ"));
    await out("providers add xai", lines(""));
    assert.deepEqual(JSON.parse(await out("providers show groq --json")).api_keys, ["env:MY_GROQ"]);
    assert.deepEqual(JSON.parse(await out("providers show xai --json")).api_keys, [
      "env:XAI_API_KEY",
    ]);
  },
);

bench("what only the operator knows is named where nobody can be asked", async ({ run, out }) => {
  const { code, stderr } = await run("providers add bedrock --yes");
  assert.equal(code, 2);
  assert.match(stderr, /Amazon Bedrock needs 'aws_region': the region, such as us-east-1/);
  await out("providers add bedrock --region eu-west-1 --yes");
  const { settings } = JSON.parse(await out("providers show bedrock --json"));
  assert.equal(settings.aws_region, "eu-west-1");
  assert.match(await out("models list"), /claude-sonnet-4-6/);
});

bench("an engine of one's own is free, and its models are named", async ({ out, said }) => {
  assert.match(
    await said("providers add vllm --yes"),
    /no models yet.*tollgate providers models vllm.*tollgate providers add vllm --models NAME/s,
  );
  assert.match(
    await said("providers add lmstudio --id own --yes"),
    /tollgate providers models own.*providers add lmstudio --id own --models NAME/s,
  );
  await out("providers add ollama --models qwen3:8b --yes");
  const { settings } = JSON.parse(await out("routes show ollama/qwen3:8b --json"));
  assert.deepEqual(settings.sale, { free: true });
  assert.deepEqual(JSON.parse(await out("providers show ollama --json")).api_keys, []);
});

const LIST = {
  object: "list",
  data: [
    { id: "gpt-5-mini-2025-08-07", object: "model" },
    {
      id: "vendor/priced:free",
      context_length: 131072,
      top_provider: { max_completion_tokens: 4096 },
      pricing: { prompt: "0.000000075", completion: "0.0000003", input_cache_read: "0.00000001" },
    },
    { id: "-1 price", pricing: { prompt: "-1", completion: "-1" } },
    { id: "auto", pricing: { prompt: "-1", completion: "-1" } },
    { no: "name" },
  ],
};

bench("the models of an upstream are listed with what is known of their price", async (on) => {
  await using upstream = await startFakeUpstream(jsonReply(LIST));
  await on.out(`providers set up --kind openai_compatible --base-url ${upstream.url} --auth none`);
  const rows = JSON.parse(await on.out("providers models up --json"));
  assert.deepEqual(rows.map(({ model, cost }: { model: string; cost: unknown }) => [model, cost]), [
    ["auto", null],
    ["gpt-5-mini-2025-08-07", null],
    ["vendor/priced:free", { input: "0.075", cached_input: "0.01", output: "0.30" }],
  ]);
  assert.match(await on.out("providers models up"), /^auto +- +no price known/m);
  const lines = await on.out("providers models up --lines");
  assert.match(lines, /^models:\n {2}- \{ id: auto, .*# no price known$/m);
  await Deno.writeTextFile(`${on.dataDir}/m.yaml`, lines);
  assert.match(await on.out(`apply ${on.dataDir}/m.yaml`), /^\+ route up\/vendor\/priced:free$/m);
  const { settings } = JSON.parse(await on.out("routes show up/vendor/priced:free --json"));
  assert.deepEqual(settings.cost, { input: "0.075", cached_input: "0.01", output: "0.30" });
  assert.deepEqual(settings.supports, { context_tokens: 131072, max_output_tokens: 4096 });
});

bench("an upstream that lists nothing is said to be the trouble", async (on) => {
  await using upstream = await startFakeUpstream(jsonReply({ error: "no" }, { status: 404 }));
  await on.out(`providers set up --kind openai_compatible --base-url ${upstream.url} --auth none`);
  const { code, stderr } = await on.run("providers models up");
  assert.equal(code, 1);
  assert.match(
    stderr,
    /Cannot list the models of provider 'up': The upstream answered 404.*providers test up/,
  );
});

bench("what is exported changes nothing when it is applied", async ({ out, said, dataDir }) => {
  await Deno.mkdir(dataDir, { recursive: true });
  await Deno.writeTextFile(
    `${dataDir}/c.yaml`,
    `providers:
  - { id: up, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none, headers: { x-team: "a: b" }, video_form: json }
  - { id: az, kind: azure, base_url: "https://r.openai.azure.com", entra: { tenant: t, client_id: c, client_secret: env:S } }
  - { id: builtin, kind: builtin }
models:
  - id: a
    kind: chat
    aliases: [b]
    routes:
      - { id: up/a, provider: up, enabled: false, cost: { input: "1", output: "2", when: [{ context_above: 9, input: "2" }] }, sale: { markup: "1.1" }, set: { x: null, y: {} }, drop: [z] }
  - id: film
    kind: video
    routes:
      - { id: builtin/film, provider: builtin, upstream_model: video-2, free: true }
projects:
  - { id: shop, models: ["a*"], limits: { concurrent: 3 }, budgets: { daily: "5.00" } }
  - { id: free, unlimited: true }
`,
  );
  await out(`apply ${dataDir}/c.yaml`);
  await out("providers add anthropic --yes");
  await out("routes disable anthropic/claude-opus-5");
  const text = await out("catalogue export");
  assert.ok(!text.includes("timeouts"), "defaults are left out");
  await Deno.writeTextFile(`${dataDir}/e.yaml`, text);
  assert.match(await said(`apply ${dataDir}/e.yaml --prune`), /Nothing to change/);
  await out(`apply ${dataDir}/e.yaml --data-dir ${dataDir}2`);
  assert.equal(await out(`catalogue export --data-dir ${dataDir}2`), text);
});

bench("a model that the upstream does not list is told of by the test", async (on) => {
  await using upstream = await startFakeUpstream(
    jsonReply({ data: [{ id: "qwen3:8b" }, { id: "phi:latest" }] }),
  );
  await on.out(`providers set up --kind openai_compatible --base-url ${upstream.url} --auth none`);
  await Deno.writeTextFile(
    `${on.dataDir}/m.yaml`,
    `models:
  - id: a
    kind: chat
    routes:
      - { id: up/a, provider: up, upstream_model: "qwen3:8b", free: true }
      - { id: up/b, provider: up, upstream_model: phi, free: true }
      - { id: up/c, provider: up, upstream_model: "gemma3:4b", free: true }
  - { id: up/*, kind: chat, routes: [{ id: up/*, provider: up, free: true }] }
`,
  );
  await on.out(`apply ${on.dataDir}/m.yaml`);
  const [row] = JSON.parse(await on.out("providers test up --json"));
  assert.equal(row.detail, "2 models; it does not list gemma3:4b, the model of route up/c");
});

const TOLD = {
  type: "model",
  id: "claude-opus-5-5",
  max_input_tokens: 1_000_000,
  max_tokens: 64_000,
  capabilities: {
    image_input: { supported: true },
    structured_outputs: { supported: true },
    effort: { supported: true, low: { supported: true }, high: { supported: true } },
    thinking: {
      supported: true,
      types: { adaptive: { supported: true }, disabled: { supported: true } },
    },
  },
};

bench(
  "how a model wants to be asked is in the catalogue, and what its upstream says otherwise is told",
  async (on) => {
    await using upstream = await startFakeUpstream(({ target }) =>
      jsonReply(target.includes("/models/") ? TOLD : { data: [TOLD] })
    );
    await Deno.writeTextFile(`${on.dataDir}.key`, "k");
    await on.out(
      `providers add anthropic --models claude-opus-5-5,claude-haiku-4-5,claude-next --base-url ${upstream.url} ` +
        `--key file:${on.dataDir}.key --yes`,
    );
    const supportsOf = async (model: string) =>
      JSON.parse(await on.out(`routes show anthropic/${model} --json`)).settings.supports;
    const { thinking, thinking_off, most_effort, forced_tools, schemas_by, token_factor } =
      await supportsOf("claude-opus-5-5");
    assert.deepEqual(
      [thinking, thinking_off, most_effort, forced_tools, schemas_by, token_factor],
      [
        "effort",
        false,
        "max",
        false,
        "field",
        1.3,
      ],
    );
    assert.equal((await supportsOf("claude-haiku-4-5")).thinking, "budget");
    assert.equal((await supportsOf("claude-next")).thinking, undefined);
    const lines = await on.out("providers models anthropic --lines");
    assert.match(lines, /most_effort: high/);

    const detail = async () =>
      JSON.parse(await on.out("providers test anthropic --json"))[0].detail;
    const told = await detail();
    assert.match(
      told,
      /otherwise of claude-opus-5-5 than route anthropic\/claude-opus-5-5: max_output_tokens 64000 \(here: 128000\), thinking_off true \(here: false\), most_effort high \(here: max\)/,
    );
    assert.match(told, /route anthropic\/claude-haiku-4-5: .*thinking effort \(here: budget\)/);
    assert.doesNotMatch(told, /claude-next|vision/);
    await Deno.writeTextFile(
      `${on.dataDir}/r.json`,
      JSON.stringify({
        supports: { thinking_off: true, most_effort: "high", max_output_tokens: 64000 },
      }),
    );
    await on.out(`routes set anthropic/claude-opus-5-5 --from ${on.dataDir}/r.json`);
    assert.doesNotMatch(await detail(), /claude-opus-5-5/);

    await on.out(`providers add anthropic --models claude-opus-5-5 --dry-run`);
    await Deno.writeTextFile(`${on.dataDir}/c.yaml`, await on.out("catalogue export"));
    assert.match(await on.said(`apply ${on.dataDir}/c.yaml --dry-run`), /^$|Nothing/);
  },
);

bench("a route may say that its model does not think, and say nothing of it again", async (on) => {
  await on.out("providers add ollama --models qwen3:8b --yes");
  const thinking = async () =>
    JSON.parse(await on.out("routes show ollama/qwen3:8b --json")).settings.supports?.thinking;
  await on.out("routes set ollama/qwen3:8b --supports-thinking none");
  assert.equal(await thinking(), "none");
  await on.out("routes set ollama/qwen3:8b --supports-thinking default");
  assert.equal(await thinking(), undefined);
});

bench("a route to a model that is not there says what makes the model", async ({ out, run }) => {
  await out(
    "providers set up --kind openai_compatible --base-url http://127.0.0.1:9/v1 --auth none",
  );
  const { stderr } = await run("routes set up/paid --model paid --provider up");
  assert.match(
    stderr,
    /there is no model 'paid': make it first with `tollgate models set paid --kind KIND`/,
  );
  await out("models set paid --kind chat");
  await out("routes set up/paid --model paid --provider up");
});
