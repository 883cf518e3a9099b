/**
 * Proves the architecture's checker on small made-up graphs: each rule fires, and only where it
 * should.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkCycles, checkFolders, checkImports } from "./support/architecture/import_rules.ts";
import type { ModuleGraph } from "./support/architecture/module_graph.ts";
import { checkStarts } from "./support/architecture/start_rules.ts";
import { checkSources, withoutComments } from "./support/architecture/source_rules.ts";

const DOC = "/**\n * Says what it is.\n *\n * @module\n */\n";

/** Builds a graph from `["from.ts", "to.ts"]` pairs. */
function graphOf(...pairs: readonly (readonly [string, string])[]): ModuleGraph {
  const imports = pairs.map(([from, to]) => ({
    from,
    to,
    isFile: /\.(tsx?|json)$/.test(to),
    load: "at_once" as const,
  }));
  return { files: [], imports, unreadable: [] };
}

/** Builds a graph of one file; `code` follows a proper docblock. */
function fileOf(path: string, code = ""): ModuleGraph {
  return { files: [{ path, text: `${DOC}${code}` }], imports: [], unreadable: [] };
}

Deno.test("checkImports() accepts the ways down", () => {
  const allowed = [
    ["main.ts", "src/cli/run.ts"],
    ["src/cli/serve.ts", "src/app/gateway.ts"],
    ["src/cli/serve.ts", "src/config/load.ts"],
    ["src/app/gateway.ts", "src/http/server.ts"],
    ["src/app/database/driver.ts", "src/storage/sqlite/database.ts"],
    ["src/app/gateway.ts", "src/telemetry/log.ts"],
    ["src/http/endpoints/chat.ts", "src/gateway/call_engine.ts"],
    ["src/http/endpoints/chat.ts", "@hono/hono/streaming"],
    ["src/gateway/call_engine.ts", "src/routing/select_route.ts"],
    ["src/gateway/call_engine.ts", "src/domain/money.ts"],
    ["src/accounts/ledger.ts", "src/storage/ports/entry.ts"],
    ["src/providers/openai_compatible/chat/chat.ts", "src/providers/contract/provider.ts"],
    ["src/storage/sqlite/call_store.ts", "src/storage/ports/entry.ts"],
    ["src/storage/sqlite/call_store.ts", "node:sqlite"],
    ["src/storage/sqlite/x.ts", "src/storage/entries/y.ts"],
    ["src/storage/commit_queue.ts", "src/storage/entries/y.ts"],
    ["src/telemetry/log.ts", "src/metering/call_record.ts"],
    ["src/version.ts", "deno.json"],
    ["src/config/load.ts", "src/documents/yaml_document.ts"],
    ["src/catalog/file_schema.ts", "src/documents/yaml_document.ts"],
    ["src/videos/x.ts", "render/mod.ts"],
    ["src/videos/create_video.ts", "src/videos/task/task_book.ts"],
    ["src/videos/work/runner.ts", "src/videos/make/executor.ts"],
    ["render/painter.ts", "render/frame.ts"],
  ] as const;
  assert.deepEqual(checkImports(graphOf(...allowed)), []);
});

Deno.test("checkImports() lets a dialect know the form between dialects, and no other dialect", () => {
  const allowed = [
    ["src/dialects/registry.ts", "src/dialects/openai_chat/dialect.ts"],
    ["src/dialects/openai_chat/x.ts", "src/dialects/openai_chat/y.ts"],
    ["src/dialects/openai_chat/x.ts", "src/dialects/openai/family.ts"],
    ["src/dialects/openai_chat/x.ts", "src/dialects/turns/blocks.ts"],
    ["src/dialects/openai_chat/x.ts", "src/dialects/base/answer.ts"],
    ["src/dialects/base/x.ts", "src/dialects/turns/blocks.ts"],
    ["src/providers/x.ts", "src/dialects/openai_chat/y.ts"],
  ] as const;
  assert.deepEqual(checkImports(graphOf(...allowed)), []);
  const refused = [
    ["src/dialects/openai_chat/x.ts", "src/dialects/openai_responses/y.ts"],
    ["src/dialects/turns/x.ts", "src/dialects/openai_chat/y.ts"],
    ["src/dialects/turns/x.ts", "src/dialects/base/y.ts"],
    ["src/dialects/base/x.ts", "src/dialects/openai/y.ts"],
    ["src/dialects/openai/x.ts", "src/dialects/openai_chat/y.ts"],
    ["src/dialects/x.ts", "src/providers/y.ts"],
  ] as const;
  for (const edge of refused) assert.equal(checkImports(graphOf(edge)).length, 1, edge.join(" → "));
});

