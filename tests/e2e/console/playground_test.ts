/**
 * The playground: calls as a project's key, whose secret no browser sees.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../../support/served_gateway.ts";
import { foldersOf, python } from "../../support/python_client.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { pollUntil } from "../videos/poll_until.ts";
import { assertFits, assertQuiet, enterConsole, textOf, untilThere } from "./console_page.ts";
import { answersOf, fill, run, snippetOf, turnsOf } from "./play_page.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: said
    kind: chat
    routes:
      - { id: builtin/one, provider: builtin, upstream_model: echo-1, sale: { input: "1.00", output: "2.00" } }
      - { id: builtin/two, provider: builtin, upstream_model: echo-1, priority: 1, sale: { input: "3.00", output: "4.00" } }
  - id: stalled
    kind: chat
    routes:
      - { id: builtin/stalled, provider: builtin, upstream_model: "echo-1:stall-2", sale: { input: "1.00", output: "2.00" } }
  - id: near
    kind: embedding
    routes: [{ id: builtin/near, provider: builtin, upstream_model: hash-embed-1, free: true }]
  - id: film
    kind: video
    routes:
      - { id: builtin/film, provider: builtin, upstream_model: video-2, free: true, video: { sizes: [640x360], seconds: [1] } }
projects:
  - { id: shop }
  - { id: other, unlimited: true }
`;

/** Quotes, a dollar, a backslash, what begins a script, and what is no ASCII. */
const EVIL =
  `it's "so" $HOME \`id\` \\ <img src=x onerror="document.title='owned'"> </script> 🪁 %s`;

