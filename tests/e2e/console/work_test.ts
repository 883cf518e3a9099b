/**
 * Films and batches at the console: progress that moves, a film that plays, files that are whole.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { needsFfmpeg, probeFilm } from "../../../render/tests/film_probe.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "../videos/browser.ts";
import { clientOf, create, untilEnded } from "../videos/scene.ts";
import { assertFits, assertQuiet, enterConsole, textOf, untilThere } from "./console_page.ts";

/** What an attacker may have written into a prompt. */
const EVIL = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

Deno.test("an operator watches a film being made, and plays it", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway({ args: ["--video-workers", "1"] });
  const { url, server: { key } } = gateway;
  const client = clientOf(seven, { url, key });
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const order = { model: "video-2", size: "1280x720", seconds: "8" };
  const first = await create(client, { ...order, prompt: EVIL });
  const second = await create(client, { ...order, size: "640x360", seconds: "2", prompt: "two" });
  const third = await create(client, { ...order, size: "640x360", seconds: "1", prompt: "three" });

  await test.step("one that waits says where it stands, at the command line too", async () => {
    const { queue } = await gateway.cli("videos", "show", third.id);
    assert.deepEqual([queue.position, queue.waiting], [2, 2]);
    await page.open(`${url}/console/videos/${third.id}`);
    assert.match(await textOf(page), /Number 2 of 2 that wait for builtin\/video-2/);
  });

  await test.step("progress moves without another page, and its end shows the film", async () => {
    await page.open(`${url}/console/videos/${first.id}`);
    assert.equal(await page.evaluate("document.querySelector('video')"), null);
    await page.evaluate("window.isFirstPage = true");
    const moved = await untilThere(
      page,
      "/In progress, ([1-9]\\d*) %/.test(document.body?.innerText ?? '') && window.isFirstPage",
    );
    assert.equal(moved, true);
    assert.equal((await untilEnded(client, first.id)).status, "completed");
    await untilThere(page, "document.querySelector('video')");
    assert.equal(await page.evaluate("window.isFirstPage"), undefined);
  });

  await test.step("the film plays, in parts, on the console's own origin", async () => {
    const video = "document.querySelector('video')";
    const at = await page.evaluate(`new Promise((resolve) => {
      ${video}.ontimeupdate = () => ${video}.currentTime > 0.2 && resolve(${video}.currentTime);
      ${video}.muted = true;
      ${video}.play();
    })`);
    assert.ok(at > 0.2);
    assert.deepEqual(
      await page.evaluate(`[${video}.duration, ${video}.videoWidth, ${video}.videoHeight]`),
      [8, 1280, 720],
    );
    const part = await page.evaluate(`fetch(${video}.src, { headers: { range: "bytes=4-7" } })
      .then(async (answer) => [answer.status, await answer.text(),
        answer.headers.get("content-security-policy")])`);
    assert.deepEqual(part.slice(0, 2), [206, "ftyp"]);
    assert.match(part[2], /default-src 'none'/);
    const poster = await page.evaluate(`fetch(${video}.poster).then(({ headers }) =>
      headers.get("content-type"))`);
    assert.equal(poster, "image/webp");
  });

  await test.step({
    name: "what the player has got is a whole film",
    ...needsFfmpeg,
    async fn() {
      const { base64, type } = await page.evaluate(`(async () => {
        const answer = await fetch(document.querySelector("video").src);
        const bytes = new Uint8Array(await answer.arrayBuffer());
        let text = "";
        for (const byte of bytes) text += String.fromCharCode(byte);
        return { base64: btoa(text), type: answer.headers.get("content-type") };
      })()`);
      assert.equal(type, "video/mp4");
      const film = await probeFilm(Uint8Array.fromBase64(base64));
      assert.deepEqual(
        [film.codec_name, film.width, film.height, Number(film.duration)],
        ["h264", 1280, 720, 8],
      );
      assert.equal(film.nb_read_frames, film.nb_frames);
    },
  });

  await test.step("the page has the film's facts", async () => {
    const { bytes, sha256 } = (await gateway.cli("videos", "show", first.id)).file;
    assert.ok(bytes > 0);
    assert.ok((await textOf(page)).includes(sha256));
  });

  await test.step("everything that was said of it is text", async () => {
    assert.ok((await textOf(page)).includes(EVIL));
    assert.notEqual(await page.evaluate("document.title"), "owned");
    assert.match(await textOf(page), /1 begun, 0 failed/);
  });

  // The two that waited may have been made by now.
  await test.step("the overview counts its seconds", async () => {
    await page.open(`${url}/console`);
    assert.match(await textOf(page), /Seconds of film today\s+(8|10|11)\n/);
    await page.open(`${url}/console/videos/${first.id}`);
  });

  await test.step("it fits, and nothing else was asked for anything", async () => {
    await assertFits(page);
    await page.open(`${url}/console/videos`);
    await assertFits(page);
    assertQuiet(gateway, page);
  });

  await test.step("who is not signed in gets neither film nor progress", async () => {
    for (const name of ["", "/film", "/thumbnail", "/progress"]) {
      const answer = await fetch(`${url}/console/videos/${first.id}${name}`, {
        redirect: "manual",
      });
      await answer.body?.cancel();
      const asked = encodeURIComponent(`/console/videos/${first.id}${name}`);
      const leadsTo = answer.headers.get("location");
      assert.deepEqual([answer.status, leadsTo], [303, `/console/sign-in?next=${asked}`]);
    }
  });
  await Promise.all([second, third].map(({ id }) => client.videos.delete(id)));
});

