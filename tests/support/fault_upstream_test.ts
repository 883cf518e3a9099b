/**
 * @module
 */

import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { type FaultUpstream, startFaultUpstream } from "./fault_upstream/fault_upstream.ts";
import { gzipBomb } from "./fault_upstream/gzip_bomb.ts";
import { readUpstreamLog } from "./fault_upstream/upstream_log.ts";
import { readScript, scriptPrompt, type UpstreamScript } from "./fault_upstream/upstream_script.ts";
import { until } from "./until.ts";

function ask(
  upstream: FaultUpstream,
  script: UpstreamScript,
  more: { stream?: boolean; model?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const { signal, ...fields } = more;
  return fetch(`${upstream.url}/chat/completions`, {
    method: "POST",
    redirect: "manual",
    ...(signal === undefined ? {} : { signal }),
    body: JSON.stringify({
      model: "m",
      ...fields,
      messages: [{ role: "user", content: scriptPrompt(script) }],
    }),
  });
}

function untilLogged(upstream: FaultUpstream, records: number) {
  return until("the log", () => upstream.log.records.length >= records && upstream.log.records);
}

Deno.test("readScript() finds a script in a body when its text needs escapes", () => {
  const script = { tag: 3, acts: [{ text: 'says "no" \\ \n é 🙂', chunks: 2 }] };
  const prompt = scriptPrompt(script, { padTo: 300 });
  assert.equal(prompt.length, 300);
  const body = JSON.stringify({ messages: [{ role: "user", content: prompt }], user: "u" });
  assert.deepEqual(readScript(body), script);
  assert.equal(readScript('{"messages":[]}'), undefined);
});

Deno.test("startFaultUpstream() does to each attempt of a tag what the script says of it", async () => {
  await using upstream = await startFaultUpstream();
  const script: UpstreamScript = {
    tag: 1,
    acts: [
      { status: 503, retryAfter: 2 },
      { redirect: "http://127.0.0.1:9/v1" },
      { isHtml: true },
      { resetAt: 20 },
      { cutAt: 20 },
      { usage: "missing", text: "a", chunks: 4 },
    ],
  };
  const busy = await ask(upstream, script);
  assert.deepEqual([busy.status, busy.headers.get("retry-after")], [503, "2"]);
  await busy.body!.cancel();
  const moved = await ask(upstream, script);
  assert.deepEqual([moved.status, moved.headers.get("location")], [307, "http://127.0.0.1:9/v1"]);
  await moved.body?.cancel();
  assert.match(await (await ask(upstream, script)).text(), /^<!doctype html>/);
  await assert.rejects(ask(upstream, script).then((response) => response.text()));
  await assert.rejects(ask(upstream, script).then((response) => response.text()));
  for (const _ of ["the last act", "repeats"]) {
    const answer = await (await ask(upstream, script)).json();
    assert.equal(answer.choices[0].message.content, "aaaa");
    assert.equal(answer.usage, undefined);
  }
  const records = await untilLogged(upstream, 7);
  assert.deepEqual(records.map(({ attempt }) => attempt), [1, 2, 3, 4, 5, 6, 7]);
  const outcomes = records.map(({ outcome }) => outcome);
  assert.deepEqual(outcomes.slice(0, 5), Array(5).fill("failed"));
  assert.deepEqual(outcomes.slice(5), ["completed", "completed"]);
});

Deno.test("startFaultUpstream() resets a connection before the status line when told to", async () => {
  await using upstream = await startFaultUpstream();
  await assert.rejects(ask(upstream, { tag: 1, acts: [{ resetAt: -1 }] }));
  const [record] = await untilLogged(upstream, 1);
  assert.deepEqual([record!.outcome, record!.bytesSent], ["failed", 0]);
});

Deno.test("startFaultUpstream() streams chunks, and characters that are split", async () => {
  await using upstream = await startFaultUpstream();
  const acts = [{
    text: "é🙂",
    chunks: 2,
    splitsCharacters: true,
    usage: { prompt: 7, completion: 9 },
  }];
  const text = await (await ask(upstream, { tag: 1, acts }, { stream: true })).text();
  assert.deepEqual([...text.matchAll(/"content":"(.*?)"/g)].map((match) => match[1]), [
    "é🙂",
    "é🙂",
  ]);
  assert.match(text, /"prompt_tokens":7,"completion_tokens":9/);
  assert.ok(text.endsWith("data: [DONE]\n\n"));
  const early = await ask(upstream, { tag: 2, acts: [{ endsEarly: true }] }, { stream: true });
  assert.doesNotMatch(await early.text(), /DONE|usage|"stop"/);
  const [whole, cut] = await untilLogged(upstream, 2);
  assert.deepEqual([whole!.outcome, whole!.usage], ["completed", { prompt: 7, completion: 9 }]);
  assert.equal(cut!.outcome, "failed");
});

Deno.test("startFaultUpstream() sends more than anybody wants to have", async () => {
  await using upstream = await startFaultUpstream();
  const acts = [{ paddingMb: 3, depth: 50 }];
  const plain = await (await ask(upstream, { tag: 1, acts })).text();
  assert.ok(plain.length > 3 * 1024 ** 2);
  assert.match(plain, /^ +\{/);
  assert.match(JSON.stringify(JSON.parse(plain).deep), /^\[{50}\]{50}$/);
  const stream = await (await ask(upstream, { tag: 2, acts }, { stream: true })).text();
  const [line] = stream.split("\n") as [string];
  assert.ok(line.length > 3 * 1024 ** 2);
  assert.match(JSON.parse(line.slice(6)).choices[0].delta.content, /^a+word $/);
});

Deno.test("startFaultUpstream() notes when the other side leaves a stalled answer", async () => {
  const logFile = await Deno.makeTempFile();
  await using upstream = await startFaultUpstream({ logFile });
  const leaving = new AbortController();
  const script = { tag: 5, acts: [{ chunks: 3, stallAt: 150 }] };
  const response = await ask(upstream, script, { stream: true, signal: leaving.signal });
  const { value } = await response.body!.getReader().read();
  assert.equal(value!.length, 150);
  const before = performance.now();
  leaving.abort();
  const [record] = await untilLogged(upstream, 1);
  assert.deepEqual([record!.tag, record!.outcome], [5, "left"]);
  assert.ok(record!.endedAt >= before);
  assert.deepEqual(readUpstreamLog(logFile), upstream.log.records);
  await Deno.remove(logFile);
});

Deno.test("startFaultUpstream() befalls the same attempts with the same seed", async () => {
  const answered: number[][] = [];
  for (const seed of [1, 1, 2]) {
    await using upstream = await startFaultUpstream({
      seed,
      faults: { bad: { share: 0.5, act: { status: 500 } } },
    });
    const statuses: number[] = [];
    for (let tag = 0; tag < 30; tag++) {
      const response = await ask(upstream, { tag }, { model: "bad" });
      await response.body!.cancel();
      statuses.push(response.status);
    }
    answered.push(statuses);
    const good = await ask(upstream, { tag: 99 }, { model: "good" });
    await good.body!.cancel();
    assert.equal(good.status, 200);
  }
  assert.deepEqual(answered[0], answered[1]);
  assert.notDeepEqual(answered[0], answered[2]);
  const failed = answered[0]!.filter((status) => status === 500).length;
  assert.ok(failed > 5 && failed < 25, `${failed} of 30`);
});

Deno.test("gzipBomb() unpacks to what it promises", () => {
  const bomb = gzipBomb(20, "{}");
  assert.ok(bomb.length < 100_000);
  const text = gunzipSync(bomb).toString();
  assert.equal(text.length, 20 * 1024 ** 2 + 2);
  assert.deepEqual(JSON.parse(text), {});
});