Deno.test("checkImports() lets a kind of provider know what is shared, and no other kind", () => {
  const allowed = [
    ["src/providers/kinds.ts", "src/providers/builtin/kind.ts"],
    ["src/providers/a_new_kind/x.ts", "src/providers/upstream/endpoint.ts"],
    ["src/providers/a_new_kind/x.ts", "src/providers/contract/provider.ts"],
    ["src/providers/a_new_kind/x.ts", "src/providers/openai_compatible/provider.ts"],
    ["src/providers/upstream/x.ts", "src/providers/transport/limits.ts"],
    ["src/catalog/provider_schema.ts", "src/providers/kinds.ts"],
  ] as const;
  assert.deepEqual(checkImports(graphOf(...allowed)), []);
  const refused = [
    ["src/providers/a_new_kind/x.ts", "src/providers/builtin/y.ts"],
    ["src/providers/openai_compatible/x.ts", "src/providers/a_new_kind/y.ts"],
    ["src/providers/anthropic/x.ts", "src/providers/openai_compatible/y.ts"],
    ["src/providers/upstream/x.ts", "src/providers/openai_compatible/y.ts"],
    ["src/providers/transport/x.ts", "src/providers/upstream/y.ts"],
    ["src/providers/x.ts", "src/catalog/y.ts"],
  ] as const;
  for (const edge of refused) assert.equal(checkImports(graphOf(edge)).length, 1, edge.join(" → "));
});

Deno.test("checkImports() names each way that is not down", () => {
  const refused = [
    ["src/domain/money.ts", "src/errors.ts", "domain is below errors and does not import it"],
    ["src/accounts/ledger.ts", "src/gateway/x.ts", "accounts is below gateway and does not"],
    ["src/gateway/x.ts", "src/http/server.ts", "gateway is below http and does not import it"],
    ["src/http/server.ts", "src/app/gateway.ts", "http is below app"],
    ["src/app/gateway.ts", "src/cli/serve.ts", "app is below cli"],
    ["src/cli/serve.ts", "main.ts", "cli is below main"],
    ["src/routing/x.ts", "src/limits/y.ts", "routing and limits have the same rank"],
    ["src/admin/x.ts", "src/gateway/y.ts", "admin and gateway have the same rank"],
    [
      "src/storage/ports/x.ts",
      "src/storage/sqlite/y.ts",
      "storage/sqlite is imported by app alone",
    ],
    [
      "src/app/gateway.ts",
      "src/storage/sqlite/y.ts",
      "src/app/database/ alone names a driver",
    ],
    ["src/cli/x.ts", "src/storage/sqlite/y.ts", "storage/sqlite is imported by app alone"],
    [
      "src/storage/commit_queue.ts",
      "src/storage/sqlite/y.ts",
      "storage/sqlite is imported by app alone",
    ],
    [
      "src/accounts/x.ts",
      "src/storage/entries/y.ts",
      "storage/entries is imported by app, storage, storage/postgres, storage/sqlite alone",
    ],
    ["src/gateway/x.ts", "src/telemetry/y.ts", "telemetry is imported by app alone"],
    ["src/gateway/x.ts", "src/config/y.ts", "config is imported by main, cli, app alone"],
    ["src/storage/sqlite/x.ts", "src/accounts/y.ts", "storage/sqlite imports nothing but"],
    ["src/config/x.ts", "src/gateway/y.ts", "config imports nothing but"],
    ["src/telemetry/x.ts", "src/gateway/y.ts", "telemetry imports nothing but"],
    ["src/gateway/x.ts", "src/extra/y.ts", "src/extra/y.ts has no place in the layout"],
    ["src/stray.ts", "src/domain/money.ts", "src/stray.ts has no place in the layout"],
    ["src/gateway/x.ts", "render/mod.ts", "render is imported by app, videos, catalog, providers"],
    ["src/videos/x.ts", "render/painter.ts", "render is imported by what its deno.json exports"],
    ["render/painter.ts", "src/domain/money.ts", "render imports nothing but itself"],
    ["src/videos/make/x.ts", "src/videos/work/y.ts", "videos/make does not import videos/work"],
    ["src/videos/keep/x.ts", "src/videos/tell/y.ts", "videos/keep does not import videos/tell"],
    ["src/videos/task/x.ts", "src/videos/create_video.ts", "videos/task does not import"],
    ["src/videos/extra/x.ts", "src/videos/task/y.ts", "videos/extra has no place in the layout"],
    ["src/gateway/x.ts", "tests/support/y.ts", "tests/support/y.ts has no place in the layout"],
    ["src/cli/version.ts", "deno.json", "src/version.ts alone reads deno.json"],
    ["src/gateway/x.ts", "@hono/hono", "is imported in http/ and console/ only"],
    ["src/app/gateway.ts", "@hono/hono/streaming", "is imported in http/ and console/ only"],
    ["src/admin/x.ts", "commander", "is imported in cli/ only"],
    ["src/accounts/x.ts", "node:sqlite", "is imported in storage/sqlite/ only"],
    ["src/gateway/x.ts", "node:https", "is imported in providers/transport"],
    ["src/http/server.ts", "node:net", "is imported in providers/transport and http/listener only"],
    ["src/app/gateway.ts", "node:process", "is imported in no place"],
    ["src/providers/x.ts", "npm:zod@4.6.7", "is imported in no place: deno.json names and pins"],
    ["src/domain/money.ts", "zod", "domain is pure and imports no package"],
    ["src/gateway/x.ts", "openai7", "deno.json pins no such package"],
    ["src/gateway/x.ts", "fontkitten", "deno.json pins no such package"],
    ["render/painter.ts", "yaml", "render/deno.json pins no such package"],
  ] as const;
  for (const [from, to, reason] of refused) {
    const violations = checkImports(graphOf([from, to]));
    assert.equal(violations.length, 1, `${from} → ${to}: ${violations}`);
    assert.ok(violations[0]?.startsWith(`${from} → ${to}: ${reason}`), violations[0]);
  }
});