Deno.test("an operator plays with models as a project's key", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { url } = gateway;
  await gateway.credit("shop", "5");
  const key = await gateway.key("shop");
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const open = (query: string) => page.open(`${url}/console/playground?project=shop&${query}`);
  const calls = async () => (await gateway.admin("GET", "/calls?project=shop")).data;

  await test.step("a chat streams in, with its route, its price and who made it", async () => {
    await open("do=chat");
    await fill(page, { model: "said", prompt: EVIL, system: "Repeat", temperature: "0" });
    await run(page);
    await untilThere(page, "/Price/.test(document.querySelector('#answers').innerText)");
    const shown = await answersOf(page);
    assert.ok(shown.includes(EVIL), shown);
    assert.match(shown, /Route\s+builtin\/one/);
    assert.match(shown, /Price\s+0\.\d{8} USD/);
    assert.notEqual(await page.evaluate("document.title"), "owned");
    const [call] = await calls();
    assert.equal(call.stream, true);
    assert.deepEqual(call.tags, { source: "console", operator: "owner by link" });
    assert.match(shown, new RegExp(`Price\\s+${call.charged} USD`));
    assert.ok(shown.includes(call.request_id));
  });

  await test.step("two routes answer side by side", async () => {
    await fill(page, { other_route: "builtin/two", route: "builtin/one", prompt: "Hello there" });
    await run(page);
    await untilThere(page, "document.querySelectorAll('#answers dd a').length === 2");
    const shown = await answersOf(page);
    assert.match(shown, /Route\s+builtin\/one/);
    assert.match(shown, /Route\s+builtin\/two/);
    const prices = [...shown.matchAll(/Price\s+(0\.\d{8})/g)].map(([, price]) => price);
    assert.equal(new Set(prices).size, 2);
    await assertFits(page);
  });

  await test.step("tools and images go along, and a whole answer is shown too", async () => {
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array([137, 80, 78, 71])], "x.png", { type: "image/png" }));
      document.querySelector("[name=images]").files = data.files;
      document.querySelector("[name=stream]").checked = false;
    })()`);
    const tools = JSON.stringify([{ type: "function", function: { name: "look_up" } }]);
    await fill(page, { other_route: "", route: "", tools, prompt: "Ask look_up what this is" });
    const body = await snippetOf(page, "curl");
    assert.match(body, /"image_url"/);
    assert.match(body, /data:image\/png;base64,iVBORw==/);
    await run(page);
    await untilThere(page, "/Tool call/.test(document.querySelector('#answers').innerText)");
    assert.match(await answersOf(page), /Tool call\s+look_up\(/);
  });

  await test.step("a tool's result goes back, and the conversation goes on", async () => {
    const goOn = () =>
      page.evaluate(`[...document.querySelectorAll("#answers button")]
        .find(({ textContent }) => textContent === "Go on from here").click()`);
    await goOn();
    assert.match(await turnsOf(page), /Ask look_up what this is\s*\(an image\)/);
    const [asked] = await calls();
    await page.evaluate(
      `document.querySelector("[data-results] textarea").value = ${JSON.stringify(EVIL)}`,
    );
    const sent = JSON.parse(/-d '([^]*)'/.exec(await snippetOf(page, "curl"))![1]!
      .replaceAll(`'\\''`, "'"));
    const [system, first, call, result, ...more] = sent.messages;
    assert.deepEqual(system, { role: "system", content: "Repeat" });
    assert.equal(first.content[1].image_url.url, "data:image/png;base64,iVBORw==");
    assert.equal(call.tool_calls[0].function.name, "look_up");
    assert.deepEqual(
      [result, more],
      [{ role: "tool", tool_call_id: call.tool_calls[0].id, content: EVIL }, []],
    );
    await run(page);
    await untilThere(page, "/Price/.test(document.querySelector('#answers').innerText)");
    const [answered] = await calls();
    await goOn();
    await fill(page, { tools: "", prompt: "And once more" });
    await run(page);
    await untilThere(page, "/Price/.test(document.querySelector('#answers').innerText)");
    assert.match(await answersOf(page), /You said: And once more/);
    await assertFits(page);
    await goOn();
    const [last] = await calls();
    const units = [asked, answered, last].map(({ charged }) => BigInt(charged.replace(".", "")));
    const sum = units.reduce((all, one) => all + one).toString().padStart(9, "0");
    const told = await turnsOf(page);
    assert.ok(told.includes(`These answers cost ${sum.slice(0, -8)}.${sum.slice(-8)} USD`), told);
    assert.ok(told.includes(EVIL));
    assert.notEqual(await page.evaluate("document.title"), "owned");
    await assertFits(page);
    await page.evaluate("document.querySelector('#turns [data-anew]').click()");
    await fill(page, { prompt: "Alone" });
    assert.equal(await page.evaluate("document.querySelector('#turns').hidden"), true);
    assert.doesNotMatch(await snippetOf(page, "curl"), /once more/);
  });

  await test.step("what is refused says why, with its routes", async () => {
    await open("do=chat");
    await fill(page, { model: "said", prompt: "Hi", provider: "nobody" });
    await run(page);
    await untilThere(page, "document.querySelector('#answers [role=alert]')?.textContent");
    assert.match(await answersOf(page), /builtin\/one/);
    assert.match(await answersOf(page), /nobody/);
  });

  await test.step("whoever stops a stream stops it at its upstream", async () => {
    await open("do=chat");
    await fill(page, { model: "stalled", prompt: "One two three four five six" });
    await run(page);
    await untilThere(page, "document.querySelector('#answers pre').textContent !== ''");
    await page.evaluate("document.querySelector('[data-stop]').click()");
    await untilThere(page, "/Stopped/.test(document.querySelector('#answers').innerText)");
    const call = await untilClosed(calls);
    assert.equal(call.result, "client_aborted");
  });

  await test.step("embeddings are compared", async () => {
    await open("do=embeddings");
    await fill(page, { model: "near", input: "a red boat\na red boat\nthe moon" });
    await run(page);
    await untilThere(page, "document.querySelectorAll('#answers td.right').length === 9");
    const cells = await page.evaluate(
      "[...document.querySelectorAll('#answers td.right')].map(({ textContent }) => Number(textContent))",
    );
    assert.equal(cells[1], 1);
    assert.ok(cells[2] < 0.99);
    await assertFits(page);
  });

  await test.step("a film is ordered, and its task a link away", async () => {
    await open("do=videos");
    await fill(page, { model: "film", prompt: EVIL });
    await run(page);
    const href = await untilThere(
      page,
      "document.querySelector('#answers a[href*=videos]')?.href",
    ) as string;
    await page.open(href);
    assert.ok((await textOf(page)).includes(EVIL));
    // The browser tells of a call that was refused by its status.
    const faults = page.faults.filter((fault) => !/status of 4\d\d/.test(fault));
    assertQuiet(gateway, { ...page, faults });
  });

  await test.step("what is copied runs, whatever the prompt, and has no key in it", async () => {
    await open("do=chat");
    await fill(page, { model: "said", prompt: EVIL, route: "builtin/two" });
    const env = { TOLLGATE_API_KEY: key };
    const curl = await snippetOf(page, "curl");
    const shell = await new Deno.Command("sh", { args: ["-c", curl], env }).output();
    const answered = new TextDecoder().decode(shell.stdout);
    assert.match(answered, /"route":"builtin\/two"/, new TextDecoder().decode(shell.stderr));
    await page.evaluate("document.querySelector('[name=stream]').checked = false");
    const whole = await new Deno.Command("sh", {
      args: ["-c", await snippetOf(page, "curl")],
      env,
    }).output();
    const { choices } = JSON.parse(new TextDecoder().decode(whole.stdout));
    assert.equal(choices[0].message.content, `You said: ${EVIL}`);
    const program = await snippetOf(page, "python");
    const typed = await snippetOf(page, "typescript");
    for (const text of [curl, program, typed]) {
      assert.ok(!text.includes(key));
      assert.match(text, /TOLLGATE_API_KEY/);
    }
    const [folder] = foldersOf("TOLLGATE_TEST_PYTHONPATH");
    const named = `import os; os.environ["TOLLGATE_API_KEY"] = ${JSON.stringify(key)}\n${program}`;
    const { stdout, stderr } = await python(["-X", "utf8", "-c", named], folder);
    assert.equal(stdout.trim(), `You said: ${EVIL}`, stderr);
    const script = `const request = ${/const request = ([^]*?);\nconst answer/.exec(typed)![1]}`;
    const read = new Function(`${script}; return request;`)();
    assert.equal(read.messages[0].content, EVIL);
  });

  await test.step("no page of it has the key's secret", async () => {
    assert.ok(!(await page.evaluate("document.documentElement.outerHTML")).includes(key));
  });
});

