import assert from "node:assert/strict";
import { systemClock } from "../../../src/domain/clock.ts";
import { multipartBody } from "../../../src/providers/upstream/multipart_body.ts";
import { createFetchTransport } from "../../../src/providers/transport/fetch_transport.ts";
import { createHttp1Transport } from "../../../src/providers/transport/http1_transport.ts";
import { failureOf, never, timeouts } from "../../support/provider_parts.ts";

const MAKERS = { own: createHttp1Transport, fetch: createFetchTransport };

/** A file of so many bytes, which goes at the end. */
async function fileOf(text: string) {
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(path, text);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path) };
}

for (const [name, create] of Object.entries(MAKERS)) {
  Deno.test(`multipartBody() reaches an upstream through ${name}`, async () => {
    await using file = await fileOf("0123456789abcdef".repeat(200_000));
    let seen: { length: string | null; chunked: string | null; form: FormData } | undefined;
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        seen = {
          length: request.headers.get("content-length"),
          chunked: request.headers.get("transfer-encoding"),
          form: await request.formData(),
        };
        return Response.json({ ok: true });
      },
    );
    const transport = create({ clock: systemClock });
    try {
      const { body, contentType } = multipartBody([
        ["model", "whisper"],
        ["file", {
          path: file.path,
          bytes: 3_200_000,
          filename: 'ü"\r\nx: y.wav',
          contentType: "audio/wav",
        }],
      ]);
      for (let round = 0; round < 2; round++) {
        const response = await transport.request({
          method: "POST",
          url: `http://127.0.0.1:${server.addr.port}/v1/audio`,
          headers: { "content-type": contentType },
          body,
          timeouts: timeouts({}),
          stream: false,
        }, never());
        assert.equal(await response.text(1_000), '{"ok":true}');
        // The runtime's own client sends what it streams in chunks.
        assert.equal(seen!.length, name === "own" ? String(body.bytes) : null);
        assert.equal(seen!.chunked, name === "own" ? null : "chunked");
        assert.equal(seen!.form.get("model"), "whisper");
        const got = seen!.form.get("file") as File;
        assert.equal(got.size, 3_200_000);
        assert.equal(got.type, "audio/wav");
        assert.match(got.name, /^ü.*wav$/s);
        assert.equal(await got.text(), await Deno.readTextFile(file.path));
      }
    } finally {
      transport.close();
    }
  });

  for (
    const [what, bytes] of [["shorter", 500_000], ["longer", 1_000], ["gone", undefined]] as const
  ) {
    Deno.test(`a file that is ${what} than was said fails the request through ${name}`, async () => {
      await using file = await fileOf("x".repeat(400_000));
      await using server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {}, onError: () => new Response("cut") },
        async (request) => {
          await request.arrayBuffer();
          return Response.json({ ok: true });
        },
      );
      const transport = create({ clock: systemClock });
      try {
        const { body } = multipartBody([["file", {
          path: bytes === undefined ? `${file.path}.none` : file.path,
          bytes: bytes ?? 10,
          filename: "a",
          contentType: undefined,
        }]]);
        const { failure } = await failureOf(transport.request({
          method: "POST",
          url: `http://127.0.0.1:${server.addr.port}/`,
          headers: {},
          body,
          timeouts: timeouts({}),
          stream: false,
        }, never()));
        assert.equal(failure, "broken");
      } finally {
        transport.close();
      }
    });
  }
}

Deno.test("an upstream that refuses a large form before it has read it is heard", async () => {
  await using file = await fileOf("x".repeat(30_000_000));
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const closed = Promise.withResolvers<void>();
  const serving = (async () => {
    using conn = await listener.accept();
    await conn.read(new Uint8Array(1_000));
    await conn.write(new TextEncoder().encode(
      "HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno",
    ));
    await conn.read(new Uint8Array(1));
    await closed.promise;
  })();
  const transport = createHttp1Transport({ clock: systemClock });
  try {
    const { body } = multipartBody([["file", {
      path: file.path,
      bytes: 30_000_000,
      filename: "a",
      contentType: undefined,
    }]]);
    const response = await transport.request({
      method: "POST",
      url: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/`,
      headers: {},
      body,
      timeouts: timeouts({}),
      stream: false,
    }, never());
    assert.equal(response.status, 413);
    assert.equal(await response.text(10), "no");
  } finally {
    closed.resolve();
    await serving;
    listener.close();
    transport.close();
  }
});
