/**
 * Clients that leave while an answer by callbacks is made: the connection is over once whoever makes it is.
 *
 * @module
 */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { listen } from "../../../src/http/listener.ts";
import type { QuickAnswer, QuickClient } from "../../../src/http/listener/contract.ts";
import { RawSocket } from "../../support/raw_socket.ts";

const POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";

/** Has a client leave its quick answer, of which `left` is told; gives the listener, which drains then. */
async function leave(left: (client: QuickClient) => void): Promise<{ drained: Promise<void> }> {
  const taken = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const listener = listen(() => assert.fail("it is taken"), {
    onError: (error) => assert.fail(String(error)),
    quick(_request, client): QuickAnswer {
      taken.resolve();
      return {
        sent: () => assert.fail("nothing is sent"),
        left() {
          left(client);
          told.resolve();
        },
      };
    },
  });
  const socket = await RawSocket.connect(listener.address);
  await socket.send(POST);
  await taken.promise;
  socket[Symbol.dispose]();
  await told.promise;
  return { drained: listener.drain() };
}

/** Whether it has ended after some turns of the event loop. */
async function hasEnded(draining: Promise<void>): Promise<boolean> {
  let isOver = false;
  draining.then(() => isOver = true);
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  return isOver;
}

Deno.test("drain() ends with the clients that have left, where nobody goes on with their answers", async () => {
  const { drained } = await leave(() => {});
  await drained;
});

Deno.test("drain() waits for an answer that is promised although its client has left", async () => {
  const answer = Promise.withResolvers<Response>();
  const { drained } = await leave((client) => client.respond(answer.promise));
  assert.equal(await hasEnded(drained), false);
  answer.resolve(new Response("too late"));
  await drained;
});

Deno.test("drain() waits for what gives the parts of a stream whose client has left", async () => {
  const part = Promise.withResolvers<string | undefined>();
  const { drained } = await leave((client) =>
    client.respondParts({ next: () => part.promise, cancel: () => Promise.resolve() })
  );
  assert.equal(await hasEnded(drained), false);
  part.resolve(undefined);
  await drained;
});
