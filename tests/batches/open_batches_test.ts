/**
 * How many batches a project may have open.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Batches, type CreateBatchRequest } from "../../src/batches/batches.ts";
import { GatewayError } from "../../src/errors.ts";
import { FakeClock } from "../support/fake_clock.ts";

Deno.test("batches that are being written down count among the open ones", async () => {
  const written = Promise.withResolvers<{ readonly ok: true }>();
  let commits = 0;
  const batches = new Batches(
    {
      clock: new FakeClock(),
      commits: {
        commit: () => {
          commits++;
          return written.promise;
        },
      },
      batches: {},
      folder: "/nowhere",
      onError: (error: unknown) => assert.fail(String(error)),
    } as unknown as ConstructorParameters<typeof Batches>[0],
  );
  const create = (projectId: string) =>
    batches.create({
      caller: { project: { id: projectId }, key: { id: "key" } },
      windowMs: 1,
    } as unknown as CreateBatchRequest);
  const made = Array.from({ length: 100 }, () => create("one"));
  await assert.rejects(
    create("one"),
    (error) => error instanceof GatewayError && error.error === "pool_limit_exceeded",
  );
  made.push(create("other"));
  assert.equal(commits, 101);
  written.resolve({ ok: true });
  await Promise.all(made);
  await create("one");
});