Deno.test("an operator orders a film again that failed", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async () => {
  await using gateway = await serveGateway();
  const { url, server: { key } } = gateway;
  await using upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ error: { message: EVIL, code: "bad_prompt" } }, { status: 400 }),
  );
  await gateway.admin("POST", "/catalogue/apply", {
    text: JSON.stringify({
      providers: [{
        id: "far",
        kind: "openai_compatible",
        base_url: `http://127.0.0.1:${upstream.addr.port}/v1`,
        auth: "none",
      }],
      models: [{
        id: "far-film",
        kind: "video",
        routes: [{
          id: "far/film",
          provider: "far",
          free: true,
          video: { sizes: ["640x360"], seconds: [4] },
        }],
      }],
    }),
  });
  const client = clientOf(seven, { url, key });
  const { id } = await create(client, { model: "far-film", prompt: EVIL });
  assert.equal((await untilEnded(client, id)).status, "failed");
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  await page.open(`${url}/console/videos/${id}`);
  assert.match(await textOf(page), /bad_prompt: <img src=x/);
  await assertFits(page);
  await page.evaluate("window.confirm = () => true");
  await page.follow(`document.querySelector('form[action$="/retry"] button').click()`);
  assert.match(await textOf(page), /Ordered again/);
  const again = (await page.evaluate("location.pathname")).split("/").at(-1);
  assert.notEqual(again, id);
  assert.equal((await untilEnded(client, again)).status, "failed");
  assert.notEqual(await page.evaluate("document.title"), "owned");
  assertQuiet(gateway, page);
});

