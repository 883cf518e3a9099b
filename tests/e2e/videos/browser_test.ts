/**
 * A browser plays the films behind `output` links, seeks in them, and needs no key.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { serveGateway } from "../../support/served_gateway.ts";
import { chromiumPath, startBrowser } from "./browser.ts";
import { clientOf, create, untilEnded, untilLogged } from "./scene.ts";

Deno.test("Chromium opens an output link, plays the film and seeks in it", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async (test) => {
  await using gateway = await serveGateway();
  const { url, server: { key } } = gateway;
  const client = clientOf(seven, { url, key });
  const prompt = "A steam train crosses a bridge in autumn";
  const { id } = await create(client, { model: "video-2", prompt, size: "640x360", seconds: "4" });
  const { output, status, error } = await untilEnded(client, id);
  assert.equal(status, "completed", JSON.stringify(error));
  const asked = (code: number) => new RegExp(`"path":"/videos/${id}\\.mp4","status":${code}`);
  await using page = await startBrowser();

  await test.step("the link itself opens as a film that plays", async () => {
    await page.open(output!);
    assert.deepEqual(await page.evaluate(waitFor("canplaythrough", 4)), FACTS);
    const pictures = await seek(PICTURE);
    assert.equal(new Set(pictures).size, 3, "places of the film look the same");
    await page.evaluate(`${VIDEO}.currentTime = 0; ${VIDEO}.play()`);
    const at = await page.evaluate(`new Promise((resolve) => {
      ${VIDEO}.ontimeupdate = () => ${VIDEO}.currentTime > 0.2 && resolve(${VIDEO}.currentTime);
    })`);
    assert.ok(at > 0.2 && at <= 4);
  });

  await test.step("a page of another origin shows it in <video>", async () => {
    await using site = startSite(
      `<!doctype html><video src="${output}?uncached" preload="auto"></video>`,
    );
    await page.open(site.url);
    assert.deepEqual(await page.evaluate(waitFor("loadeddata", 2)), FACTS);
    await seek("video.readyState");
    await untilLogged(gateway, asked(206));
  });

  await test.step("a deleted film is gone for the browser too", async () => {
    await client.videos.delete(id);
    await using site = startSite(`<!doctype html><video src="${output}?again"></video>`);
    await page.open(site.url);
    const code = await page.evaluate(`new Promise((resolve) => {
      const done = () => ${VIDEO}.error && resolve(${VIDEO}.error.code);
      ${VIDEO}.onerror = done;
      done();
    })`);
    assert.equal(code, MEDIA_ERR_SRC_NOT_SUPPORTED);
    await untilLogged(gateway, asked(404));
  });

  /** To the middle, near the end and to the start; gives what is seen there. */
  async function seek(shown: string): Promise<readonly unknown[]> {
    const seen: unknown[] = [];
    for (const second of [2, 3.9, 0]) {
      const { at, picture } = await page.evaluate(`new Promise((resolve, reject) => {
        const video = ${VIDEO};
        video.pause();
        video.onerror = () => reject(new Error(video.error.message));
        const seeked = new Promise((done) => video.onseeked = done);
        const painted = new Promise((done) => {
          const look = (_, { mediaTime }) => Math.abs(mediaTime - ${second}) < 0.1
            ? done()
            : video.requestVideoFrameCallback(look);
          video.requestVideoFrameCallback(look);
        });
        video.currentTime = ${second};
        Promise.all([seeked, painted]).then(() =>
          resolve({ at: video.currentTime, picture: ${shown} }));
      })`);
      assert.ok(Math.abs(at - second) < 0.05, `asked for ${second} s, got ${at} s`);
      seen.push(picture);
    }
    return seen;
  }
});

const VIDEO = `document.querySelector("video")`;
/** The picture that is shown, small, as a data URL; only a film of the page's own origin tells. */
const PICTURE = `(() => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [64, 36];
  canvas.getContext("2d").drawImage(video, 0, 0, 64, 36);
  return canvas.toDataURL();
})()`;
const FACTS = { width: 640, height: 360, duration: 4, error: null };
/** Of HTML's MediaError. */
const MEDIA_ERR_SRC_NOT_SUPPORTED = 4;

/** An expression that waits until a film is as ready as an event says, and tells what it is. */
function waitFor(event: string, readyState: number): string {
  return `new Promise((resolve, reject) => {
    const video = ${VIDEO};
    video.preload = "auto";
    video.onerror = () => reject(new Error(video.error.message));
    const done = () => resolve({
      width: video.videoWidth,
      height: video.videoHeight,
      duration: video.duration,
      error: video.error,
    });
    if (video.error) video.onerror();
    else if (video.readyState >= ${readyState}) done();
    else video.addEventListener("${event}", done);
  })`;
}

/** A web site of one page. */
function startSite(html: string): AsyncDisposable & { readonly url: string } {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(html, { headers: { "content-type": "text/html" } }),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
