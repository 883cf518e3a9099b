/**
 * The first hour with the console, as somebody has it who was given the executable: in by the link that
 * it prints, a project and a key made and used, a call found and opened, a film watched, an alert of a
 * budget received, the books verified and exported, and colleagues let in with less than all rights.
 * What others may write is hostile throughout.
 *
 * With TOLLGATE_TEST_SHOTS=FOLDER the pages are kept there as pictures.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { runTollgate } from "../../support/executable.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { type BrowserPage, chromiumPath, startBrowser } from "../videos/browser.ts";
import { clientOf, create, untilEnded } from "../videos/scene.ts";
import { startWebhookReceiver } from "../videos/webhook_receiver.ts";
import { seriousFaults } from "./accessibility.ts";
import { assertQuiet, textOf, untilThere } from "./console_page.ts";

/** What an attacker may have written into whatever is shown. */
const EVIL = `"><img src=x onerror=document.title='owned'>`;
const SECRET = `whsec_${btoa("a secret of the alerts', 32 long")}`;
const SHOTS = Deno.env.get("TOLLGATE_TEST_SHOTS");

const catalogue = (upstream: string) => `
providers:
  - { id: builtin, kind: builtin }
  - { id: far, kind: openai_compatible, base_url: "${upstream}/v1", auth: none }
models:
  - id: echo
    kind: chat
    routes:
      - { id: builtin/echo, provider: builtin, upstream_model: echo-1, sale: { request: "0.60", input: "0", output: "0" } }
  - id: broken
    kind: chat
    routes: [{ id: far/broken, provider: far, free: true }]
  - id: film
    kind: video
    routes:
      - { id: builtin/film, provider: builtin, upstream_model: video-2, free: true, video: { sizes: [640x360], seconds: [2] } }
  - id: far-film
    kind: video
    routes: [{ id: far/film, provider: far, free: true, video: { sizes: [640x360], seconds: [2] } }]
projects:
  - { id: other, unlimited: true }
`;