Deno.test("an operator follows a batch to its files", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async () => {
  await using gateway = await serveGateway();
  const { url, server: { key } } = gateway;
  const client = clientOf(seven, { url, key });
  const lines = ["echo-1", "nothing-1"].map((model, at) =>
    JSON.stringify({
      custom_id: `line-${at}`,
      method: "POST",
      url: "/v1/chat/completions",
      body: { model, messages: [{ role: "user", content: EVIL }] },
    })
  );
  const file = await client.files.create({
    file: new File([lines.join("\n")], "lines.jsonl"),
    purpose: "batch",
  });
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const { id } = await client.batches.create({
    input_file_id: file.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  await page.open(`${url}/console/batches/${id}`);
  await untilThere(page, "/Download output/.test(document.body?.innerText ?? '')");
  const shown = await textOf(page);
  assert.match(shown, /completed/);
  const links = await page.evaluate(
    "[...document.querySelectorAll('main a.button')].map(({ href }) => href)",
  );
  const texts: string[] = [];
  for (const link of links) {
    texts.push(
      await page.evaluate(`fetch(${JSON.stringify(link)}).then(async (answer) =>
      (answer.headers.get("content-disposition") ?? "").slice(0, 10) + await answer.text())`),
    );
  }
  assert.equal(texts.length, 3);
  assert.equal(texts[0], `attachment${lines.join("\n")}`);
  assert.match(texts[1]!, /"custom_id":"line-0"/);
  assert.match(texts[2]!, /"custom_id":"line-1"/);
  await assertFits(page);
  assertQuiet(gateway, page);
});

Deno.test("an operator pauses the queue, moves what waits and resumes it, and the reason is text", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async () => {
  await using gateway = await serveGateway();
  const { url, server: { key } } = gateway;
  const client = clientOf(seven, { url, key });
  await using page = await startBrowser();
  await enterConsole(gateway, page);
  const press = async (form: string, shows: string) => {
    await page.evaluate(`document.querySelector(${JSON.stringify(form)})
      .closest("form").querySelector("button[type=submit]").click()`);
    await untilThere(page, `document.body?.innerText.includes(${JSON.stringify(shows)})`);
  };
  const resume = 'form[action="/console/video-queue/resume"] input[name="part"]';

  await page.open(`${url}/console/videos`);
  await page.evaluate(`document.querySelector("details").open = true`);
  await page.evaluate(`document.querySelector('[value="route"]').closest("form")
    .querySelector('[name="reason"]').value = ${JSON.stringify(EVIL)}`);
  await press('[name="part"][value="route"]', "Paused: what is under way goes on");
  const film = await create(client, {
    ...{ model: "video-2", size: "640x360", seconds: "1", prompt: "a fox" },
  });
  assert.equal(film.status, "queued");
  for (const place of ["/videos", `/videos/${film.id}`, ""]) {
    await page.open(`${url}/console${place}`);
    const text = await textOf(page);
    assert.match(text, /Films of route builtin\/video-2 are paused since/, place);
    assert.ok(text.includes(EVIL), place);
    assert.notEqual(await page.evaluate("document.title"), "owned");
    await assertFits(page);
  }
  await page.open(`${url}/console/videos`);
  await press(resume, "Resumed: films begin again.");
  assert.ok(!(await textOf(page)).includes("are paused"));
  assert.equal((await untilEnded(client, film.id)).status, "completed");

  await page.evaluate(`document.querySelector("details").open = true`);
  await press('[name="part"][value="queue"]', "The queue is paused since");
  const { pauses } = await gateway.cli("videos", "queue");
  assert.deepEqual([pauses.length, pauses[0].part, pauses[0].reason], [1, "queue", null]);

  const order = { model: "video-2", size: "640x360", seconds: "1", prompt: "a fox" } as const;
  const [first, second] = [await create(client, order), await create(client, order)];
  const place = async ({ id }: { readonly id: string }) =>
    (await gateway.cli("videos", "show", id)).queue.position;
  assert.deepEqual([await place(first), await place(second)], [1, 2]);
  await page.open(`${url}/console/videos/${second.id}`);
  await press('[name="to"][value="front"]', "Moved: projects take turns all the same.");
  assert.match(await textOf(page), /Number 1 of 2/);
  await assertFits(page);
  assert.deepEqual([await place(first), await place(second)], [2, 1]);
  assert.equal((await gateway.cli("videos", "move", first.id, "--to", "up")).position, 1);

  await page.open(`${url}/console/videos`);
  await press(resume, "Resumed: films begin again.");
  assertQuiet(gateway, page);

  const { token } = await gateway.cli("tokens", "create", "--name", "vera", "--role", "viewer");
  const asked = await fetch(`${url}/admin/v1/video-queue/pause`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  await asked.body?.cancel();
  assert.equal(asked.status, 403);
});
