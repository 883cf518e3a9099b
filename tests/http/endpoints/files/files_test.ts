import assert from "node:assert/strict";
import { deleteFile, showFile } from "../../../../src/admin/files.ts";
import { setProject } from "../../../../src/admin/accounts/projects.ts";
import { runOperation } from "../../../../src/admin/base/run_operation.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { RawSocket } from "../../../support/raw_socket.ts";
import { until } from "../../../support/until.ts";

/** A gateway with callers of two projects. */
async function startFileScene(options: Parameters<typeof startTestGateway>[0] = {}) {
  const gateway = await startTestGateway(options);
  const key = await gateway.key("default");
  const ask = (path: string, init: RequestInit = {}, asKey = key) =>
    fetch(`${gateway.url}/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${asKey}`, ...init.headers },
    });
  const upload = (
    content: BlobPart,
    { name = "lines.jsonl", purpose = "batch", fields = {}, headers = {}, asKey = key }: {
      readonly name?: string;
      readonly purpose?: string;
      readonly fields?: Readonly<Record<string, string>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly asKey?: string;
    } = {},
  ) => {
    const form = new FormData();
    form.set("purpose", purpose);
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set("file", new File([content], name));
    return ask("/files", { method: "POST", body: form, headers }, asKey);
  };
  return {
    gateway,
    key,
    ask,
    upload,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

const filesOf = ({ dataDir }: TestGateway, folder: string) =>
  [...Deno.readDirSync(`${dataDir}/${folder}`)].map(({ name }) => name);

Deno.test("files are kept, listed, sent and deleted", async () => {
  await using at = await startFileScene();
  const made = await at.upload("one\ntwo\n", { name: "ü.jsonl" });
  const file = await made.json();
  assert.equal(made.status, 200, JSON.stringify(file));
  assert.match(file.id, /^file-[a-z2-7]{26}$/);
  assert.deepEqual(
    [file.object, file.bytes, file.filename, file.purpose, file.status],
    ["file", 8, "ü.jsonl", "batch", "processed"],
  );
  assert.equal(file.expires_at - file.created_at, 30 * 86_400);
  assert.deepEqual(await (await at.ask(`/files/${file.id}`)).json(), file);

  const other = await (await at.upload("x", {
    purpose: "user_data",
    fields: { "expires_after[anchor]": "created_at", "expires_after[seconds]": "3600" },
  })).json();
  assert.equal(other.expires_at - other.created_at, 3_600);
  const kept = await (await at.upload("x", { purpose: "user_data" })).json();
  assert.equal(kept.expires_at, null);

  const ids = async (query: string) => {
    const page = await (await at.ask(`/files?${query}`)).json();
    return [page.data.map(({ id }: { id: string }) => id), page.has_more];
  };
  assert.deepEqual(await ids(""), [[kept.id, other.id, file.id], false]);
  assert.deepEqual(await ids("order=asc&limit=2"), [[file.id, other.id], true]);
  assert.deepEqual(await ids(`order=asc&after=${other.id}`), [[kept.id], false]);
  assert.deepEqual(await ids("purpose=user_data&limit=1"), [[kept.id], true]);
  assert.deepEqual(await ids("purpose=vision"), [[], false]);
  assert.equal((await at.ask(`/files?after=file-${"a".repeat(26)}`)).status, 400);
  assert.equal((await at.ask("/files?limit=0")).status, 400);

  const content = await at.ask(`/files/${file.id}/content`);
  assert.equal(content.headers.get("x-content-type-options"), "nosniff");
  assert.match(content.headers.get("content-disposition")!, /filename="_.jsonl".*%C3%BC\.jsonl/);
  assert.equal(await content.text(), "one\ntwo\n");
  const part = await at.ask(`/files/${file.id}/content`, { headers: { range: "bytes=4-6" } });
  assert.equal(part.status, 206);
  assert.equal(await part.text(), "two");

  const gone = await at.ask(`/files/${file.id}`, { method: "DELETE" });
  assert.deepEqual(await gone.json(), { id: file.id, object: "file", deleted: true });
  for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) {
    assert.equal((await at.ask(path)).status, 404);
  }
  assert.deepEqual(filesOf(at.gateway, "files").sort(), [other.id, kept.id].sort());
  await until("uploads to go", () => filesOf(at.gateway, "uploads").length === 0);
});

Deno.test("an operator's deletion is one for the caller, and gives its room back", async () => {
  const catalogue = "projects: [{ id: default, unlimited: true, quotas: { file_bytes: 10 } }]";
  await using at = await startFileScene({ catalogue });
  const file = await (await at.upload("12345678")).json();
  assert.equal((await at.upload("123")).status, 503, "its room is taken");
  const input = { file_id: file.id };
  const deps = at.gateway.admin;
  const shown = await runOperation(showFile, { deps, input });
  assert.deepEqual([shown.project, shown.bytes, shown.purpose], ["default", 8, "batch"]);
  assert.equal(await Deno.readTextFile(shown.path), "12345678");
  await runOperation(deleteFile, { deps, input });
  assert.equal((await at.ask(`/files/${file.id}`)).status, 404);
  assert.deepEqual(filesOf(at.gateway, "files"), []);
  assert.equal((await at.upload("123")).status, 200, "its room is there again");
});

