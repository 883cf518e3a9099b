/**
 * Operations other than chat, and what each should cost.
 *
 * @module
 */

import { scriptPrompt } from "../../support/fault_upstream/upstream_script.ts";
import { until } from "../../support/until.ts";
import type { Operation } from "./chat_operations.ts";
import { FILM_E8, saleOf } from "./mixed_catalogue.ts";
import { type Answer, lacksMoney, type MixedWorld, type PayingProject } from "./mixed_world.ts";

/** Texts become vectors. */
export const embedded: Operation = async (world, project, random) => {
  const tag = world.nextTag();
  const prompt = random.integer(1, 100);
  const texts = Array.from({ length: random.integer(0, 5) }, (_, index) => `text ${index}`);
  const script = scriptPrompt({ tag, acts: [{ usage: { prompt, completion: 0 } }] });
  const answer = await world.send(project, "/embeddings", {
    body: { model: "embed", input: [...texts, script] },
  });
  settle(world, project, {
    tag,
    what: `tag ${tag} (embeddings)`,
    answer,
    charge: saleOf("remote/embed", prompt, 0),
  });
};

/** An answer of the Responses API, kept, read, listed and deleted. */
export const responded: Operation = async (world, project, random) => {
  const tag = world.nextTag();
  const stream = random.chance(0.5);
  const usage = { prompt: random.integer(1, 60), completion: random.integer(0, 400) };
  const input = scriptPrompt({ tag, acts: [{ usage }] });
  const answer = await world.send(project, "/responses", {
    body: { model: "chat", stream, max_output_tokens: 400, input },
  });
  const charge = saleOf("remote/chat", usage.prompt, usage.completion);
  const what = `tag ${tag} (responses${stream ? " stream" : ""})`;
  if (!settle(world, project, { tag, what, answer, charge })) return;
  const id = /"id":"(resp_[^"]+)"/.exec(answer.text)?.[1];
  const read = await world.send(project, `/responses/${id}`, { method: "GET" });
  if (read.status !== 200) world.surprise(`${what} was not kept`, read);
  if (random.chance(0.5)) return;
  const deleted = await world.send(project, `/responses/${id}`, { method: "DELETE" });
  const gone = await world.send(project, `/responses/${id}`, { method: "GET" });
  if (deleted.status !== 200 || gone.status !== 404) {
    world.surprise(`${what} was not deleted`, gone);
  }
};

/** A film that is waited for; at times it is asked for twice under one key. */
export const filmed: Operation = async (world, project, random) => {
  const tag = world.nextTag();
  const what = `tag ${tag} (film)`;
  const body = { model: "film", prompt: `a kite ${tag}`, size: "64x64", seconds: "1" };
  const headers = { "idempotency-key": `film-${tag}` };
  const answers = [await world.send(project, "/videos", { body, headers })];
  if (random.chance(0.5)) answers.push(await world.send(project, "/videos", { body, headers }));
  const [answer] = answers;
  if (answer!.status !== 200) return refused(world, project, { what, answers });
  const { id } = JSON.parse(answer!.text);
  if (answers[1] !== undefined && JSON.parse(answers[1].text).id !== id) {
    world.surprise(`${what} was made twice`, answers[1]);
  }
  const ended = await until("a film to end", async () => {
    const shown = JSON.parse((await world.send(project, `/videos/${id}`, { method: "GET" })).text);
    return (shown.status === "completed" || shown.status === "failed") && shown;
  }, { everyMs: 200 });
  if (ended.status !== "completed") world.surprise(`${what} has failed: ${JSON.stringify(ended)}`);
  world.expect({ project, what, requestIds: idsOf(answers), charges: [FILM_E8] });
};

/** A film that is deleted as soon as it is ordered. */
export const unwanted: Operation = async (world, project) => {
  const tag = world.nextTag();
  const what = `tag ${tag} (deleted film)`;
  const body = { model: "film", prompt: `a stone ${tag}`, size: "64x64", seconds: "1" };
  const answer = await world.send(project, "/videos", { body });
  if (answer.status !== 200) return refused(world, project, { what, answers: [answer] });
  const { id } = JSON.parse(answer.text);
  const deleted = await world.send(project, `/videos/${id}`, { method: "DELETE" });
  if (deleted.status !== 200) world.surprise(`${what} was not deleted`, deleted);
  // It may have been begun, or completed, just before: what was done of it is charged.
  const charges = Array.from(
    { length: 101 },
    (_, percent) => (FILM_E8 * BigInt(percent) + 50n) / 100n,
  );
  world.expect({ project, what, requestIds: [answer.requestId], charges });
};

