/**
 * Jobs over HTTP: `Prefer: respond-async` answers 202, and the job is asked for at its own path.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startTestGateway } from "../../../support/gateway.ts";

const ADMIN_KEY = "an-admin-key-for-tests";

Deno.test("a long operation is begun with 202 and followed to its result", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  const ask = (path: string, init: RequestInit & { readonly prefer?: string } = {}) =>
    fetch(`${gateway.url}/admin/v1${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(init.prefer !== undefined && { prefer: init.prefer }),
      },
    });
  const waited = await ask("/ledger/verify", { method: "POST" });
  assert.equal(waited.status, 200);
  const direct = await waited.json();

  const begun = await ask("/ledger/verify", { method: "POST", prefer: "wait=1, Respond-Async" });
  assert.equal(begun.status, 202);
  assert.equal(begun.headers.get("preference-applied"), "respond-async");
  const { id } = await begun.json();
  assert.equal(begun.headers.get("location"), `/admin/v1/jobs/${id}`);
  for (;;) {
    const { state, result, started_by } = await (await ask(`/jobs/${id}`)).json();
    if (state === "running") continue;
    assert.equal(state, "completed");
    assert.deepEqual(result, direct);
    assert.match(started_by, /^admin_api: admin key/);
    break;
  }
  const listed = await (await ask("/jobs")).json();
  assert.deepEqual(listed.data.map((job: { id: string }) => job.id), [id]);

  const cancelled = await ask(`/jobs/${id}/cancel`, { method: "POST" });
  assert.equal(cancelled.status, 400);
  assert.match((await cancelled.json()).error.message, /has ended as completed/);
  const unknown = await ask("/jobs/job_nobodys");
  assert.equal(unknown.status, 404);
  await unknown.body?.cancel();

  // What is short answers at once, whatever is preferred, and what is local is not there.
  const short = await ask("/projects", { prefer: "respond-async" });
  assert.equal(short.status, 200);
  await short.body?.cancel();
  const local = await ask("/backups", { method: "POST", prefer: "respond-async" });
  assert.equal(local.status, 405);
  await local.body?.cancel();
});