Deno.test("the first hour with the console", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using receiver = startWebhookReceiver();
  await using upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ error: { message: EVIL, code: "bad_prompt" } }, { status: 400 }),
  );
  await using gateway = await serveGateway({
    catalogue: catalogue(`http://127.0.0.1:${upstream.addr.port}`),
    env: { ALERTS: SECRET },
    args: [
      ...["--alert-url", `${receiver.url}/hook`, "--alert-secret", "env:ALERTS"],
      ...["--webhook-private-addresses", "true"],
    ],
  });
  const { url } = gateway;
  await using page = await startBrowser();
  const at = (path: string) => `${url}/console${path}`;
  const messages = [{ role: "user", content: EVIL }] as const;
  let key = "";
  let keyId = "";
  let callId = "";
  let failedFilm = "";

  await test.step("the link that is printed signs in", async () => {
    const { stdout } = await runTollgate(["console", "--data-dir", gateway.server.dataDir]);
    await page.open(/http:\S+/.exec(stdout)![0]);
    await page.follow("document.forms[0].requestSubmit()");
    assert.equal(await page.evaluate("location.pathname"), "/console");
  });

  await test.step("a project and a key are made, and the key is used", async () => {
    await page.open(at("/projects"));
    await send(page, "/console/projects", { id: "shop", daily: "1.00" });
    await send(page, "/console/projects/shop/credit", { amount: "5", reference: EVIL });
    await holds(page, "project");
    await page.open(at("/keys?project=shop"));
    await send(page, "/console/keys", { project: "shop", name: EVIL });
    key = await page.evaluate("document.getElementById('key').textContent");
    const client = clientOf(seven, { url, key });
    const tags = { team: EVIL };
    const made = await client.chat.completions.create(
      { model: "echo", messages: [...messages], tags } as never,
    ).withResponse();
    callId = made.response.headers.get("x-request-id")!;
    await assert.rejects(
      client.chat.completions.create({ model: "broken", messages: [...messages] }),
      (error: unknown) => error instanceof seven.APIError && error.status === 400,
    );
    await assert.rejects(
      client.chat.completions.create({ model: EVIL, messages: [...messages] }),
      (error: unknown) => error instanceof seven.APIError && error.status === 404,
    );
    await page.open(at("/keys?project=shop"));
    assert.ok((await textOf(page)).includes(EVIL), "the key's name is text");
    assert.ok(!(await page.evaluate("document.documentElement.outerHTML")).includes(key));
    await holds(page, "keys");
    await page.follow("document.querySelector('tbody a[href^=\"/console/keys/\"]').click()");
    keyId = (await page.evaluate("location.pathname")).split("/").at(-1);
    await send(page, `/console/keys/${keyId}/limits`, { requests_per_minute: "600" });
    assert.match(await textOf(page), /Changed\./);
    assert.equal((await gateway.admin("GET", `/keys/${keyId}`)).limits.requests_per_minute, 600);
    assert.ok(!(await page.evaluate("document.documentElement.outerHTML")).includes(key));
    await holds(page, "key");
  });

  await test.step("the call is found by its tag, and opened", async () => {
    await page.open(at("/calls"));
    await holds(page, "calls");
    await page.follow(`(() => {
      const form = document.querySelector("form[method=get]");
      form.elements.tag.value = ${JSON.stringify(`team=${EVIL}`)};
      form.requestSubmit();
    })()`);
    assert.equal(
      await page.evaluate("document.querySelectorAll('tbody a[href*=\"/calls/\"]').length"),
      1,
    );
    await page.follow(`document.querySelector('a[href="/console/calls/${callId}"]').click()`);
    const shown = await textOf(page);
    assert.match(shown, /builtin\/echo/);
    assert.match(shown, /0\.60000000/);
    assert.ok(shown.includes(EVIL), "the tag is text");
    await holds(page, "call");
  });

  await test.step("a film is watched until it plays", async () => {
    const client = clientOf(seven, { url, key });
    const order = { size: "640x360", seconds: "2", prompt: EVIL };
    failedFilm = (await create(client, { ...order, model: "far-film" })).id;
    const { id } = await create(client, { ...order, model: "film" });
    await page.open(at(`/videos/${id}`));
    await untilThere(page, "document.querySelector('video')");
    const video = "document.querySelector('video')";
    const seconds = await page.evaluate(`new Promise((resolve) => {
      ${video}.ontimeupdate = () => ${video}.currentTime > 0.2 && resolve(${video}.duration);
      ${video}.muted = true;
      ${video}.play();
    })`);
    assert.equal(seconds, 2);
    assert.ok((await textOf(page)).includes(EVIL), "the prompt is text");
    await holds(page, "film");
    assert.equal((await untilEnded(client, failedFilm)).status, "failed");
    await page.open(at(`/videos/${failedFilm}`));
    assert.ok((await textOf(page)).includes(`bad_prompt: ${EVIL}`), "the error is text");
    await holds(page, "failed film");
  });

  await test.step("the budget's alert is received, and leads to its project", async () => {
    const [message] = await receiver.received("/hook", 1);
    const webhooks = new seven.OpenAI({ apiKey: "none", webhookSecret: SECRET }).webhooks;
    // deno-lint-ignore no-explicit-any -- read as it comes
    const event: any = await webhooks.unwrap(message!.body, message!.headers);
    const [alert] = event.data.alerts;
    assert.deepEqual([event.type, alert.cause], ["alert.raised", "budget"]);
    assert.ok(!message!.body.includes(key));
    await page.open(alert.link);
    assert.equal(await page.evaluate("location.pathname"), "/console/projects/shop");
    await page.open(at(""));
    assert.ok((await textOf(page)).includes(alert.text), "the overview says so too");
    await holds(page, "overview");
  });

  await test.step("the ledger is verified", async () => {
    await page.open(at("/ledger"));
    await page.follow(
      `document.querySelector('form[action="/console/ledger/verify"]').requestSubmit()`,
    );
    await untilThere(page, "/No differences/.test(document.body?.innerText)");
    await holds(page, "ledger");
  });

  await test.step("an export is opened, and has every call as it is", async () => {
    await page.open(at("/calls?project=shop"));
    const links = "[...document.querySelectorAll('a[download]')].map(({ href }) => href)";
    const [csv, jsonl] = await page.evaluate(
      `Promise.all((${links}).map((href) => fetch(href).then((answer) => answer.text())))`,
    );
    const rows = jsonl.trimEnd().split("\n").map((line: string) => JSON.parse(line));
    const call = rows.find(({ request_id: id }: { request_id: string }) => id === callId);
    assert.deepEqual([call.charged, call.tags], ["0.60000000", { team: EVIL }]);
    const [head, ...lines] = csv.trimEnd().split(/\r?\n/);
    assert.match(head, /^request_id,opened_at,/);
    assert.equal(lines.length, rows.length);
    assert.ok(!csv.includes(key) && !jsonl.includes(key));
  });

  await test.step("a viewer, a member and an operator are held to their rights", async () => {
    const wrong: string[] = [];
    const others = await gateway.admin("POST", "/keys", { project: "other" });
    const idOf: Readonly<Record<string, string>> = {
      FILM: failedFilm,
      KEY: keyId,
      OTHER: others.id,
    };
    const filled = (path: string) => path.replace(/FILM|KEY|OTHER/, (name) => idOf[name]!);
    for (const [role, allowed] of Object.entries(ALLOWED)) {
      const session = await signIn(gateway, role);
      for (const path of PAGES) {
        const isAllowed = (allowed.pages as readonly string[]).includes(path);
        const { status, text } = await session.get(filled(path));
        if (status < 400 !== isAllowed) wrong.push(`${role} at ${path || "/"}: ${status}`);
        if (!isAllowed) assert.doesNotMatch(text, /builtin\/echo|5\.00000000/, `${role}: ${path}`);
      }
      const forms: Record<string, Record<string, string>> = {
        "/projects/shop/credit": { amount: "1" },
        "/projects/shop/budgets": { daily: "100" },
        "/keys": { project: "other" },
        "/routes/disable": { route: "builtin/echo" },
        "/ledger/verify": {},
        "/keys/KEY/limits": { requests_per_minute: "600" },
        "/keys/OTHER/limits": { requests_per_minute: "600" },
        "/videos/FILM/retry": {},
        "/video-queue/pause": { part: "queue", reason: EVIL },
        "/video-queue/resume": { part: "queue" },
      };
      for (const [path, fields] of Object.entries(forms)) {
        const { status } = await session.post(filled(path), fields);
        const isAllowed = (allowed.forms as readonly string[]).includes(path);
        if (status < 400 !== isAllowed) wrong.push(`${role} sends ${path}: ${status}`);
      }
    }
    assert.deepEqual(wrong, []);
    // What was refused has changed nothing: the operator alone credited.
    const { data } = await gateway.admin("GET", "/audit?subject=shop");
    const credits = data.filter(({ operation }: { operation: string }) =>
      operation === "projects.credit"
    );
    assert.equal(credits.length, 2);
  });

  await test.step("a member sees his project, and no more", async () => {
    await page.open(at(""));
    await page.follow(`document.querySelector('form[action="/console/leave"]').requestSubmit()`);
    const { token } = await gateway.admin("POST", "/tokens", {
      role: "member",
      project: "shop",
      name: EVIL,
    });
    await send(page, "/console/sign-in", { admin_key: token });
    await page.open(at(""));
    assert.equal(await page.evaluate("location.pathname"), "/console/projects/shop");
    const shown = await textOf(page);
    assert.ok(!/Audit log|Projects\n/.test(shown), "no page that is not his is in the menu");
    assert.equal(
      await page.evaluate("document.querySelectorAll('form[action$=\"/credit\"]').length"),
      0,
    );
    await holds(page, "member");
  });

  await test.step("nothing went wrong in any page, and nobody else was asked for anything", () => {
    assertQuiet(gateway, page);
  });
});

