/**
 * Uploads that come byte by byte, and answers that lie on the disk when the program is killed: they
 * starve nobody, and nothing of them stays.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { mediaCatalogue } from "../support/media_gateway.ts";
import { otherAnswer } from "../support/fault_upstream/other_answers.ts";
import { assertBooksAddUp } from "../support/paying_gateway.ts";
import { RawSocket } from "../support/raw_socket.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const SLOW = 200;
const BYTES = 25_000_000;

const filesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", new File([new Uint8Array(BYTES)], "speech.mp3", { type: "audio/mpeg" }));
  return form;
}

async function post(
  { url }: ServedGateway,
  { path, key, body }: { readonly path: string; readonly key: string; readonly body: FormData },
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(url + path, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

/** Begins an upload of 25 MB, of which little comes. */
async function beginUpload({ url }: ServedGateway, path: string, key: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  await socket.send([
    `POST ${path} HTTP/1.1`,
    "host: x",
    `authorization: Bearer ${key}`,
    "content-type: multipart/form-data; boundary=xyz",
    `content-length: ${BYTES}`,
    "",
    "--xyz",
    'content-disposition: form-data; name="file"; filename="a.mp3"',
    "",
    "a few bytes",
  ].join("\r\n"));
  return socket;
}

Deno.test("200 uploads that do not go on hold up nobody, and leave nothing when their callers go", async () => {
  await using upstream = await startFakeUpstream(({ target }) =>
    jsonReply(otherAnswer(target, {})!)
  );
  await using gateway = await serveGateway({ catalogue: mediaCatalogue(upstream.url) });
  await gateway.credit("paying", "1");
  const [slow, key] = [await gateway.key("default"), await gateway.key("paying")];
  const spooled = () => filesIn(`${gateway.server.dataDir}/uploads`).length;
  const sockets: RawSocket[] = [];
  const paths = ["/v1/audio/transcriptions", "/v1/files", "/v1/images/edits"];
  for (let at = 0; at < SLOW; at++) {
    sockets.push(await beginUpload(gateway, paths[at % paths.length]!, slow));
  }
  await until("all slow uploads to be under way", () => spooled() === SLOW);
  for (const one of [key, slow]) {
    const heard = await post(gateway, {
      path: "/v1/audio/transcriptions",
      key: one,
      body: formOf({ model: "hearer" }),
    });
    assert.deepEqual([heard.status, JSON.parse(heard.text).text], [200, "Hello"], heard.text);
    const kept = await post(gateway, {
      path: "/v1/files",
      key: one,
      body: formOf({ purpose: "user_data" }),
    });
    assert.deepEqual([kept.status, JSON.parse(kept.text).bytes], [200, BYTES], kept.text);
  }
  assert.equal(spooled(), SLOW);
  for (const socket of sockets) socket[Symbol.dispose]();
  await until("nothing to be left of them", () => spooled() === 0);
  assert.equal(filesIn(`${gateway.server.dataDir}/files`).length, 2);
  await assertBooksAddUp(gateway);
});

Deno.test("an upload and an image on its way to a caller leave nothing when the program is killed", async () => {
  const b64_json = "A".repeat(20_000_000);
  await using upstream = await startFakeUpstream(jsonReply({ created: 1, data: [{ b64_json }] }));
  await using first = await serveGateway({ catalogue: mediaCatalogue(upstream.url) });
  await first.credit("paying", "1");
  const key = await first.key("paying");
  const { dataDir } = first.server;
  const image = await fetch(`${first.url}/v1/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "painter-by-image", prompt: "A fox" }),
  });
  assert.equal(image.status, 200);
  using socket = await beginUpload(first, "/v1/files", key);
  await until("both to be on the disk", () => filesIn(`${dataDir}/uploads`).length === 2);
  await first.server.kill();
  await assert.rejects(image.text());
  assert.match((await socket.readToEnd()).text, /^$/);
  await using second = await serveGateway({ dataDir });
  assert.deepEqual(filesIn(`${dataDir}/uploads`), []);
  assert.deepEqual(filesIn(`${dataDir}/files`), []);
  const { balance } = await second.cli("projects", "show", "paying");
  // Its answer was on its way: the image is paid for, once.
  assert.equal(balance, "0.96000000");
  await assertBooksAddUp(second);
});
