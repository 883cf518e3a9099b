/**
 * Claude Code mends a file. Its requests are recorded ones (of version 2.1.330, what they say of a
 * machine and its instructions taken out), sent again as it sent them. Where the program itself is
 * there, and `TOLLGATE_TEST_CLAUDE_CODE` names it, it does the work too.
 *
 * @module
 */

import assert from "node:assert/strict";
import { RIGHT, USAGE, WRONG } from "./claude_code/coding_model.ts";
import { codingScene, MODELS, type Scene } from "./claude_code/scene.ts";
import overChat from "../fixtures/claude_code/over_chat.json" with { type: "json" };
import overMessages from "../fixtures/claude_code/over_messages.json" with { type: "json" };

const PROGRAM = Deno.env.get("TOLLGATE_TEST_CLAUDE_CODE");
const FILE = "/home/dev/project/greet.txt";

interface Recorded {
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

type Json = Record<string, unknown>;

/** The events of each answer. */
async function sendAgain(scene: Scene, requests: readonly Recorded[]): Promise<Json[][]> {
  const answers: Json[][] = [];
  for (const { target, headers, body } of requests) {
    const response = await fetch(scene.gateway.url + target, {
      method: "POST",
      headers: {
        ...headers as Record<string, string>,
        authorization: `Bearer ${scene.key}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const events = text.split("\n\n").filter((frame) => frame.startsWith("event: "));
    answers.push(events.map((frame) => {
      const [name, data] = frame.split("\n");
      const event = JSON.parse(data!.slice("data: ".length));
      // Frames whose name is missing, or another, are skipped by its client.
      assert.equal(name, `event: ${event.type}`);
      return event;
    }));
  }
  return answers;
}

/** The calls of tools in an answer, with their input as it was written. */
function callsOf(events: readonly Json[]): unknown[] {
  const calls: { name: unknown; input: string }[] = [];
  for (const { type, content_block, delta } of events) {
    const block = content_block as Json | undefined;
    if (type === "content_block_start" && block?.type === "tool_use") {
      calls.push({ name: block.name, input: "" });
    }
    const more = (delta as Json | undefined)?.partial_json;
    if (typeof more === "string") calls.at(-1)!.input += more;
  }
  return calls.map(({ name, input }) => [name, JSON.parse(input)]);
}

const WORK = [
  [["ToolSearch", { query: "select:WebFetch", max_results: 3 }]],
  [["Read", { file_path: FILE }]],
  [["Edit", { file_path: FILE, old_string: WRONG, new_string: RIGHT }]],
  [],
];

Deno.test("Claude Code's requests go to Anthropic's dialect as they are", async () => {
  await using scene = await codingScene(FILE);
  const { upstream, gateway, key } = scene;
  const answers = await sendAgain(scene, overMessages);
  assert.deepEqual(answers.map(callsOf), WORK);
  assert.equal(upstream.requests.length, overMessages.length);
  for (const [index, { body, headers }] of overMessages.entries()) {
    const sent = upstream.requests[index]!;
    // To the last byte, but for the model's name.
    assert.equal(sent.body, JSON.stringify({ ...body, model: "claude-upstream" }));
    assert.equal(sent.target, "/v1/messages");
    assert.equal(sent.headers.get("anthropic-beta"), headers["anthropic-beta"]);
    assert.equal(sent.headers.get("anthropic-version"), headers["anthropic-version"]);
    assert.equal(sent.head.includes(key) || sent.body.includes(key), false);
  }
  const { balance } = (await gateway.cli("projects", "list"))
    .find(({ id }: Json) => id === "dev");
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    USAGE;
  const cost = (input_tokens * 3 + output_tokens * 15 + cache_read_input_tokens * 0.3 +
    cache_creation_input_tokens * 3.75) / 1e6;
  assert.equal(balance, (10 - cost * overMessages.length).toFixed(8));
});

Deno.test("Claude Code's requests are put in chat's words, and its answers in Anthropic's", async () => {
  await using scene = await codingScene(FILE);
  const { upstream } = scene;
  const answers = await sendAgain(scene, overChat);
  assert.deepEqual(answers.map(callsOf), WORK);
  // Nothing is asked twice.
  assert.equal(upstream.requests.length, overChat.length);
  for (const events of answers) {
    assert.equal(events[0]!.type, "message_start");
    assert.equal((events[0]!.message as Json).model, MODELS.over_chat);
    assert.equal(events.at(-1)!.type, "message_stop");
  }
  const [first, second, , last] = upstream.requests.map((request) =>
    request.json() as Json & { messages: Json[]; tools: { function: Json }[] }
  );
  const namesOf = ({ tools }: { readonly tools: { function: Json }[] }) =>
    tools.map(({ function: { name } }) => name);
  // The model learns of tools as it finds them.
  assert.deepEqual(namesOf(first!), ["Edit", "Read", "ToolSearch"]);
  assert.deepEqual(namesOf(second!), ["Edit", "Read", "ToolSearch", "WebFetch"]);
  assert.deepEqual(second!.messages.slice(-2), [
    {
      role: "assistant",
      content: null,
      tool_calls: [{
        id: "call_0",
        type: "function",
        function: { name: "ToolSearch", arguments: '{"query":"select:WebFetch","max_results":3}' },
      }],
    },
    {
      role: "tool",
      tool_call_id: "call_0",
      content: "The tool 'WebFetch' can be called from here on.",
    },
  ]);
  const roles = last!.messages.map(({ role }) => role);
  assert.deepEqual(roles, [
    ...["system", "user", "system", "assistant", "tool", "assistant", "tool", "assistant", "tool"],
  ]);
  assert.equal(last!.messages[5]!.reasoning_content, "Let me look.");
  assert.equal(JSON.stringify(last).includes("cache_control"), false);
  assert.equal(JSON.stringify(last).includes("tg1."), false);
});

for (const [name, model] of Object.entries(MODELS)) {
  Deno.test({
    name: `Claude Code itself mends a file, ${name.replace("_", " ")}`,
    ignore: PROGRAM === undefined,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: "tollgate-agent-" });
      const home = await Deno.makeTempDir({ prefix: "tollgate-home-" });
      try {
        const file = `${folder}/greet.txt`;
        await Deno.writeTextFile(file, `Hello ${WRONG}\n`);
        await using scene = await codingScene(file);
        const { code, stdout, stderr } = await new Deno.Command(PROGRAM!, {
          args: [
            ...["-p", `Mend the typo in ${file}`, "--model", model],
            ...["--permission-mode", "acceptEdits", "--output-format", "json"],
          ],
          cwd: folder,
          clearEnv: true,
          env: {
            PATH: "/usr/bin:/bin",
            HOME: home,
            ANTHROPIC_BASE_URL: scene.gateway.url,
            ANTHROPIC_AUTH_TOKEN: scene.key,
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
            // Nothing but the gateway is to be reached.
            HTTPS_PROXY: "http://127.0.0.1:9",
            NO_PROXY: "127.0.0.1",
          },
          stdin: "null",
        }).output();
        const said = new TextDecoder().decode(stdout);
        assert.equal(code, 0, said + new TextDecoder().decode(stderr));
        const { result, is_error } = JSON.parse(said);
        assert.deepEqual([result, is_error], ["Done.", false]);
        assert.equal(await Deno.readTextFile(file), `Hello ${RIGHT}\n`);
        // No request was refused, sent twice or sent without stream.
        assert.deepEqual(
          scene.upstream.requests.map((request) => request.json().stream),
          [true, true, true, true],
        );
        assert.deepEqual((await scene.gateway.cli("ledger", "verify")).differences, []);
      } finally {
        await Deno.remove(folder, { recursive: true });
        await Deno.remove(home, { recursive: true });
      }
    },
  });
}
