/**
 * The page of one key in Chromium: found from the keys, what it tells, what is changed there and by
 * whom, and that a change which is refused changes nothing.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../../support/served_gateway.ts";
import { type BrowserPage, chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertFits, assertQuiet, enterConsole, textOf } from "./console_page.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, sale: { request: "0.60", input: "0", output: "0" } }]
projects:
  - { id: shop, unlimited: true }
  - { id: rivals, unlimited: true }
`;

const EVIL = `"><img src=x onerror="document.title='owned'">`;
const ignore = chromiumPath === undefined && Deno.env.get("CI") !== "true";

Deno.test("a key is read and changed on its page", { ignore }, async (test) => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const { id, key } = await gateway.admin("POST", "/keys", { project: "shop", name: EVIL });
  const path = `/console/keys/${id}`;
  const open = () => page.open(gateway.url + path);
  const row = async () => await gateway.admin("GET", `/keys/${id}`);
  const call = async () => {
    const messages = [{ role: "user", content: "hello" }];
    const answer = await gateway.chat(key, { model: "echo-1", messages });
    await answer.body?.cancel();
    return answer.status;
  };
  /** It fits, strangers' text stays text, and the key itself is not on it. */
  const holds = async () => {
    assert.ok(!(await page.evaluate("document.documentElement.outerHTML")).includes(key));
    assert.notEqual(await page.evaluate("document.title"), "owned");
    await assertFits(page);
  };

  await test.step("tables of keys lead to it", async () => {
    await page.open(`${gateway.url}/console/projects/shop`);
    await page.follow(`document.querySelector('a[href="${path}"]').click()`);
    assert.equal(await page.evaluate("location.pathname"), path);
    assert.match(await factOf(page, "Last call"), /^none that is kept$/);
    assert.equal(await factOf(page, "For"), EVIL);
    assert.equal(await factOf(page, "Expires"), "never");
    assert.match(await factOf(page, "Models"), /^all of the project's: \*$/);
    await page.open(`${gateway.url}/console/keys`);
    await page.follow(`document.querySelector('a[href="${path}"]').click()`);
    await holds();
  });

  await test.step("its name, models and expiry are changed, and taken away", async () => {
    const fields = { name: `Anna ${EVIL}`, models: "echo-1, echo-*,", expires: "2099-01-31" };
    await send(page, `${path}/settings`, fields);
    assert.match(await noticeOf(page), /^Changed\.$/);
    assert.equal(await page.evaluate("location.pathname"), path);
    const { name, models, expires_at: at } = await row();
    assert.deepEqual([name, models, at], [
      fields.name,
      ["echo-1", "echo-*"],
      "2099-01-31T00:00:00.000Z",
    ]);
    assert.equal(await factOf(page, "Models"), "echo-1, echo-*");
    assert.match(await factOf(page, "Expires"), /^2099-01-31/);
    await holds();
    await send(page, `${path}/settings`, { name: "", models: "none-such" });
    assert.match(await noticeOf(page), /^Changed\. Of the models .* is none that there is now/);
    const changed = await row();
    assert.deepEqual([changed.name, changed.models, changed.expires_at], ["", ["none-such"], at]);
    await send(page, `${path}/settings`, { models: "", expires: "" });
    const bare = await row();
    assert.deepEqual([bare.models, bare.expires_at], [null, null]);
  });

  await test.step("budgets and limits are changed, and hold", async () => {
    await send(page, `${path}/budgets`, { daily: "0.50", monthly: "9", brake: "20" });
    assert.match(await noticeOf(page), /^Changed\.$/);
    await send(page, `${path}/limits`, {
      requests_per_minute: "600",
      tokens_per_minute: "90000",
      concurrent: "7",
      open_video_tasks: "2",
    });
    const { budgets, limits } = await row();
    assert.deepEqual(budgets, { daily: "0.50000000", monthly: "9.00000000", spend_brake: 20 });
    assert.deepEqual(limits, {
      requests_per_minute: 600,
      tokens_per_minute: 90_000,
      concurrent: 7,
      open_video_tasks: 2,
    });
    assert.deepEqual([await call(), await call()], [200, 402]);
    await open();
    assert.match(await factOf(page, "Spent today"), /^0\.60000000 of 0\.50000000 USD$/);
    assert.match(await factOf(page, "Spent this month"), /^0\.60000000 of 9\.00000000 USD$/);
    assert.match(await factOf(page, "Spend brake"), /^pauses at 20 usual hours$/);
    assert.match(await factOf(page, "Limits"), /requests per minute: 600, .*video tasks: 2$/);
    assert.match(await factOf(page, "Last call"), /refused/);
    await holds();
  });

  await test.step("what is refused changes nothing, and says at its field what is wrong", async () => {
    const before = await row();
    for (
      const [form, fields, wrong] of [
        ["settings", { name: "x".repeat(101), models: "echo-1", expires: "30d" }, "name"],
        ["settings", { name: "Bea", models: EVIL, expires: "30d" }, "models"],
        ["settings", { name: "Bea", models: "echo-1", expires: "2020-01-31" }, "expires"],
        ["settings", { name: "Bea", models: "", expires: EVIL }, "expires"],
        ["budgets", { daily: "5", monthly: EVIL, brake: "" }, "monthly"],
        ["budgets", { daily: "-1", monthly: "", brake: "30" }, "daily"],
        ["budgets", { daily: "5", monthly: "6", brake: "often" }, "brake"],
        ["limits", { requests_per_minute: "9", concurrent: "-3" }, "concurrent"],
        ["limits", { open_video_tasks: "2.5", tokens_per_minute: "" }, "open_video_tasks"],
      ] as const
    ) {
      await open();
      await send(page, `${path}/${form}`, fields);
      const about = `${form}: ${JSON.stringify(fields)}`;
      assert.match(
        await page.evaluate("document.querySelector('[role=alert]').textContent"),
        /^Nothing was changed: /,
        about,
      );
      assert.deepEqual(await wrongFields(page), [wrong], about);
      for (const [name, value] of Object.entries(fields)) {
        assert.equal(await valueOf(page, form, name), value, about);
      }
      assert.deepEqual(await row(), before, about);
    }
    await holds();
    assert.equal(await valueOf(page, "budgets", "daily"), "0.50000000");
  });

  await test.step("budgets and limits are taken away", async () => {
    await open();
    await send(page, `${path}/budgets`, { daily: "0.50", monthly: "", brake: "" });
    await send(page, `${path}/limits`, {
      requests_per_minute: "",
      tokens_per_minute: "",
      concurrent: "",
      open_video_tasks: "",
    });
    const { budgets, limits } = await row();
    assert.deepEqual([budgets, limits], [{ daily: "0.50000000" }, {}]);
  });

  await test.step("its buttons lead back to it", async () => {
    await page.evaluate("window.confirm = () => true");
    assert.match(await factOf(page, "State"), /budget reached/);
    await press(page, `${path}/resume`);
    assert.match(await noticeOf(page), /^Resumed/);
    assert.equal((await row()).reached_budgets.length, 0);
    await press(page, `${path}/disable`);
    assert.match(await factOf(page, "State"), /disabled/);
    assert.equal(await call(), 401);
    await press(page, `${path}/enable`);
    assert.match(await factOf(page, "State"), /active/);
    await press(page, `${path}/rotate`);
    const next = await page.evaluate("document.getElementById('key').textContent");
    assert.match(next, /^sk-tg-/);
    await page.follow(`document.querySelector('main a[href="${path}"]').click()`);
    assert.match(await factOf(page, "Earlier key"), /^sk-tg-\S+… works until \d{4}-/);
    await holds();
    assert.ok(!(await page.evaluate("document.documentElement.outerHTML")).includes(next));
    await press(page, `${path}/end-grace`);
    assert.match(await noticeOf(page), /^Ended/);
    assert.equal(await call(), 401);
    assert.equal(await page.evaluate("location.pathname"), path);
  });

  await test.step("from its calls to one of them, and back to it", async () => {
    await page.follow(`document.querySelector('a[href="/console/calls?key=${id}"]').click()`);
    assert.equal(await page.evaluate("document.querySelector('[name=key]').value"), id);
    await page.follow(`document.querySelector('tbody a[href*="/calls/"]').click()`);
    await page.follow(`document.querySelector('main a[href="${path}"]').click()`);
    assert.equal(await page.evaluate("location.pathname"), path);
  });

  await test.step("the audit log has each change, by the console", async () => {
    const { data } = await gateway.admin("GET", `/audit?subject=${id}`);
    const set = data.filter(({ operation }: { operation: string }) => operation === "keys.set");
    assert.equal(set.length, 7);
    assert.ok(set.every(({ channel }: { channel: string }) => channel === "console"));
  });

  await test.step("deleted, it is gone, and all keys follow", async () => {
    await press(page, `${path}/delete`);
    assert.equal(await page.evaluate("location.pathname"), "/console/keys");
    assert.ok(!(await page.evaluate("document.documentElement.outerHTML")).includes(id));
    await open();
    assert.match(await textOf(page), /There is no key/);
  });
  const faults = page.faults.filter((fault) => !/status of 4\d\d/.test(fault));
  assertQuiet(gateway, { ...page, faults });
});

