/**
 * Every role in a browser, through every page that it can reach: each page fits a phone and a desk, has
 * no form that would be refused, leads nowhere that is closed, and shows a member nothing of others.
 * What strangers wrote stays text on all of them. The pages are those of the console's own table, so
 * that a new one is walked, too.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { DOORS } from "../../../src/console/frame/doors.ts";
import { RANKS, type Role } from "../../../src/domain/roles.ts";
import { ROLE_TABLE } from "../../admin/role_table.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { type BrowserPage, chromiumPath, startBrowser } from "../videos/browser.ts";
import { clientOf, create, untilEnded } from "../videos/scene.ts";
import { seriousFaults } from "./accessibility.ts";
import { assertQuiet, untilThere } from "./console_page.ts";

/** What an attacker may have written into whatever is shown. */
const EVIL = `"><img src=x onerror=document.title='owned'>`;
/** What only the project that is not the member's has to do with. */
const RIVAL = "rivals";

const catalogue = (upstream: string) => `
providers:
  - { id: builtin, kind: builtin }
  - { id: far, kind: openai_compatible, base_url: "${upstream}/v1", auth: none }
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, sale: { request: "0.01", input: "1", output: "1" } }]
  - id: broken
    kind: chat
    routes: [{ id: far/broken, provider: far, free: true }]
  - id: far-film
    kind: video
    routes: [{ id: far/film, provider: far, free: true, video: { sizes: [640x360], seconds: [2] } }]
projects:
  - { id: shop, unlimited: true, quotas: { prompt_days: 30 } }
  - { id: ${RIVAL}, unlimited: true, quotas: { prompt_days: 30 } }
`;

/** Of these a page has them only while there is something to tell, or no page has them. */
const APART = new Set([
  "/ledger/progress/:job_id",
  "/backups/progress/:job_id",
  "/doctor/progress/:job_id",
  "/providers/tests/progress/:job_id",
  "/usage/export",
  "/calls/export",
]);

/** Where axe looks: an owner's pages have all that a viewer's and an operator's have. */
const JUDGED: Readonly<Record<Role, readonly number[]>> = {
  owner: [390, 1440],
  operator: [1440],
  viewer: [390],
  member: [390, 1440],
};

/** What the browser says of a question whose page went away under it. */
const LOADED_AGAIN = /navigated or closed|context was destroyed|Cannot find context/;

const PAGES = DOORS.filter(({ method }) => method === "GET").map(({ path, operation }) => ({
  path,
  operation,
  pattern: new RegExp(
    `^/console${
      path === "/" ? "" : path.replaceAll(/:\w+\*/g, ".+").replaceAll(/:\w+/g, "[^/]+")
    }$`,
  ),
}));

/** Which of the console's pages an address is. */
function pageOf(pathname: string): string | undefined {
  return PAGES.find(({ pattern }) => pattern.test(pathname))?.path;
}

/** By the table that says it in words, and not by what the console makes of it. */
function may(role: Role, operation: string): boolean {
  const [least, member] = ROLE_TABLE[operation]!;
  if (role === "member") return member !== undefined;
  return RANKS.indexOf(role) >= RANKS.indexOf(least);
}

Deno.test("every role walks through the pages that are its own", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ error: { message: EVIL, code: "bad_prompt" } }, { status: 400 }),
  );
  await using gateway = await serveGateway({
    catalogue: catalogue(`http://127.0.0.1:${upstream.addr.port}`),
  });
  const own = await work(gateway, "shop");
  const theirs = await work(gateway, RIVAL);
  // Whose results are on pages, and files.
  await gateway.job("/ledger/verify");
  await gateway.job("/doctor", { offline: true });
  await gateway.job("/providers/test");
  for (const role of [...RANKS, "member"] as const) {
    await test.step(role, async () => {
      await using page = await startBrowser();
      const walk = new Walk(gateway, page, role);
      await walk.enter();
      await walk.all();
      walk.assertComplete();
      for (const id of role === "member" ? theirs : []) {
        assert.ok(!walk.shown.includes(id), `a member is shown ${id}`);
      }
      for (const id of role === "member" ? own.slice(0, 1) : []) assert.ok(walk.shown.includes(id));
      assertQuiet(gateway, page);
      await walk.sendForms();
    });
  }
});

