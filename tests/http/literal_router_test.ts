import { Hono } from "@hono/hono";
import assert from "node:assert/strict";
import { LiteralRouter } from "../../src/http/literal_router.ts";

type Served = [status: number, text: string, seen: string | null];

function makeApp(app: Hono): (method: string, path: string) => Promise<Served> {
  app.use("/admin/*", async (context, next) => {
    context.header("x-seen", "yes");
    await next();
  });
  app.post("/chat", (context) => context.text("chat"))
    .get("/items", (context) => context.text("list"))
    .get("/items/edits", (context) => context.text("edits"))
    .get("/items/:id", (context) => context.text(`one ${context.req.param("id")}`))
    .get("/items/:id/content", (context) => context.text(`content ${context.req.param("id")}`))
    .get("/models/:id{.+}", (context) => context.text(`model ${context.req.param("id")}`))
    .get("/admin/keys", (context) => context.text("keys"));
  return async (method, path) => {
    const response = await app.request(path, { method });
    return [response.status, await response.text(), response.headers.get("x-seen")];
  };
}

const ASKED: readonly [method: string, path: string][] = [
  ["POST", "/chat"],
  ["GET", "/chat"],
  ["DELETE", "/chat"],
  ["PROPFIND", "/chat"],
  ["GET", "/items"],
  ["GET", "/items/edits"],
  ["GET", "/items/a"],
  ["GET", "/items/b"],
  ["GET", "/items/a/content"],
  ["GET", "/items/edits/content"],
  ["GET", "/models/vendor/name"],
  ["GET", "/admin/keys"],
  ["HEAD", "/admin/keys"],
  ["GET", "/admin/none"],
  ["GET", "/%69tems"],
  ["GET", "/items/a%2Fb"],
  ["GET", "/items/"],
  ["GET", "/__proto__"],
];

Deno.test("LiteralRouter finds what Hono's own router finds, asked once or again", async () => {
  const own = makeApp(new Hono());
  const literal = makeApp(new Hono({ router: new LiteralRouter() }));
  for (const [method, path] of [...ASKED, ...ASKED]) {
    assert.deepEqual(await literal(method, path), await own(method, path), `${method} ${path}`);
  }
  assert.deepEqual(await literal("POST", "/chat"), [200, "chat", null]);
  assert.deepEqual(await literal("GET", "/admin/keys"), [200, "keys", "yes"]);
});

Deno.test("LiteralRouter searches once for a path without parameters, and each time for others", () => {
  const router = new LiteralRouter<string>();
  router.add("GET", "/items/edits", "edits");
  router.add("GET", "/items/:id", "one");
  assert.equal(router.match("GET", "/items/edits"), router.match("GET", "/items/edits"));
  assert.notEqual(router.match("GET", "/items/a"), router.match("GET", "/items/a"));
  assert.notEqual(router.match("LOCK", "/items/edits"), router.match("LOCK", "/items/edits"));
});

Deno.test("LiteralRouter finds what is added after it was asked", () => {
  const router = new LiteralRouter<string>();
  router.add("GET", "/a", "first");
  assert.deepEqual(router.match("GET", "/a")[0].map(([handler]) => handler), ["first"]);
  router.add("ALL", "/*", "later");
  assert.deepEqual(router.match("GET", "/a")[0].map(([handler]) => handler), ["first", "later"]);
});
