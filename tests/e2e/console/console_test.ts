/**
 * The console in Chromium, as an operator uses it: in by a link, a project and a key made and used, the
 * ledger verified; at a phone's width and a desk's; and what a stranger is refused.
 *
 * @module
 */

import assert from "node:assert/strict";
import { RawSocket } from "../../support/raw_socket.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { type BrowserPage, chromiumPath, startBrowser } from "../videos/browser.ts";
import { seriousFaults } from "./accessibility.ts";
import { untilThere } from "./console_page.ts";

const PAGES = [
  "",
  "/calls",
  "/projects",
  "/projects/default",
  "/keys",
  "/models",
  "/routes",
  "/providers",
  "/videos",
  "/batches",
  "/ledger",
  "/backups",
  "/audit",
  "/system",
] as const;

/** What an attacker may have written into names. */
const EVIL = `<img src=x onerror="document.title='owned'">`;

Deno.test("an operator works in the console", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway({ env: { TOLLGATE_ADMIN_KEY: "adm-0123456789abcdef" } });
  await using page = await startBrowser();
  const at = (path: string) => `${gateway.url}/console${path}`;

  await test.step("the address alone leads to the sign-in", async () => {
    await page.open(gateway.url);
    assert.equal(await page.evaluate("location.pathname"), "/console/sign-in");
  });

  await test.step("a link signs in, once", async () => {
    const { url } = await gateway.cli("console");
    await page.open(url);
    await page.follow("document.forms[0].requestSubmit()");
    assert.equal(await page.evaluate("location.pathname"), "/console");
    assert.match(await text(page), /Nothing needs you now/);
    const used = await post(url.replace(/\?.*/, ""), {
      code: new URL(url).searchParams.get("code")!,
    });
    assert.equal(used.status, 401);
    assert.match(used.text, /used, or is older/);
  });

  await test.step("a project is made and credited", async () => {
    await page.open(at("/projects"));
    await fill(page, "/console/projects", { id: "shop", daily: "5.00" });
    assert.equal(await page.evaluate("location.pathname"), "/console/projects/shop");
    await fill(page, "/console/projects/shop/credit", { amount: "12.5", reference: "invoice-1" });
    assert.match(await text(page), /Credited/);
    assert.match(await text(page), /12\.50000000 USD/);
    await fill(page, "/console/projects/shop/credit", { amount: "12.5", reference: "invoice-1" });
    assert.match(await text(page), /was credited before/);
  });

  await test.step("a key is shown once, and used", async () => {
    await page.open(at("/keys?project=shop"));
    await fill(page, "/console/keys", { project: "shop", name: EVIL });
    const key = await page.evaluate("document.getElementById('key').textContent");
    assert.match(key, /^sk-tg-/);
    const answer = await gateway.chat(key, {
      model: "echo-1",
      messages: [{ role: "user", content: EVIL }],
    });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    await page.open(at("/projects/shop"));
    const shown = await text(page);
    assert.ok(shown.includes(EVIL), "the key's name is text");
    assert.ok(!(await page.evaluate("document.documentElement.outerHTML")).includes(key));
    assert.notEqual(await page.evaluate("document.title"), "owned");
  });

  await test.step("a route is switched off and on again", async () => {
    await page.open(at("/routes"));
    const isEnabled = async () => (await gateway.admin("GET", "/routes")).data[0].enabled;
    await page.evaluate("window.confirm = () => true");
    await page.follow(
      `document.querySelector('form[action="/console/routes/disable"] button').click()`,
    );
    assert.equal(await isEnabled(), false);
    await page.follow(
      `document.querySelector('form[action="/console/routes/enable"] button').click()`,
    );
    assert.equal(await isEnabled(), true);
  });

  await test.step("a long change is told by its names, and opened", async () => {
    const models = ["one", "two", "three"].map((id) => ({
      id,
      kind: "chat",
      routes: [{ id: `builtin/${id}`, provider: "builtin", upstream_model: "echo-1", free: true }],
    }));
    const catalogue = { providers: [{ id: "builtin", kind: "builtin" }], models };
    await gateway.admin("POST", "/catalogue/apply", { text: JSON.stringify(catalogue) });
    await page.open(at("/audit"));
    const open = "document.querySelector('details').open";
    assert.match(await text(page), /model one, model two and 4 more/);
    assert.equal(await page.evaluate(open), false);
    await page.evaluate("document.querySelector('summary').click()");
    assert.equal(await page.evaluate(open), true);
  });

  await test.step("budgets and the brake are changed", async () => {
    await page.open(at("/projects/shop"));
    await fill(page, "/console/projects/shop/budgets", { monthly: "30", brake: "10" });
    const { budgets } = await gateway.admin("GET", "/projects/shop");
    assert.deepEqual(budgets, { daily: "5.00000000", monthly: "30.00000000", spend_brake: 10 });
    await fill(page, "/console/projects/shop/budgets", { brake: "" });
    assert.equal((await gateway.admin("GET", "/projects/shop")).budgets.spend_brake, undefined);
  });

  await test.step("limits are changed, and taken away", async () => {
    await page.open(at("/projects/shop"));
    await fill(page, "/console/projects/shop/limits", {
      requests_per_minute: "600",
      concurrent: "7",
    });
    const limitsOf = async () => (await gateway.admin("GET", "/projects/shop")).limits;
    assert.deepEqual(await limitsOf(), { requests_per_minute: 600, concurrent: 7 });
    await fill(page, "/console/projects/shop/limits", { concurrent: "" });
    assert.deepEqual(await limitsOf(), { requests_per_minute: 600 });
    await fill(page, "/console/projects/shop/limits", { requests_per_minute: "" });
    assert.deepEqual(await limitsOf(), {});
  });

  await test.step("the ledger adds up", async () => {
    await page.open(at("/ledger"));
    await page.follow(
      `document.querySelector('form[action="/console/ledger/verify"] button').click()`,
    );
    // The page that shows it moving shows what came of it by itself.
    await untilThere(page, "/No differences/.test(document.body?.innerText ?? '')");
    const [job] = (await gateway.cli("jobs", "list")) as { operation: string; state: string }[];
    assert.deepEqual([job?.operation, job?.state], ["ledger.verify", "completed"]);
  });

  await test.step("a backup is made, and read again", async () => {
    await page.open(at("/backups"));
    await page.follow(
      `document.querySelector('form[action="/console/backups/make"] button').click()`,
    );
    await untilThere(page, "/Made last/.test(document.body?.innerText ?? '')");
    const [job] = (await gateway.cli("jobs", "list")) as { id: string; operation: string }[];
    assert.equal(job?.operation, "backup.create");
    const { result } = await gateway.cli("jobs", "show", job!.id);
    assert.ok((await text(page)).includes(result.sha256));
    assert.ok((await Deno.stat(result.file)).isFile);
  });

  await test.step("every page fits a phone and a desk, without faults", async () => {
    for (const [width, height] of [[390, 844], [1440, 900]] as const) {
      await page.resize(width, height);
      for (const path of PAGES) {
        await page.open(at(path));
        const { scrollWidth } = await page.evaluate(
          "({ scrollWidth: document.documentElement.scrollWidth })",
        );
        assert.ok(scrollWidth <= width, `${path} is ${scrollWidth} wide at ${width}`);
        assert.deepEqual(await seriousFaults(page), [], `${path} at ${width}`);
      }
    }
    assert.deepEqual(page.faults, []);
    const outside = page.requested.filter((url) =>
      !url.startsWith(gateway.url) && !/^(?:data|about):/.test(url)
    );
    assert.deepEqual(outside, []);
  });

  await test.step("who signed out is out, with the same cookie too", async () => {
    await page.open(at(""));
    await page.follow(`document.querySelector('form[action="/console/leave"]').requestSubmit()`);
    assert.equal(await page.evaluate("location.pathname"), "/console/sign-in");
    await page.open(at("/projects"));
    assert.equal(await page.evaluate("location.pathname"), "/console/sign-in");
  });

  await test.step("the audit log names the console", async () => {
    const { data } = await gateway.admin("GET", "/audit?subject=shop");
    assert.deepEqual(
      data.map((row: { channel: string; operation: string }) => [row.channel, row.operation]),
      [
        ["console", "projects.set"],
        ["console", "projects.set"],
        ["console", "projects.set"],
        ["console", "projects.set"],
        ["console", "projects.set"],
        ["console", "projects.credit"],
        ["console", "projects.create"],
      ],
    );
    assert.ok(data.every((row: { address: string }) => row.address === "127.0.0.1"));
  });
});