/** Pages that are asked for as each role. */
const PAGES = [
  "",
  "/calls",
  "/projects",
  "/projects/shop",
  "/projects/other",
  "/keys?project=shop",
  "/keys?project=other",
  "/keys/KEY",
  "/keys/OTHER",
  "/models",
  "/routes",
  "/providers",
  "/playground",
  "/videos",
  "/batches",
  "/ledger",
  "/audit",
  "/system",
] as const;

/** What each role is let through to; a member is led to his project from the first page. */
const ALLOWED = {
  viewer: {
    pages: PAGES.filter((path) =>
      !["/playground", "/providers", "/audit", "/system"].includes(path)
    ),
    forms: ["/ledger/verify"],
  },
  member: {
    pages: [
      ...["", "/calls", "/projects/shop", "/keys?project=shop", "/keys/KEY", "/playground"],
      ...["/videos", "/batches"],
    ],
    forms: ["/keys/KEY/limits", "/videos/FILM/retry"],
  },
  operator: {
    pages: PAGES,
    forms: [
      ...["/projects/shop/credit", "/projects/shop/budgets", "/keys", "/routes/disable"],
      ...["/keys/KEY/limits", "/keys/OTHER/limits"],
      ...["/ledger/verify", "/videos/FILM/retry", "/video-queue/pause", "/video-queue/resume"],
    ],
  },
} as const;

