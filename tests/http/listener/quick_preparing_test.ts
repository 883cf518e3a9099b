/**
 * Answers by callbacks whose bytes are made before they may be sent.
 *
 * @module
 */
import assert from "node:assert/strict";
import { listen } from "../../../src/http/listener.ts";
import type { QuickClient } from "../../../src/http/listener/contract.ts";
import { LeanResponse } from "../../../src/http/listener/lean_response.ts";
import { type RawResponse, RawSocket } from "../../support/raw_socket.ts";

const POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";

const textAnswer = (text: string) =>
  LeanResponse.make(text, { headers: { "content-type": "text/plain" } });

/** Has a client's request answered by `answer`; gives what it gets. */
async function answered(
  answer: (client: QuickClient, drain: () => void) => void,
): Promise<RawResponse> {
  const listener = listen(() => assert.fail("it is taken"), {
    onError: (error) => assert.fail(String(error)),
    quick(_request, client) {
      queueMicrotask(() => answer(client, () => drained ??= listener.drain()));
      return { sent: () => assert.fail("it has no parts"), left() {} };
    },
  });
  let drained: Promise<void> | undefined;
  using socket = await RawSocket.connect(listener.address);
  await socket.send(POST);
  const response = await socket.readResponse();
  await (drained ?? listener.drain());
  return response;
}

Deno.test("an answer that was prepared is sent as one that was not", async () => {
  const prepared = await answered((client) => {
    const response = textAnswer("é, wanted");
    client.prepare(response);
    client.answer(response);
  });
  const plain = await answered((client) => client.answer(textAnswer("é, wanted")));
  const undated = ({ headers, ...others }: RawResponse) => ({
    ...others,
    headers: [...headers].filter(([name]) => name !== "date"),
  });
  assert.deepEqual(undated(prepared), undated(plain));
  assert.equal(prepared.headers.get("content-length"), "10");
});

Deno.test("another answer than the one that was prepared is sent where that one is given", async () => {
  const sent = await answered((client) => {
    client.prepare(textAnswer("settled"));
    client.answer(textAnswer("not settled"));
  });
  assert.equal(sent.body, "not settled");
});

Deno.test("an answer that was prepared before the listener drains says that its connection closes", async () => {
  const sent = await answered((client, drain) => {
    const response = textAnswer("last");
    client.prepare(response);
    drain();
    client.answer(response);
  });
  assert.equal(sent.headers.get("connection"), "close");
  assert.equal(sent.body, "last");
});
