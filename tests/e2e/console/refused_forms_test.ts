/**
 * Forms of the console that are refused: their page is there again with what was typed, and says at
 * the field what is wrong. What another page asks for is not shown by that.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../../support/served_gateway.ts";
import { type BrowserPage, chromiumPath, startBrowser } from "../videos/browser.ts";
import { assertFits, assertQuiet, enterConsole, textOf } from "./console_page.ts";

const EVIL = `"><img src=x onerror="document.title='owned'">`;

Deno.test("a form that is refused is there again with what was typed", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway();
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const { url } = gateway;
  const send = (action: string, fields: Readonly<Record<string, string | boolean>>) =>
    page.follow(`(() => {
      const form = document.querySelector('form[action="${action}"]');
      for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
        if (value === true) form.elements[name].checked = true;
        else form.elements[name].value = value;
      }
      form.noValidate = true;
      form.requestSubmit();
    })()`);

  await test.step("a new project: all of it stays, and the budget says what is wrong", async () => {
    await page.open(`${url}/console/projects`);
    const typed = { id: "shop", models: "echo-1", daily: EVIL, unlimited: true };
    await send("/console/projects", typed);
    assert.match(await alertOf(page), /^Nothing was changed: .*budgets\.daily/);
    for (const [name, value] of Object.entries({ id: "shop", models: "echo-1", daily: EVIL })) {
      assert.equal(await valueOf(page, name), value);
    }
    assert.equal(await page.evaluate("document.querySelector('[name=unlimited]').checked"), true);
    assert.equal(await wrongField(page), "daily");
    assert.match(await textOf(page), /Projects/);
    assert.notEqual(await page.evaluate("document.title"), "owned");
    await assertFits(page);
    await send("/console/projects", { models: "*", daily: "5.00", unlimited: false });
    assert.match(await textOf(page), /Created\./);
    assert.equal((await gateway.admin("GET", "/projects/shop")).budgets.daily, "5.00000000");
  });

  await test.step("one of several forms of a page: the others are as they were", async () => {
    await page.open(`${url}/console/projects/shop`);
    await send("/console/projects/shop/limits", { concurrent: "-3", requests_per_minute: "77" });
    assert.equal(await wrongField(page), "concurrent");
    assert.equal(await valueOf(page, "requests_per_minute"), "77");
    assert.equal(
      await page.evaluate(
        `document.querySelector('form[action$="/budgets"]').elements.daily.value`,
      ),
      "5.00000000",
    );
    assert.equal((await gateway.admin("GET", "/projects/shop")).limits.concurrent, undefined);
    await send("/console/projects/shop/prompts", { days: "3", bytes: "huge", redact: "#-#\n[" });
    assert.equal(await wrongField(page), "bytes");
    assert.equal(await valueOf(page, "redact"), "#-#\n[");
    await assertFits(page);
  });

  await test.step("what was emptied stays empty", async () => {
    await send("/console/projects/shop/budgets", { daily: "", monthly: "none at all" });
    assert.equal(await wrongField(page), "monthly");
    assert.equal(await valueOf(page, "daily"), "");
  });

  await test.step("a button's page is there again, too", async () => {
    await page.open(`${url}/console/keys?project=shop`);
    const { id } = await gateway.admin("POST", "/keys", { project: "shop", name: "gone soon" });
    await page.open(`${url}/console/keys?project=shop`);
    await gateway.cli("keys", "delete", id);
    await page.follow(`document.querySelector('form[action$="/disable"] button').click()`);
    assert.match(await alertOf(page), /^Nothing was changed: /);
    assert.equal(await page.evaluate("document.querySelector('main h1').textContent"), "Keys");
  });

  await test.step("a page of elsewhere, and one that shows no form, is not gone to", async () => {
    for (const other of ["//evil.example/console", "https://evil.example/", "/v1/models", "x"]) {
      await page.open(`${url}/console/projects`);
      await page.evaluate(`document.querySelector('form.fields').elements.form_page.value =
        ${JSON.stringify(other)}`);
      await send("/console/projects", { id: "NOT GOOD" });
      assert.equal(await page.evaluate("location.origin"), url);
      assert.match(await textOf(page), /Not done/);
      assert.match(await textOf(page), /Go back, change what it says/);
    }
  });
  const faults = page.faults.filter((fault) => !/status of 4\d\d/.test(fault));
  assertQuiet(gateway, { ...page, faults });
});

async function alertOf(page: BrowserPage): Promise<string> {
  return await page.evaluate("document.querySelector('[role=alert]').textContent");
}

async function valueOf(page: BrowserPage, name: string): Promise<string> {
  return await page.evaluate(`document.querySelector('main [name="${name}"]').value`);
}

/** The one field that says that it is wrong, and is described by what is wrong with it. */
async function wrongField(page: BrowserPage): Promise<string> {
  return await page.evaluate(`(() => {
    const [field, ...others] = document.querySelectorAll("[aria-invalid=true]");
    const words = document.getElementById(field.getAttribute("aria-describedby"));
    return others.length === 0 && words.textContent !== "" ? field.name : "not one";
  })()`);
}
