/**
 * Codex itself, unmodified, finishes a file edit through the gateway, over an upstream of each
 * dialect. Only where `TOLLGATE_CODEX` names its executable (0.169.0 was tried): what it sends is
 * recorded in `agents/`, and judged there in every run.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type RecordedRequest, type Reply, startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { agentCatalogue, DIALECTS, type Edit, EDITS } from "./agents/scene.ts";
import { playReply } from "./agents/scripted_model.ts";

const CODEX = Deno.env.get("TOLLGATE_CODEX");

Deno.test({
  name: "Codex finishes a file edit over an upstream of each dialect",
  ignore: CODEX === undefined,
  async fn(test) {
    for (const dialect of DIALECTS) {
      for (const { name, model, play } of EDITS) {
        await test.step(`${name} over ${dialect}`, async () => {
          await using upstream = await startFakeUpstream(playReply(play));
          await using gateway = await serveGateway({
            catalogue: agentCatalogue({ dialect, model, url: upstream.url }),
          });
          const key = await gateway.key("default");
          const { printed, file } = await runCodex({ model, url: gateway.url, key });
          assert.equal(file, "One\nthree\n", printed);
          assert.ok(printed.includes(play.word), printed);
          const report = await gateway.cli("usage", "report");
          assert.ok(JSON.stringify(report).includes(model));
          // Each turn asks once: what a client takes for broken it asks for again.
          assert.equal(upstream.requests.length, play.acts.length + 1);
        });
      }
    }
  },
});

Deno.test({
  name: "Codex has its conversation compacted by a model that it knows nothing of",
  ignore: CODEX === undefined,
  async fn(test) {
    for (const dialect of ["chat", "messages"] as const) {
      await test.step(dialect, async () => {
        const [, { model, play }] = EDITS as readonly [Edit, Edit];
        const act = playReply(play);
        const sum = playReply({ acts: [], word: "One line is read already." });
        const isSummary = ({ body }: RecordedRequest) => body.includes("Write this summary");
        await using upstream = await startFakeUpstream((request, index) =>
          isSummary(request) ? sum(request) : index === 0 ? filled(act(request)) : act(request)
        );
        await using gateway = await serveGateway({
          catalogue: agentCatalogue({ dialect, model, url: upstream.url }),
        });
        const key = await gateway.key("default");
        // By this name it asks for what OpenAI itself does, and after so many tokens.
        const settings = { name: "OpenAI", compactAfter: 20_000 };
        const { printed, file } = await runCodex({ model, url: gateway.url, key, ...settings });
        assert.equal(file, "One\nthree\n", printed);
        assert.equal(upstream.requests.filter(isSummary).length, 1);
        const after = upstream.requests[upstream.requests.findIndex(isSummary) + 1]!;
        assert.match(after.body, /One line is read already/);
      });
    }
  },
});

/** The same, with a prompt that fills a context. */
function filled(reply: Reply): Reply {
  const steps = reply.steps.map((step) =>
    typeof step === "string"
      ? step.replaceAll(/"(prompt|input|total)_tokens":\d+/g, '"$1_tokens":200000')
      : step
  );
  return { ...reply, steps };
}

interface CodexRun {
  readonly model: string;
  readonly url: string;
  readonly key: string;
  /** The provider's. */
  readonly name?: string;
  readonly compactAfter?: number;
}

async function runCodex(
  { model, url, key, name = "Tollgate", compactAfter = 1_000_000 }: CodexRun,
): Promise<{ readonly printed: string; readonly file: string }> {
  const root = await Deno.makeTempDir({ prefix: "codex" });
  try {
    const home = `${root}/home`;
    const work = `${root}/work`;
    await Promise.all([Deno.mkdir(home), Deno.mkdir(work)]);
    await Deno.writeTextFile(`${work}/note.txt`, "One\ntwo\n");
    await Deno.writeTextFile(
      `${home}/config.toml`,
      `model = "${model}"
model_provider = "tollgate"
model_auto_compact_token_limit = ${compactAfter}
[model_providers.tollgate]
name = "${name}"
base_url = "${url}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"
`,
    );
    const { stdout, stderr } = await new Deno.Command(CODEX!, {
      args: [
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "--json",
        "In note.txt, replace two with three.",
      ],
      cwd: work,
      clearEnv: true,
      env: { HOME: home, CODEX_HOME: home, TOLLGATE_KEY: key, PATH: "/usr/bin:/bin" },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    const file = await Deno.readTextFile(`${work}/note.txt`);
    return { printed: text.decode(stdout) + text.decode(stderr), file };
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