Deno.test("an operator signs in from another machine, without TLS", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async () => {
  await using gateway = await serveGateway();
  await using page = await startBrowser();
  const link = new URL((await gateway.cli("console")).url);
  link.hostname = "gateway.test";
  await page.open(link.href);
  await page.follow("document.forms[0].requestSubmit()");
  assert.equal(await page.evaluate("location.pathname"), "/console");
  await page.open(new URL("/console/projects/", link).href);
  assert.equal(await page.evaluate("location.pathname"), "/console/projects");
  await fill(page, "/console/projects", { id: "shop" });
  assert.equal(await page.evaluate("location.pathname"), "/console/projects/shop");
});

Deno.test("behind a proxy that names another host, forms come from the base URL", async () => {
  await using gateway = await serveGateway();
  const { url } = await gateway.cli("console");
  const code = new URL(url).searchParams.get("code")!;
  const { hostname, port } = new URL(gateway.url);
  async function from(origin: string) {
    using socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
    const body = `code=${code}`;
    await socket.send(
      "POST /console/enter HTTP/1.1\r\nHost: upstream.internal\r\n" +
        `Origin: ${origin}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    return await socket.readResponse();
  }
  for (const other of ["http://evil.example", "null", "http://127.0.0.1.evil.example"]) {
    const { status, body } = await from(other);
    assert.equal(status, 400, other);
    assert.match(body, /--base-url/);
  }
  assert.equal((await from(gateway.url)).status, 303);
});

Deno.test("keys are not found by trying many at once", async () => {
  await using gateway = await serveGateway({ env: { TOLLGATE_ADMIN_KEY: "adm-0123456789abcdef" } });
  const tries = Array.from(
    { length: 60 },
    (_, at) => post(`${gateway.url}/console/sign-in`, { admin_key: `x${at}` }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  assert.deepEqual(statuses.filter((status) => status !== 429), Array(10).fill(401));
});

Deno.test("strangers get nothing of the console", async (test) => {
  await using gateway = await serveGateway({ env: { TOLLGATE_ADMIN_KEY: "adm-0123456789abcdef" } });
  const { cookie, token } = await signIn(gateway);

  await test.step("every page leads who has no session to the sign-in", async () => {
    for (const path of [...PAGES, "/nothing"]) {
      for (const wrong of ["", "tollgate_console=x.y", `${cookie}x`]) {
        const answer = await fetch(`${gateway.url}/console${path}`, {
          headers: { cookie: wrong },
          redirect: "manual",
        });
        await answer.body?.cancel();
        assert.equal(answer.status, 303, path);
        // What was asked for comes after it, where there is such a place to come back to.
        assert.match(answer.headers.get("location")!, /^\/console\/sign-in(\?next=[%\w-]+)?$/);
      }
    }
  });

  await test.step("a form of another page, or without its session's token, changes nothing", async () => {
    const attempts: readonly (readonly [string, HeadersInit, object])[] = [
      ["no token", { cookie }, { id: "evil" }],
      ["another token", { cookie }, {
        id: "evil",
        form_token: token.replace(/^./, (first) => first === "_" ? "-" : "_"),
      }],
      ["another site", { cookie, "sec-fetch-site": "cross-site" }, {
        id: "evil",
        form_token: token,
      }],
      ["another origin", { cookie, origin: "https://evil.example" }, {
        id: "evil",
        form_token: token,
      }],
      ["no cookie", {}, { id: "evil", form_token: token }],
    ];
    for (const [name, headers, fields] of attempts) {
      const answer = await post(`${gateway.url}/console/projects`, fields, headers);
      const leadsTo = answer.headers.get("location") ?? "";
      assert.ok(
        answer.status >= 400 || leadsTo.startsWith("/console/sign-in"),
        `${name}: ${answer.status} ${leadsTo}`,
      );
    }
    const { data } = await gateway.admin("GET", "/projects");
    assert.deepEqual(data.map(({ id }: { id: string }) => id), ["default"]);
  });

  await test.step("what is wrong is said on a page, and changes nothing", async () => {
    const fields = { id: "No Such", form_token: token };
    const { status, text } = await post(`${gateway.url}/console/projects`, fields, { cookie });
    assert.equal(status, 400);
    assert.match(text, /lower-case letters/);
    const large = { id: "x", models: "m".repeat(70_000), form_token: token };
    assert.equal((await post(`${gateway.url}/console/projects`, large, { cookie })).status, 413);
  });

  await test.step("keys are not found by trying", async () => {
    const statuses = [];
    for (let tries = 0; tries < 12; tries++) {
      statuses.push(
        (await post(`${gateway.url}/console/sign-in`, { admin_key: `x${tries}` })).status,
      );
    }
    assert.deepEqual(statuses, [...Array(10).fill(401), 429, 429]);
    // Whoever has a link is not kept waiting by that.
    assert.ok((await signIn(gateway)).cookie.length > 0);
  });

  await test.step("every answer forbids what it does not need", async () => {
    for (const path of ["/console", "/console/sign-in", "/console/assets/console.css"]) {
      const answer = await fetch(gateway.url + path, { redirect: "manual" });
      await answer.body?.cancel();
      assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
      assert.doesNotMatch(answer.headers.get("content-security-policy")!, /unsafe/);
      assert.equal(answer.headers.get("x-frame-options"), "DENY");
    }
    assert.match(cookie, /^tollgate_console=/);
  });
});

Deno.test("the gateway's own address leads to the console, with an id as every answer", async () => {
  await using gateway = await serveGateway({});
  const answer = await fetch(gateway.url, { redirect: "manual" });
  await answer.body?.cancel();
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/console"]);
  assert.match(answer.headers.get("x-request-id") ?? "", /^req_/);
});

Deno.test("a gateway may be without a console", async () => {
  await using gateway = await serveGateway({ args: ["--console", "off"] });
  for (const path of ["/console", "/console/sign-in"]) {
    const answer = await fetch(gateway.url + path, { redirect: "manual" });
    await answer.body?.cancel();
    assert.equal(answer.status, 404, path);
  }
});

/** A session by a link, as a script has it. */
async function signIn(gateway: ServedGateway) {
  const { url } = await gateway.cli("console");
  const { headers } = await post(url.replace(/\?.*/, ""), {
    code: new URL(url).searchParams.get("code")!,
  });
  const set = headers.get("set-cookie") ?? "";
  assert.match(set, /HttpOnly/);
  assert.match(set, /SameSite=Lax/);
  const cookie = set.replace(/;.*/, "");
  const page = await fetch(`${gateway.url}/console`, { headers: { cookie } });
  const token = /name="form_token" value="([^"]+)"/.exec(await page.text())![1]!;
  return { cookie, token };
}

async function post(url: string, fields: object, headers: HeadersInit = {}) {
  const answer = await fetch(url, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields as Record<string, string>),
    redirect: "manual",
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function text(page: BrowserPage): Promise<string> {
  return await page.evaluate("document.body.innerText");
}

/** Fills the form of an action in, and sends it. */
async function fill(
  page: BrowserPage,
  action: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  await page.follow(`(() => {
    const form = document.querySelector(${JSON.stringify(`form.fields[action="${action}"]`)});
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      form.elements[name].value = value;
    }
    form.requestSubmit();
  })()`);
}
