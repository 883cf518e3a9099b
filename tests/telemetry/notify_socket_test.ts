import assert from "node:assert/strict";
import { NotifySocket } from "../../src/telemetry/notify_socket.ts";
import { NotifyReceiver } from "../support/notify_socket.ts";
import { until } from "../support/until.ts";

Deno.test("send() delivers each message whole and in order", async () => {
  using receiver = new NotifyReceiver();
  const socket = await NotifySocket.open(receiver.path, { onTrouble: assert.fail });
  for (let index = 0; index < 50; index++) {
    void socket.send([`STATUS=number ${index} = ${index}`, "WATCHDOG=1"]);
  }
  await until("all messages", () => receiver.messages.length === 50);
  socket.close();
  assert.deepEqual(
    receiver.messages.map((message) => [...message]),
    Array.from({ length: 50 }, (_, index) => [
      ["STATUS", `number ${index} = ${index}`],
      ["WATCHDOG", "1"],
    ]),
  );
});

Deno.test("send() says once that nobody hears, and goes on", async () => {
  const troubles: Error[] = [];
  const socket = await NotifySocket.open("/nowhere/notify", {
    onTrouble: (error) => void troubles.push(error),
  });
  await socket.send(["READY=1"]);
  await socket.send(["WATCHDOG=1"]);
  socket.close();
  assert.equal(troubles.length, 1);
  assert.ok(troubles[0] instanceof Deno.errors.NotFound);
});

Deno.test("open() refuses an abstract socket, which it could not send to", async () => {
  await assert.rejects(
    NotifySocket.open("@abstract", { onTrouble: assert.fail }),
    /Cannot notify @abstract: it is an abstract socket/,
  );
});