Deno.test("checkCycles() shows the whole way round", () => {
  assert.deepEqual(
    checkCycles(graphOf(["a.ts", "b.ts"], ["b.ts", "c.ts"], ["c.ts", "b.ts"], ["a.ts", "c.ts"])),
    ["b.ts → c.ts → b.ts"],
  );
  assert.deepEqual(checkCycles(graphOf(["a.ts", "a.ts"])), ["a.ts → a.ts"]);
  assert.deepEqual(
    checkCycles(graphOf(["a.ts", "b.ts"], ["a.ts", "c.ts"], ["b.ts", "d.ts"], ["c.ts", "d.ts"])),
    [],
  );
});

Deno.test("checkFolders() names each pair of folders that import each other", () => {
  assert.deepEqual(
    checkFolders(graphOf(
      ["src/a/x.ts", "src/a/b/y.ts"],
      ["src/a/b/z.ts", "src/a/w.ts"],
      ["src/a/x.ts", "src/a/w.ts"],
      ["src/c/x.ts", "src/a/w.ts"],
      ["src/c/x.ts", "zod"],
    )),
    ["src/a ⇄ src/a/b: src/a/x.ts → src/a/b/y.ts, src/a/b/z.ts → src/a/w.ts"],
  );
  assert.deepEqual(checkFolders(graphOf(["main.ts", "src/a.ts"], ["src/a.ts", "src/a/b.ts"])), []);
});

Deno.test("checkSources() names each file that breaks a house rule", () => {
  const refused = [
    [fileOf("src/gateway/x.ts", "\n".repeat(400)), "src/gateway/x.ts: has 405 lines"],
    [fileOf("src/gateway/string_utils.ts"), "its name says nothing about what it is for"],
    [fileOf("src/gateway/helpers/x.ts"), "its name says nothing about what it is for"],
    [fileOf("src/http/index.ts"), "its name says nothing about what it is for"],
    [fileOf("tests/common.ts"), "its name says nothing about what it is for"],
    [fileOf("src/gateway/callEngine.ts"), "its name is not snake_case"],
    [fileOf("src/stray.ts"), "src/stray.ts: has no place in the layout"],
    [
      {
        files: [{ path: "src/app/gateway.ts", text: "export const a = 1;\n/** @module */" }],
        imports: [],
        unreadable: [],
      },
      "src/app/gateway.ts: does not open with @module",
    ],
  ] as const;
  for (const [graph, reason] of refused) {
    const violations = checkSources(graph);
    assert.equal(violations.length, 1, `${reason}: ${violations}`);
    assert.ok(violations[0]?.includes(reason), violations[0]);
  }
});