Deno.test("a member changes his project's keys, a viewer reads them", { ignore }, async (test) => {
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { id } = await gateway.admin("POST", "/keys", { project: "shop", name: "ours" });
  const theirs = await gateway.admin("POST", "/keys", { project: "rivals", name: "theirs" });
  const path = `/console/keys/${id}`;

  await test.step("member", async () => {
    await using page = await startBrowser();
    await enterAs(page, { gateway, role: "member" });
    await page.open(gateway.url + path);
    await send(page, `${path}/settings`, { name: "Anna" });
    await send(page, `${path}/budgets`, { daily: "2" });
    await send(page, `${path}/limits`, { concurrent: "3" });
    const { name, budgets, limits } = await gateway.admin("GET", `/keys/${id}`);
    assert.deepEqual([name, budgets, limits], ["Anna", { daily: "2.00000000" }, { concurrent: 3 }]);
    await assertFits(page);
    // He switches it off; on again it is switched by operators.
    await press(page, `${path}/disable`);
    assert.match(await factOf(page, "State"), /disabled/);
    assert.equal(await page.evaluate(`document.querySelector('form[action$="/enable"]')`), null);
    assertQuiet(gateway, page);

    await page.open(`${gateway.url}/console/keys/${theirs.id}`);
    assert.match(await textOf(page), /There is no key/);
    assert.doesNotMatch(await textOf(page), /rivals|theirs/);
    const statuses = await page.evaluate(
      `Promise.all(["settings", "budgets", "limits"].map((form) =>
      fetch("/console/keys/${theirs.id}/" + form, {
        method: "POST",
        body: new URLSearchParams({
          form_token: document.querySelector("[name=form_token]").value,
          name: "mine", daily: "1", concurrent: "1",
        }),
      }).then(({ status }) => status)))`,
    );
    assert.deepEqual(statuses, [404, 404, 404]);
    const { name: kept, budgets: own, limits: same } = await gateway.admin(
      "GET",
      `/keys/${theirs.id}`,
    );
    assert.deepEqual([kept, own, same], ["theirs", {}, {}]);
  });

  await test.step("viewer", async () => {
    await using page = await startBrowser();
    await enterAs(page, { gateway, role: "viewer" });
    await page.open(gateway.url + path);
    assert.equal(await factOf(page, "For"), "Anna");
    assert.match(await factOf(page, "Spent today"), / of 2\.00000000 USD$/);
    assert.equal(await page.evaluate(`document.querySelectorAll("main form, main h2").length`), 0);
    await assertFits(page);
    assertQuiet(gateway, page);
  });
});

