/**
 * The proxies that `deploy/proxies` sets up, in front of the program: they stream, pass what is
 * large, and tell who asked.
 *
 * @module
 */

import assert from "node:assert/strict";
import { needsTool, runTool } from "../../support/outside_tool.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { until } from "../../support/until.ts";

/** A proxy's own file, made to listen without TLS at a free port in front of another server. */
interface Proxy {
  readonly file: string;
  readonly program: string;
  adapt(text: string, ports: { readonly own: number; readonly server: string }): string;
  args(file: string, folder: string): readonly string[];
}

const PROXIES: readonly Proxy[] = [
  {
    file: "deploy/proxies/nginx.conf",
    program: "nginx",
    adapt: (text, { own, server }) =>
      `daemon off; master_process off; pid nginx.pid; error_log stderr;\nevents {}\n` +
      `http { access_log off; client_body_temp_path body; proxy_temp_path proxy;\n` +
      text.replace("443 ssl http2", `127.0.0.1:${own}`).replace("127.0.0.1:8080;", `${server};`)
        .replaceAll(/^ *ssl_cert.*$/gm, "") +
      "}",
    args: (file, folder) => ["-p", folder, "-c", file],
  },
  {
    file: "deploy/proxies/Caddyfile",
    program: "caddy",
    adapt: (text, { own, server }) =>
      "{\n\tadmin off\n\tauto_https off\n}\n" +
      text.replace(/^ai\.example\.com/m, `http://127.0.0.1:${own}`)
        .replace("reverse_proxy 127.0.0.1:8080", `reverse_proxy ${server}`),
    args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
  },
];

/** More than any other body may have. */
const MANY_BYTES = 60 * 1024 * 1024;
const CALLER = "127.0.0.9";

function event(delta: string): Uint8Array {
  const chunk = {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { content: delta }, finish_reason: null }],
  };
  return new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
}

for (const proxy of PROXIES) {
  const name = `${proxy.program} streams, passes large bodies and tells who asked`;
  Deno.test(name, needsTool(proxy.program, "curl"), async () => {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-proxy-" });
    const hasArrived = Promise.withResolvers<void>();
    // It says its second word when the first one has arrived: what waits for the end never ends.
    await using upstream = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => {
        const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
          async start(controller) {
            controller.enqueue(new Uint8Array(event("first")));
            await hasArrived.promise;
            controller.enqueue(new Uint8Array(event("second")));
            controller.enqueue(new TextEncoder().encode("data: [DONE]\n\n"));
            controller.close();
          },
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      },
    );
    await using gateway = await serveGateway({
      args: ["--trusted-proxies", "127.0.0.1", "--log-format", "json"],
    });
    await gateway.cli(
      "providers",
      "add",
      "vllm",
      "--base-url",
      urlOf(upstream),
      "--models",
      "m",
      "--yes",
    );
    const own = freePort();
    const text = proxy.adapt(await Deno.readTextFile(proxy.file), {
      own,
      server: new URL(gateway.url).host,
    });
    const file = `${folder}/proxy.conf`;
    await Deno.writeTextFile(file, text);
    await using _running = start(proxy, { file, folder });
    const base = `http://127.0.0.1:${own}`;
    await until("the proxy listens", () =>
      fetch(`${base}/healthz`).then(async (answer) => {
        await answer.body?.cancel();
        return answer.ok;
      }, () => false));

    const authorization = `Bearer ${gateway.server.key}`;
    const response = await fetch(`${base}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        stream: true,
        messages: [{ role: "user", content: "Hello" }],
      }),
    });
    let said = "";
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      said += piece;
      if (said.includes("first")) hasArrived.resolve();
    }
    assert.match(said, /second[^]*\[DONE\]/);

    const form = new FormData();
    form.set("purpose", "batch");
    form.set("file", new Blob([new Uint8Array(MANY_BYTES).fill(32)]), "many.jsonl");
    const upload = await fetch(`${base}/v1/files`, {
      method: "POST",
      headers: { authorization },
      body: form,
    });
    const answer = await upload.json();
    assert.equal(upload.status, 200, JSON.stringify(answer));
    assert.equal(answer.bytes, MANY_BYTES);

    // The address that it was asked from, whatever the caller claims.
    const wrong = ["-H", "authorization: Bearer sk-tg-wrong", "-H", "x-forwarded-for: 203.0.113.7"];
    await runTool("curl", ["-s", "--interface", CALLER, ...wrong, `${base}/v1/models`]);
    await until("the refusal is logged", () => gateway.server.stderr.includes('"status":401'));
    const line = gateway.server.stderr.split("\n").find((one) => one.includes('"status":401'))!;
    assert.equal(JSON.parse(line).address, CALLER);
    assert.ok(!gateway.server.stderr.includes("203.0.113.7"));
    await Deno.remove(folder, { recursive: true });
  });
}

function start({ program, args }: Proxy, { file, folder }: { file: string; folder: string }) {
  const process = new Deno.Command(program, {
    args: [...args(file, folder)],
    cwd: folder,
    env: { HOME: folder },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      process.kill("SIGKILL");
      await process.status;
    },
  };
}

function urlOf({ addr }: Deno.HttpServer<Deno.NetAddr>): string {
  return `http://127.0.0.1:${addr.port}/v1`;
}

function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}