Deno.test("checkSources() lets only one place touch what is reserved", () => {
  const refused = [
    ["src/cli/x.ts", 'const a = Deno.env.get("A");', "Deno.env belongs to config/"],
    ["src/cli/x.ts", "const a = `${Deno.env}`;", "Deno.env belongs to config/"],
    ["src/cli/x.ts", "process.env.A;", "process.env belongs to config/"],
    ["src/cli/x.ts", "Deno.exit(1);", "Deno.exit belongs to main.ts"],
    ["src/cli/x.ts", "run(Deno.args);", "Deno.args belongs to main.ts"],
    ["src/cli/x.ts", "Deno.exitCode = 1;", "Deno.exitCode belongs to main.ts"],
    ["src/gateway/x.ts", "await fetch(url);", "fetch( belongs to providers/transport"],
    ["src/gateway/x.ts", "globalThis.fetch(url);", "globalThis.fetch( belongs to"],
    ["src/providers/x.ts", "Deno.connect({});", "Deno.connect belongs to providers/transport"],
    ["src/videos/x.ts", "new WebSocket(url);", "new WebSocket( belongs to no place"],
    ["src/http/x.ts", 'import { z } from "zod";', "import { z } belongs to no place"],
    [
      "src/providers/x.ts",
      "JSON.parse(text);",
      "JSON.parse( belongs to providers/upstream/upstream_json.ts",
    ],
  ] as const;
  for (const [path, code, reason] of refused) {
    const violations = checkSources(fileOf(path, code));
    assert.equal(violations.length, 1, `${code}: ${violations}`);
    assert.ok(violations[0]?.startsWith(`${path}:6: ${reason}`), violations[0]);
  }
  const allowed = [
    ["src/config/environment.ts", "Deno.env.toObject();"],
    ["main.ts", "Deno.exit(await run(Deno.args));"],
    ["src/providers/transport/transport.ts", "fetch(url);"],
    ["src/providers/upstream/upstream_json.ts", "JSON.parse(text);"],
    ["src/http/bodies/read_json.ts", "JSON.parse(text);"],
    ["src/providers/transport/connection.ts", "Deno.connectTls({});"],
    ["src/cli/base/control_client.ts", "Deno.createHttpClient({}); fetch(url);"],
    ["src/http/server.ts", "await app.fetch(request); this.#fetch(); prefetch();"],
    ["src/gateway/x.ts", '// Deno.env is read in config/\nconst a = "Deno.exit";'],
    ["bench/main.ts", "Deno.exit(1); fetch(url);"],
  ] as const;
  for (const [path, code] of allowed) assert.deepEqual(checkSources(fileOf(path, code)), [], code);
});

Deno.test("withoutComments() keeps code, lines and templates", () => {
  assert.equal(
    withoutComments('a; // b\n/* c\nd */ e("f//g");\n`h // ${i}`'),
    "a;     \n    \n     e(      );\n`h // ${i}`",
  );
});

Deno.test("checkStarts() shows the way to what a start loads at once, and to nothing else", () => {
  const start = { name: "tool", entries: ["main.ts"], without: ["src/rare/", "yaml"] };
  const { imports, ...rest } = graphOf(
    ["main.ts", "src/a.ts"],
    ["src/a.ts", "src/rare/x.ts"],
    ["src/rare/x.ts", "yaml"],
  );
  assert.deepEqual(checkStarts({ ...rest, imports }, [start]), [
    "tool loads src/rare/: main.ts → src/a.ts → src/rare/x.ts",
    "tool loads yaml: main.ts → src/a.ts → src/rare/x.ts → yaml",
  ]);
  for (const load of ["on_demand", "never"] as const) {
    const later = imports.map((edge) => edge.from === "src/a.ts" ? { ...edge, load } : edge);
    assert.deepEqual(checkStarts({ ...rest, imports: later }, [start]), []);
  }
  assert.deepEqual(checkStarts({ ...rest, imports: [] }, [start]), [
    "tool: there is no src/rare/ any more",
    "tool: there is no yaml any more",
  ]);
});
