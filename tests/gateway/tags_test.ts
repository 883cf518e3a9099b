/**
 * Tags of calls: kept, shown, added up by, and told to nobody else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { showCall } from "../../src/admin/calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { reportUsage } from "../../src/admin/usage.ts";
import { answerBody, twoRoutes } from "../support/chat_bodies.ts";
import {
  type FakeUpstream,
  jsonReply,
  type RecordedRequest,
  startFakeUpstream,
} from "../support/fake_upstream.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const ask = { model: "m", route: "a/m", messages: [{ role: "user", content: "Hello" }] };

async function withGateway(
  run: (world: { readonly gateway: TestGateway; readonly upstream: FakeUpstream }) => Promise<void>,
): Promise<void> {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await startTestGateway({
    catalogue: twoRoutes(upstream.url, upstream.url),
  });
  await run({ gateway, upstream });
}

/** Lines of a report, as the tag and how many calls have it. */
async function report(gateway: TestGateway, input: object) {
  const { data, cut } = await runOperation(reportUsage, { deps: gateway.admin, input });
  assert.equal(cut, null);
  return data.map(({ project, tag, calls, cost }) => [project, tag, calls, cost]);
}

Deno.test("tags are kept with a call, shown to its project and its operator, and sent to nobody", async () => {
  await withGateway(async ({ gateway, upstream }) => {
    const key = await gateway.key("default");
    const tags = { team: "search", "user.id": "Zoë, 42", constructor: "x" };
    const response = await gateway.chat({ ...ask, tags }, { key });
    assert.equal(response.status, 200);
    assert.doesNotMatch(await response.text(), /search|Zoë/);
    const sent = upstream.requests.map(({ body, headers }: RecordedRequest) =>
      JSON.stringify([body, [...headers]])
    );
    assert.equal(sent.length, 1);
    assert.doesNotMatch(sent[0]!, /tags|search|Zo/);
    const requestId = response.headers.get("x-request-id")!;
    const told = await fetch(`${gateway.url}/v1/calls/${requestId}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.deepEqual((await told.json()).tags, tags);
    const shown = await runOperation(showCall, {
      deps: gateway.admin,
      input: { request_id: requestId },
    });
    assert.deepEqual(shown.tags, tags);
    const plain = await gateway.chat(ask, { key });
    await plain.body?.cancel();
    const untagged = await runOperation(showCall, {
      deps: gateway.admin,
      input: { request_id: plain.headers.get("x-request-id")! },
    });
    assert.equal("tags" in untagged, false);
  });
});

Deno.test("tags of a header stand beside those of the body, which go before them", async () => {
  await withGateway(async ({ gateway, upstream }) => {
    const headers = { "x-tollgate-tags": "team=ads, place=Z%C3%BCrich%2C%20CH,," };
    const response = await gateway.chat({ ...ask, tags: { team: "search" } }, { headers });
    await response.body?.cancel();
    const shown = await runOperation(showCall, {
      deps: gateway.admin,
      input: { request_id: response.headers.get("x-request-id")! },
    });
    assert.deepEqual(shown.tags, { team: "search", place: "Zürich, CH" });
    assert.equal(upstream.requests[0]!.headers.has("x-tollgate-tags"), false);
  });
});

Deno.test("a report adds calls up by a tag, and leaves out those without it", async () => {
  await withGateway(async ({ gateway }) => {
    await gateway.credit("paying", "10");
    const paying = await gateway.key("paying");
    const call = async (tags: object | undefined, key?: string) => {
      const response = await gateway.chat({ ...ask, ...(tags && { tags }) }, { key });
      assert.equal(response.status, 200);
      await response.body?.cancel();
    };
    for (const team of ["search", "ads", "search"]) await call({ team, env: "test" });
    await call({ team: "search", env: "live" }, paying);
    await call({ env: "live" });
    await call(undefined);
    const cost = (calls: number) => `0.000${(20 * calls).toString().padStart(3, "0")}00`;
    assert.deepEqual(await report(gateway, { by: "tag:team" }), [
      [undefined, "ads", 1, cost(1)],
      [undefined, "search", 3, cost(3)],
    ]);
    assert.deepEqual(await report(gateway, { by: "project,tag:team" }), [
      ["default", "ads", 1, cost(1)],
      ["default", "search", 2, cost(2)],
      ["paying", "search", 1, cost(1)],
    ]);
    assert.deepEqual(await report(gateway, { by: "tag:team", tag: "env=live" }), [
      [undefined, "search", 1, cost(1)],
    ]);
    assert.deepEqual(await report(gateway, { by: "project", tag: ["env=test", "team=ads"] }), [
      ["default", undefined, 1, cost(1)],
    ]);
    assert.deepEqual(await report(gateway, { by: "tag:team", project: "nobody" }), []);
    assert.deepEqual(await report(gateway, { by: "tag:team", to: "2020-01-01" }), []);
    assert.deepEqual(await report(gateway, { by: "tag:nothing" }), []);
    // Those of sums are as they were.
    assert.deepEqual(await report(gateway, { by: "project" }), [
      ["default", undefined, 5, cost(5)],
      ["paying", undefined, 1, cost(1)],
    ]);
    const two = { deps: gateway.admin, input: { by: "tag:team,tag:env" } };
    await assert.rejects(runOperation(reportUsage, two), /one tag/);
    const none = { deps: gateway.admin, input: { by: "team" } };
    await assert.rejects(runOperation(reportUsage, none), /tag:NAME/);
  });
});

Deno.test("tags that are too many, too long or no text are refused, and nobody is asked", async () => {
  await withGateway(async ({ gateway, upstream }) => {
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, "x"]));
    const bodies: readonly (readonly [tags: unknown, param: string])[] = [
      [nine, "tags"],
      [["a"], "tags"],
      ["a=b", "tags"],
      [{ a: 1 }, "tags.a"],
      [{ a: "" }, "tags.a"],
      [{ a: "x".repeat(129) }, "tags.a"],
      [{ a: "b\u0000c" }, "tags.a"],
      [{ "a b": "c" }, "tags.a b"],
      [{ ["n".repeat(33)]: "c" }, `tags.${"n".repeat(33)}`],
      [{ a: { b: "c" } }, "tags.a"],
    ];
    for (const [tags, param] of bodies) {
      const response = await gateway.chat({ ...ask, tags });
      const { error } = await response.json();
      assert.deepEqual([response.status, error?.param], [400, param], JSON.stringify(error));
    }
    for (const header of ["team", "=x", "team=%", "team=%00", "a b=c", "t=" + "x".repeat(129)]) {
      const response = await gateway.chat(ask, { headers: { "x-tollgate-tags": header } });
      const { error } = await response.json();
      assert.deepEqual([response.status, error?.param], [400, "x-tollgate-tags"], header);
    }
    const many = Array.from({ length: 40 }, (_, index) => `h${index}=x`).join(",");
    const both = await gateway.chat(ask, { headers: { "x-tollgate-tags": many } });
    assert.equal(both.status, 400);
    await both.body?.cancel();
    assert.equal(upstream.requests.length, 0);
  });
});
