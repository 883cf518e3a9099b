/**
 * The npm package, installed where nobody has ever been, serves a call.
 *
 * @module
 */

import assert from "node:assert/strict";
import { npmPackage } from "../../build/release/npm_package.ts";
import { programKind } from "../support/executable.ts";
import { runTool } from "../support/outside_tool.ts";
import { until } from "../support/until.ts";

const isBuilt = { ignore: programKind !== "executable" };

Deno.test("npx tollgate serves from an empty home", isBuilt, async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-npm-" });
  try {
    const home = `${folder}/home`;
    await Deno.mkdir(home);
    const name = await npmPackage(folder, { version: "0.1.0", epoch: 1_700_000_000 });
    const env = { ...Deno.env.toObject(), HOME: home, npm_config_cache: `${folder}/cache` };
    const args = ["install", "--no-audit", "--no-fund", "--prefix", folder, `${folder}/${name}`];
    const installed = await runTool("npm", args, { cwd: folder, env });
    assert.equal(installed.code, 0, installed.stderr);

    const child = new Deno.Command(`${folder}/node_modules/.bin/tollgate`, {
      args: ["serve", "--listen", "127.0.0.1:0", "--data-dir", `${folder}/data`],
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "", HOME: home },
      cwd: home,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    let said = "";
    const reading = (async () => {
      for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) said += piece;
    })();
    const [, base, key] = await until(
      "it says its key",
      () => /Base URL +(\S+)\n.*?(sk-tg-\S+)/s.exec(said) ?? undefined,
    );
    const response = await fetch(`${base}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo-1", messages: [{ role: "user", content: "Hello" }] }),
    });
    assert.equal(response.status, 200);
    assert.match((await response.json()).choices[0].message.content, /Hello/);
    child.kill("SIGTERM");
    await child.status;
    await reading;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