Deno.test("a project's files are nobody else's", async () => {
  const catalogue = "projects: [{ id: default, unlimited: true }, { id: other, unlimited: true }]";
  await using at = await startFileScene({ catalogue });
  const file = await (await at.upload("secret")).json();
  const asKey = await at.gateway.key("other");
  for (
    const [path, method] of [
      [`/files/${file.id}`, "GET"],
      [`/files/${file.id}/content`, "GET"],
      [`/files/${file.id}`, "DELETE"],
    ] as const
  ) {
    const answer = await at.ask(path, { method }, asKey);
    assert.equal(answer.status, 404);
    assert.doesNotMatch(await answer.text(), /secret|lines/);
  }
  assert.deepEqual((await (await at.ask("/files", {}, asKey)).json()).data, []);
  assert.equal((await at.ask(`/files/${file.id}`)).status, 200);
});

Deno.test("an upload that is repeated is kept once", async () => {
  await using at = await startFileScene();
  const headers = { "idempotency-key": "one" };
  const first = await (await at.upload("same", { headers })).json();
  const again = await at.upload("same", { headers });
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(await again.json(), first);
  assert.equal((await at.upload("different", { headers })).status, 400);
  assert.deepEqual(filesOf(at.gateway, "files"), [first.id]);
  await at.ask(`/files/${first.id}`, { method: "DELETE" });
  assert.notEqual((await (await at.upload("same", { headers })).json()).id, first.id);
});

Deno.test("a project's own quota of files goes before that of all", async () => {
  await using at = await startFileScene({
    uploads: { quotaBytes: 10 },
    catalogue: `
projects:
  - { id: default, quotas: { file_bytes: 20 } }
  - { id: others }
`,
  });
  const asKey = await at.gateway.key("others");
  const status = async (options: { readonly asKey?: string } = {}) => {
    const response = await at.upload("x".repeat(8), options);
    const { error } = await response.json();
    return [response.status, /more than the (\d+) bytes/.exec(error?.message ?? "")?.[1]];
  };
  assert.deepEqual(await status(), [200, undefined]);
  assert.deepEqual(await status(), [200, undefined]);
  assert.deepEqual(await status(), [503, "20"]);
  assert.deepEqual(await status({ asKey }), [200, undefined]);
  assert.deepEqual(await status({ asKey }), [503, "10"]);
  const deps = at.gateway.admin;
  const shown = await runOperation(setProject, {
    deps,
    input: { project: "others", quotas: { file_bytes: "16" } },
  });
  assert.deepEqual(shown.quotas, { file_bytes: 16 });
  assert.deepEqual(await status({ asKey }), [200, undefined]);
});

Deno.test("uploads that cannot be kept are refused, and leave nothing", async () => {
  await using at = await startFileScene({ uploads: { maxBytes: 1_000, quotaBytes: 1_500 } });
  const refused = async (response: Promise<Response>, status: number, code: string) => {
    const answer = await response;
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.code], [status, code], error.message);
  };
  await refused(at.upload(""), 400, "invalid_value");
  await refused(at.upload("x", { purpose: "nothing" }), 400, "invalid_value");
  await refused(at.upload("x".repeat(1_001)), 413, "request_too_large");
  await refused(at.upload("x".repeat(100_000)), 413, "request_too_large");
  await refused(at.upload("x", { fields: { unknown: "1" } }), 400, "invalid_value");
  await refused(
    at.upload("x", {
      fields: { "expires_after[anchor]": "created_at", "expires_after[seconds]": "9" },
    }),
    400,
    "invalid_value",
  );
  const asJson = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  await refused(at.ask("/files", asJson), 415, "unsupported_content_type");
  const noFile = new FormData();
  noFile.set("purpose", "batch");
  await refused(
    at.ask("/files", { method: "POST", body: noFile }),
    400,
    "missing_required_parameter",
  );
  await refused(at.upload("x", { asKey: "sk-tg-none" }), 401, "PROJECT_KEY_INVALID");
  assert.equal((await at.upload("x".repeat(900))).status, 200);
  await refused(at.upload("x".repeat(900)), 503, "storage_full");
  assert.equal(filesOf(at.gateway, "files").length, 1);
  await until("uploads to go", () => filesOf(at.gateway, "uploads").length === 0);
});

Deno.test("an upload that breaks off leaves no file", async () => {
  await using at = await startFileScene();
  const { hostname, port } = new URL(at.gateway.url);
  const socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
  await socket.send(
    `POST /v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${at.key}\r\n` +
      "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n" +
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' +
      "x".repeat(200_000),
  );
  await until("the file to come", () => filesOf(at.gateway, "uploads").length === 1);
  socket.conn.close();
  await until("the file to go", () => filesOf(at.gateway, "uploads").length === 0);
  assert.deepEqual(filesOf(at.gateway, "files"), []);
});

Deno.test("files outlive a restart; what a crash has left goes", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-test-" });
  try {
    let kept: { readonly id: string };
    let key: string;
    {
      await using at = await startFileScene({ dataDir });
      kept = await (await at.upload("stays")).json();
      key = at.key;
    }
    await Deno.writeTextFile(`${dataDir}/uploads/1.7.part`, "left");
    await Deno.writeTextFile(`${dataDir}/files/file-${"a".repeat(26)}`, "left");
    await using at = await startFileScene({ dataDir });
    assert.equal(await (await at.ask(`/files/${kept.id}/content`, {}, key)).text(), "stays");
    assert.deepEqual(filesOf(at.gateway, "uploads"), []);
    assert.deepEqual(filesOf(at.gateway, "files"), [kept.id]);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
