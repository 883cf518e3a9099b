/**
 * What the console's page of a refusal says of what was changed: only what is known.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Hono } from "@hono/hono";
import type { ConsoleEnv } from "../../src/console/frame/console_env.ts";
import { OWNER } from "../../src/domain/roles.ts";
import { showRefusal } from "../../src/console/frame/refusal_page.tsx";
import { type ErrorName, GatewayError } from "../../src/errors.ts";

async function refusal(method: "GET" | "POST", error: ErrorName) {
  const app = new Hono<ConsoleEnv>();
  app.use(async (context, next) => {
    context.set("formToken", "token");
    context.set("rights", OWNER);
    await next();
  });
  app.on(method, "/", () => {
    throw new GatewayError(error, "What went <b>wrong</b>");
  });
  app.onError((thrown, context) => showRefusal(context, thrown as GatewayError));
  const answer = await app.request("/", { method }, {});
  return { status: answer.status, text: await answer.text() };
}

Deno.test("a refused form says that nothing was changed, where that is known", async () => {
  for (
    const [error, status] of [
      ["invalid_value", 400],
      ["conflict", 400],
      ["version_conflict", 409],
      ["not_found", 404],
      ["storage_full", 503],
    ] as const
  ) {
    const page = await refusal("POST", error);
    assert.equal(page.status, status);
    assert.match(page.text, /Not done/);
    assert.match(page.text, /Nothing was changed\./);
    assert.ok(page.text.includes("What went &lt;b&gt;wrong"), "it stays text");
  }
});

Deno.test("a failure in the middle of an act claims nothing, and leads to the audit log", async () => {
  for (const error of ["internal_error", "reading_failed", "shutting_down"] as const) {
    const page = await refusal("POST", error);
    assert.doesNotMatch(page.text, /Nothing was changed/);
    assert.match(page.text, /nobody knows whether anything was changed/);
    assert.match(page.text, /<a href="\/console\/audit">/);
  }
});

Deno.test("a page that cannot be shown speaks of no change", async () => {
  for (const error of ["not_found", "invalid_value", "internal_error"] as const) {
    const page = await refusal("GET", error);
    assert.match(page.text, /Not shown/);
    assert.doesNotMatch(page.text, /changed/);
  }
});
