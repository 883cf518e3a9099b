/**
 * `doctor` of a server by itself, whose database on a server says nothing.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AdminDeps } from "../../../src/admin/base/deps.ts";
import { diagnoseRunning } from "../../../src/app/doctor/diagnose_running.ts";
import type { Jobs } from "../../../src/app/jobs/jobs.ts";
import type { LongJob } from "../../../src/app/jobs/worker_protocol.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { GatewayError } from "../../../src/errors.ts";

Deno.test("diagnoseRunning() looks at the database while it asks itself what waits for that, and hands on what it has found", async () => {
  using line = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = line.addr as Deno.NetAddr;
  const looked = line.accept().then((connection) => connection.close());
  /** It answers once somebody looks at the database: later, if nobody does. */
  const facts = async () => {
    await looked;
    throw new GatewayError("storage_away", "It does not answer");
  };
  const deps = {
    process: { pid: 4711 },
    databaseServer: { facts },
    origin: { rights: { role: "owner" } },
    ledger: {},
  };
  const jobs: Extract<LongJob, { readonly kind: "diagnose" }>[] = [];
  const found = await Array.fromAsync(diagnoseRunning({
    dataDir: "/nowhere",
    database: { url: `postgres://tollgate@127.0.0.1:${port}/tg` } as never,
    filmBucket: undefined,
    reserveBytes: 0,
    resolveSecret: () => ({ ok: false, message: "" }),
    proxied: { http: false, https: false },
    clock: systemClock,
    // Nothing else of it is asked for.
    admin: () => deps as unknown as AdminDeps,
    readiness: () => ({ ready: false, reasons: [], warnings: [] }),
    jobs: {
      run(job: typeof jobs[number]) {
        jobs.push(job);
        return Promise.resolve([]);
      },
    } as unknown as Jobs,
  }, { isOffline: true }));
  assert.deepEqual(found, []);
  const [{ server, looked: handedOn } = assert.fail("nothing looks")] = jobs;
  assert.deepEqual(server, {
    pid: 4711,
    answers: undefined,
    silence: { kind: "database_away" },
  });
  assert.equal(handedOn?.isReadable, false);
  assert.match(handedOn.remarks[0]!.detail, /^Cannot use the database tg on 127\.0\.0\.1:/);
});