Deno.test("nobody plays from another page, or with a key that is off", async () => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { url } = gateway;
  await gateway.credit("shop", "5");
  await gateway.key("shop");
  const { data: [{ id }] } = await gateway.admin("GET", "/keys?project=shop");
  const link = (await gateway.cli("console")).url as string;
  const entered = await fetch(link.replace(/\?.*/, ""), {
    method: "POST",
    body: new URLSearchParams({ code: new URL(link).searchParams.get("code")! }),
    redirect: "manual",
  });
  await entered.body?.cancel();
  const cookie = entered.headers.get("set-cookie")!.replace(/;.*/, "");
  const start = await (await fetch(`${url}/console/playground`, { headers: { cookie } })).text();
  const token = /name="form_token" value="([^"]+)"/.exec(start)![1]!;
  const right = {
    cookie,
    "x-form-token": token,
    "x-play-key": id,
    "content-type": "application/json",
  };
  async function play(headers: Record<string, string>, path = "chat/completions", tags = {}) {
    const answer = await fetch(`${url}/console/play/v1/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        model: "said",
        messages: [{ role: "user", content: "Hi" }],
        tags,
      }),
      redirect: "manual",
    });
    return { status: answer.status, text: await answer.text() };
  }
  assert.equal((await play(right)).status, 200);
  for (
    const [name, headers] of [
      ["no session", { ...right, cookie: "" }],
      ["no token", { ...right, "x-form-token": "" }],
      ["another token", {
        ...right,
        "x-form-token": token.replace(/^./, (first) => first === "-" ? "_" : "-"),
      }],
      ["another site", { ...right, "sec-fetch-site": "cross-site" }],
      ["another origin", { ...right, origin: "https://evil.example" }],
      ["a form", { ...right, "content-type": "text/plain" }],
      ["no such key", { ...right, "x-play-key": "key_none" }],
    ] as const
  ) {
    const { status } = await play(headers);
    assert.ok(status === 303 || status >= 400, `${name}: ${status}`);
  }
  for (const path of ["responses", "../admin/v1/keys", "files", "%2e%2e/keys", "key"]) {
    assert.ok((await play(right, path)).status >= 400, path);
  }
  const { data: [call] } = await gateway.admin("GET", "/calls?project=shop");
  assert.equal(
    (await play(right, undefined, { source: "app", operator: "x", a: "b" })).status,
    200,
  );
  const { data: [tagged, ...earlier] } = await gateway.admin("GET", "/calls?project=shop");
  assert.deepEqual(tagged.tags, { a: "b", source: "console", operator: "owner by link" });
  assert.equal(earlier[0].request_id, call.request_id, "nothing else was called");
  await gateway.admin("POST", `/keys/${id}/disable`, {});
  const { status, text } = await play(right);
  assert.equal(status, 401);
  assert.match(text, /enable it, or choose another/);
});

/** The call that stalls, once it has ended. */
// deno-lint-ignore no-explicit-any -- as the operation answers
async function untilClosed(calls: () => Promise<any[]>): Promise<any> {
  return await pollUntil({
    what: "the end of the call",
    // Those that were refused are listed too.
    read: async () => (await calls()).find(({ model }) => model === "stalled"),
    isThere: (call) => (call?.closed_at ?? null) !== null,
  });
}