/** Signs in by a token of a role; a member is of `shop`. */
async function enterAs(
  page: BrowserPage,
  { gateway, role }: {
    readonly gateway: Awaited<ReturnType<typeof serveGateway>>;
    readonly role: "member" | "viewer";
  },
): Promise<void> {
  const { token } = await gateway.admin("POST", "/tokens", {
    role,
    name: `a ${role}`,
    ...role === "member" && { project: "shop" },
  });
  await page.open(`${gateway.url}/console/sign-in`);
  await send(page, "/console/sign-in", { admin_key: token });
}

/** Fills a form of the page and sends it, past what the browser itself would refuse. */
async function send(
  page: BrowserPage,
  action: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  await page.follow(`(() => {
    const form = document.querySelector('form[action="${action}"]');
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      form.elements[name].value = value;
    }
    form.noValidate = true;
    form.requestSubmit();
  })()`);
}

/** Presses a button, and says yes where it asks. */
async function press(page: BrowserPage, action: string): Promise<void> {
  await page.evaluate("window.confirm = () => true");
  await page.follow(`document.querySelector('form[action="${action}"] button').click()`);
}

/** What the page says under a name. */
async function factOf(page: BrowserPage, name: string): Promise<string> {
  return await page.evaluate(`[...document.querySelectorAll("dt")]
    .find(({ textContent }) => textContent === ${JSON.stringify(name)})
    .nextElementSibling.textContent.trim()`);
}

async function noticeOf(page: BrowserPage): Promise<string> {
  return await page.evaluate("document.querySelector('.notice').textContent");
}

async function valueOf(page: BrowserPage, form: string, name: string): Promise<string> {
  return await page.evaluate(
    `document.querySelector('form[action$="/${form}"]').elements.${name}.value`,
  );
}

/** The fields that say that they are wrong, each described by what is wrong with it. */
async function wrongFields(page: BrowserPage): Promise<readonly string[]> {
  return await page.evaluate(`[...document.querySelectorAll("[aria-invalid=true]")]
    .filter((field) => document.getElementById(field.getAttribute("aria-describedby")).textContent)
    .map(({ name }) => name)`);
}
