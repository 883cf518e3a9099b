/**
 * Codex itself, unmodified, finishes a file edit through the gateway, over an upstream of each
 * dialect. Only where `TOLLGATE_CODEX` names its executable (0.169.0 was tried): what it sends is
 * recorded in `agents/`, and judged there in every run.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { agentCatalogue, DIALECTS, EDITS } from "./agents/scene.ts";
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

async function runCodex(
  { model, url, key }: { readonly model: string; readonly url: string; readonly key: string },
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
[model_providers.tollgate]
name = "Tollgate"
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
