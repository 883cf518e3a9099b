/**
 * A page of another origin calls the gateway from Chromium: with `fetch`, and with OpenAI's client in
 * its browser mode.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ROOT } from "../../build/paths.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "./videos/browser.ts";

const CALL = `fetch(BASE + "/v1/chat/completions", {
  method: "POST",
  headers: { authorization: "Bearer " + KEY, "content-type": "application/json", "x-stainless-os": "x" },
  body: JSON.stringify({ model: "echo-1", messages: [{ role: "user", content: "Hello" }] }),
}).then(async (answer) => ({
  status: answer.status,
  id: answer.headers.get("x-request-id"),
  text: (await answer.json()).choices[0].message.content,
}), (error) => ({ error: error.name }))`;

/** What the page has of OpenAI's client, in one file. */
const MODULE = `import { OpenAI } from "openai7"; globalThis.OpenAI = OpenAI;`;

const SDK = `(async () => {
  await import("/openai.js");
  const client = new OpenAI({ baseURL: BASE + "/v1", apiKey: KEY, dangerouslyAllowBrowser: true });
  const body = { model: "echo-1", messages: [{ role: "user", content: "Hello" }] };
  const { data, request_id } = await client.chat.completions.create(body).withResponse();
  let streamed = "";
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
    streamed += chunk.choices[0]?.delta.content ?? "";
  }
  return { text: data.choices[0].message.content, streamed, request_id };
})()`;

Deno.test("pages of the origins that are set call the API from Chromium, and others do not", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  const bundle = await bundled();
  await using site = startSite(bundle);
  await using other = startSite(bundle);
  await using gateway = await serveGateway({ args: ["--cors-origins", site.origin] });
  await using page = await startBrowser();
  const told = async (origin: string, expression: string) => {
    await page.open(`${origin}/`);
    const values = `const BASE = ${JSON.stringify(gateway.url)}, KEY = ${
      JSON.stringify(gateway.server.key)
    };`;
    return await page.evaluate(`(async () => { ${values} return await ${expression}; })()`);
  };

  await test.step("fetch from the page that is named", async () => {
    const { status, id, text } = await told(site.origin, CALL);
    assert.equal(status, 200);
    assert.match(id, /^req_/);
    assert.match(text, /Hello/);
  });

  await test.step("OpenAI's client in its browser mode, whole and as a stream", async () => {
    const { text, streamed, request_id } = await told(site.origin, SDK);
    assert.match(text, /Hello/);
    assert.equal(streamed, text);
    assert.match(request_id, /^req_/);
  });

  await test.step("another page is told nothing", async () => {
    assert.deepEqual(await told(other.origin, CALL), { error: "TypeError" });
  });
});

Deno.test("without the setting no page may call", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async () => {
  await using site = startSite("");
  await using gateway = await serveGateway();
  const answer = await fetch(`${gateway.url}/v1/models`, { headers: { origin: site.origin } });
  await answer.body?.cancel();
  assert.equal(answer.headers.get("access-control-allow-origin"), null);
  assert.equal(answer.headers.get("vary"), null);
  const preflight = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "OPTIONS",
    headers: { origin: site.origin, "access-control-request-method": "POST" },
  });
  await preflight.body?.cancel();
  assert.equal(preflight.status, 405);
});

/** A page at an origin of its own. */
function startSite(script: string): AsyncDisposable & { readonly origin: string } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) =>
      new URL(request.url).pathname === "/openai.js"
        ? new Response(script, { headers: { "content-type": "text/javascript" } })
        : new Response("<!doctype html><title>A page</title>", {
          headers: { "content-type": "text/html" },
        }),
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
}

async function bundled(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-page-" });
  try {
    await Deno.writeTextFile(`${folder}/page.js`, MODULE);
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--quiet", "--platform=browser", `--config=${ROOT}/tests/deno.json`],
        `${folder}/page.js`,
      ],
      stdin: "null",
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