/** A project's calls, films and batches, each with hostile words; gives what identifies them. */
async function work(gateway: ServedGateway, project: string): Promise<readonly string[]> {
  const { id: keyId, key } = await gateway.admin("POST", "/keys", {
    project,
    name: `${project}-key ${EVIL}`,
  });
  const client = clientOf(seven, { url: gateway.url, key });
  const messages = [{ role: "user", content: `${project}-words ${EVIL}` }] as const;
  const body = { model: "echo-1", messages: [...messages], user: EVIL, tags: { team: EVIL } };
  const { response } = await client.chat.completions.create(body as never).withResponse();
  const refusals = ["broken", EVIL].map(async (model) =>
    await assert.rejects(
      client.chat.completions.create({ model, messages: [...messages] }),
      seven.APIError,
    )
  );
  await Promise.all(refusals);
  const film = await create(client, { model: "far-film", prompt: `${project}-film ${EVIL}` });
  await untilEnded(client, film.id);
  const line = { method: "POST", url: "/v1/chat/completions", body };
  const text = JSON.stringify({ custom_id: EVIL, ...line });
  const file = await client.files.create({
    file: new File([text], "lines.jsonl"),
    purpose: "batch",
  });
  const batch = await client.batches.create({
    input_file_id: file.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
    metadata: { note: EVIL },
  });
  const callId = response.headers.get("x-request-id")!;
  return [callId, film.id, batch.id, keyId, `${project}-key`, `${project}-words`];
}

class Walk {
  readonly #gateway: ServedGateway;
  readonly #page: BrowserPage;
  readonly #role: Role;
  /** One address of each page, and where it was found. */
  readonly #found = new Map<string, { readonly address: string; readonly from: string }>();
  readonly #actions = new Set<string>();
  #html = "";

  constructor(gateway: ServedGateway, page: BrowserPage, role: Role) {
    this.#gateway = gateway;
    this.#page = page;
    this.#role = role;
  }

  /** The source of every page so far. */
  get shown(): string {
    return this.#html;
  }