/** A session by a token of a role, without a browser: what is refused is an error to a browser. */
async function signIn(gateway: ServedGateway, role: string) {
  const { token } = await gateway.admin("POST", "/tokens", {
    role,
    name: EVIL,
    ...role === "member" && { project: "shop" },
  });
  const post = (path: string, fields: Record<string, string>, cookie = "") =>
    fetch(`${gateway.url}/console${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: gateway.url, cookie },
      body: new URLSearchParams(fields),
    });
  const entered = await post("/sign-in", { admin_key: token });
  await entered.body?.cancel();
  assert.equal(entered.status, 303, role);
  const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
  const get = async (path: string) => {
    const answer = await fetch(`${gateway.url}/console${path}`, { headers: { cookie } });
    return { status: answer.status, text: await answer.text() };
  };
  const { text } = await get("/calls");
  const formToken = /name="form_token" value="([^"]+)"/.exec(text)![1]!;
  return {
    get,
    async post(path: string, fields: Record<string, string>) {
      const answer = await post(path, { ...fields, form_token: formToken }, cookie);
      await answer.body?.cancel();
      return answer;
    },
  };
}

/** Fills a form of the page and sends it. */
async function send(
  page: BrowserPage,
  action: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  await page.follow(`(() => {
    const form = [...document.forms].find((one) =>
      one.getAttribute("action") === ${JSON.stringify(action)} && !one.matches(".inline"));
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      form.elements[name].value = value;
    }
    form.requestSubmit();
  })()`);
}

/** The page fits a phone and a desk, axe finds nothing serious, and nobody's text became a part of it. */
async function holds(page: BrowserPage, name: string): Promise<void> {
  assert.notEqual(await page.evaluate("document.title"), "owned");
  assert.equal(await page.evaluate("document.querySelectorAll('img[src=x]').length"), 0);
  for (const [width, height] of [[390, 844], [1440, 900]] as const) {
    await page.resize(width, height);
    // Charts are drawn anew once the window has its size.
    await untilThere(page, "document.documentElement.scrollWidth <= innerWidth");
    assert.deepEqual(await seriousFaults(page), [], `${name} at ${width}`);
    if (SHOTS !== undefined) {
      await Deno.mkdir(SHOTS, { recursive: true });
      const file = `${SHOTS}/${name.replaceAll(" ", "-")}-${width}.png`;
      await Deno.writeFile(file, await page.screenshot());
    }
  }
}