/** Money comes in; the operator repeats itself at times. */
export const credited: Operation = (world, project, random) =>
  world.credit(project, BigInt(random.integer(1, 200_000)), random.integer(1, 3));

/** A key that is made, used and switched off. */
export const keyDisabled: Operation = async (world, project, random) => {
  const tag = world.nextTag();
  const { key, id } = await world.admin("POST", "/keys", { project, name: `short-lived ${tag}` });
  const usage = { prompt: random.integer(1, 60), completion: random.integer(0, 400) };
  const body = {
    model: "chat",
    max_tokens: 400,
    messages: [{ role: "user", content: scriptPrompt({ tag, acts: [{ usage }] }) }],
  };
  const answer = await world.send(project, "/chat/completions", { body, key });
  const charge = saleOf("remote/chat", usage.prompt, usage.completion);
  settle(world, project, { tag, what: `tag ${tag} (a key of its own)`, answer, charge });
  await world.admin("POST", `/keys/${id}/disable`);
  const after = await world.send(project, "/chat/completions", { body, key });
  if (after.status !== 401) world.surprise(`tag ${tag} is served with a disabled key`, after);
  world.expect({
    project,
    what: `tag ${tag} (a disabled key)`,
    requestIds: [after.requestId],
    charges: [0n],
  });
};

/** Requests that are none. */
export const badlyAsked: Operation = async (world, project, random) => {
  const message = [{ role: "user", content: "hello" }];
  const [path, body, statuses] = random.pick<[string, unknown, number[]]>([
    ["/chat/completions", "{", [400]],
    ["/chat/completions", "", [400]],
    ["/chat/completions", "[]", [400]],
    ["/chat/completions", { model: "chat" }, [400]],
    ["/chat/completions", { model: "nobody", messages: message }, [404]],
    ["/chat/completions", { model: "embed", messages: message }, [400, 404]],
    ["/chat/completions", { model: "chat", messages: message, route: "nowhere" }, [400, 404]],
    ["/chat/completions", { model: "chat", messages: message, max_tokens: -1 }, [400]],
    ["/embeddings", { model: "embed", input: [] }, [400]],
    ["/embeddings", { model: "chat", input: "a" }, [400, 404]],
    ["/videos", { model: "film", prompt: "", size: "64x64" }, [400]],
    ["/videos", { model: "film", prompt: "p", size: "65x65" }, [400]],
    ["/responses", { model: "chat" }, [400]],
    ["/nothing", {}, [404]],
  ]);
  const answer = await world.send(project, path, { body });
  const what = `a bad request to ${path} (${JSON.stringify(body)})`;
  if (!statuses.includes(answer.status)) world.surprise(what, answer);
  world.expect({ project, what, requestIds: [answer.requestId], charges: [0n] });
};

/** Whether it was served; one that was not must have too little. */
function settle(
  world: MixedWorld,
  project: PayingProject,
  { tag, what, answer, charge }: {
    readonly tag: number;
    readonly what: string;
    readonly answer: Answer;
    readonly charge: bigint;
  },
): boolean {
  if (answer.status !== 200) {
    refused(world, project, { what, answers: [answer] });
    return false;
  }
  world.expect({ project, tag, what, requestIds: [answer.requestId], charges: [charge] });
  return true;
}

function refused(
  world: MixedWorld,
  project: PayingProject,
  { what, answers }: { readonly what: string; readonly answers: readonly Answer[] },
): void {
  const isTooPoor = project === "poor" && lacksMoney(answers[0]!);
  if (!isTooPoor) world.surprise(`${what} is not served`, answers[0]);
  const mayBePaid = answers.some(({ status }) => status === 200);
  const charges = mayBePaid ? [0n, FILM_E8] : [0n];
  world.expect({ project, what, requestIds: idsOf(answers), charges });
}

function idsOf(answers: readonly Answer[]): readonly string[] {
  return answers.map(({ requestId }) => requestId);
}