  /** Signs in by a token, as people of that role do. */
  async enter(): Promise<void> {
    const { token } = await this.#gateway.admin("POST", "/tokens", {
      role: this.#role,
      name: `a ${this.#role} ${EVIL}`,
      ...this.#role === "member" && { project: "shop" },
    });
    await this.#page.open(`${this.#gateway.url}/console/sign-in`);
    await this.#page.follow(`(() => {
      const form = document.querySelector('form[action="/console/sign-in"]');
      form.elements.admin_key.value = ${JSON.stringify(token)};
      form.requestSubmit();
    })()`);
    const expected = this.#role === "member" ? "/console/projects/shop" : "/console";
    assert.equal(await this.#page.evaluate("location.pathname"), expected);
  }

  /** Goes wherever links lead, to each page of the table once. */
  async all(): Promise<void> {
    await this.#look("the first page");
    const seen = new Set<string>();
    const files: string[] = [];
    for (;;) {
      const next = [...this.#found].find(([path]) => !seen.has(path));
      if (next === undefined) break;
      const [path, { address, from }] = next;
      seen.add(path);
      if (path.startsWith("/export/")) {
        files.push(address);
        continue;
      }
      await this.#page.open(this.#gateway.url + address);
      const status = await this.#page.evaluate(
        "performance.getEntriesByType('navigation')[0].responseStatus",
      );
      assert.equal(status, 200, `${this.#role}: ${from} leads to ${address}`);
      await this.#look(address);
    }
    // A page that loads itself again would end what is fetched from it.
    await this.#page.open(`${this.#gateway.url}/console/keys`);
    for (const address of files) await this.#download(address);
  }

  /** A list as a file, which is shown to whoever opens it. */
  async #download(address: string): Promise<void> {
    const [status, kind, text] = await this.#page.evaluate(
      `fetch(${JSON.stringify(address)}).then(async (answer) =>
        [answer.status, answer.headers.get("content-disposition"), await answer.text()])`,
    );
    assert.equal(status, 200, `${this.#role}: ${address}: ${text}`);
    assert.match(kind, /^attachment; filename="[a-z]+\.(csv|jsonl)"$/);
    this.#html += text;
  }

  /** Whatever the table lets the role open, some link has led to; and nothing else. */
  assertComplete(): void {
    for (const { path, operation } of PAGES) {
      if (APART.has(path) || (this.#role === "member" && path === "/")) continue;
      const isOpen = may(this.#role, operation.name);
      assert.equal(this.#found.has(path), isOpen, `${this.#role} and the page ${path}`);
    }
  }

  /** What holds for the page that is open, once more where work has ended meanwhile and it loaded itself again. */
  async #look(place: string): Promise<void> {
    try {
      await this.#lookAtPage(place);
    } catch (error) {
      if (!(error instanceof Error) || !LOADED_AGAIN.test(error.message)) throw error;
      await untilThere(this.#page, "document.readyState === 'complete'");
      await this.#lookAtPage(place);
    }
  }

  async #lookAtPage(place: string): Promise<void> {
    const about = `${this.#role}, ${place}`;
    for (const [width, height] of [[390, 844], [1440, 900]] as const) {
      await this.#page.resize(width, height);
      // Charts are drawn anew once the window has its size.
      await untilThere(this.#page, "document.documentElement?.scrollWidth <= innerWidth");
      if (JUDGED[this.#role].includes(width)) {
        assert.deepEqual(await seriousFaults(this.#page), [], `${about} at ${width}`);
      }
    }
    const { title, images, html, links, actions } = await this.#page.evaluate(`({
      title: document.title,
      images: document.querySelectorAll("img[src=x]").length,
      html: document.documentElement.outerHTML,
      links: [...document.links].filter(({ origin }) => origin === location.origin)
        .map(({ pathname, search }) => [pathname, search]),
      actions: [...document.forms].filter(({ method }) => method === "post")
        .map((form) => new URL(form.action).pathname),
    })`);
    assert.notEqual(title, "owned", about);
    assert.equal(images, 0, about);
    this.#html += html;
    for (const action of actions) this.#actions.add(action);
    for (const [pathname, search] of links as readonly (readonly [string, string])[]) {
      const path = pageOf(pathname);
      if (path === undefined) {
        const isBelow = pathname.startsWith("/console") && !pathname.startsWith("/console/assets");
        assert.ok(!isBelow || isPartOf(pathname), `${about} leads to ${pathname}`);
        continue;
      }
      const { operation } = PAGES.find((page) => page.path === path)!;
      const isHome = this.#role === "member" && path === "/";
      assert.ok(may(this.#role, operation.name) || isHome, `${about} leads to ${pathname}`);
      if (APART.has(path) || isHome || this.#found.has(path)) continue;
      this.#found.set(path, { address: pathname + search, from: place });
    }
  }

  /**
   * Every form that was offered, sent without what proves that it is the session's own: who may not is
   * told that first.
   */
  async sendForms(): Promise<void> {
    for (const action of this.#actions) {
      if (action === "/console/leave") continue;
      const [status, text] = await this.#page.evaluate(`fetch(${JSON.stringify(action)}, {
        method: "POST",
        body: new URLSearchParams({ form_token: "none" }),
      }).then(async (answer) => [answer.status, await answer.text()])`);
      assert.doesNotMatch(text, /takes the role|is an owner's/, `${this.#role}: ${action}`);
      assert.ok(status >= 400 && status < 500, `${this.#role}: ${action} answered ${status}`);
    }
  }
}

/** Parts of pages that are no pages: films, pictures and files. */
function isPartOf(pathname: string): boolean {
  return /^\/console\/(?:videos|batches)\/[^/]+\/./.test(pathname);
}
