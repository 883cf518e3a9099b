/**
 * OpenAI's Python client, unmodified: `create_and_poll`, `write_to_file`, `delete`.
 *
 * It comes from the folders that `TOLLGATE_TEST_PYTHONPATH` names, separated by
 * colons, one version in each, else from where Python finds it by itself.
 *
 * @module
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { foldersOf, python, versionIn } from "../../support/python_client.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { greyRows, pngFile } from "../../../render/tests/images/png_file.ts";
import { assertVideo, type Video } from "./scene.ts";

const SCRIPT = fileURLToPath(new URL("python_client.py", import.meta.url));

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: video-2
    kind: video
    aliases: [sora-2]
    routes: [{ id: builtin/video-2, provider: builtin, sale: { second: "0.10" } }]
  - id: failing
    kind: video
    routes:
      - id: builtin/failing
        provider: builtin
        upstream_model: "video-2:fail"
        sale: { free: true }
projects:
  - { id: default, unlimited: true }
`;

interface Story {
  readonly made: Video;
  readonly thumbnail: string;
  readonly begun: Video;
  readonly failed: Video;
  readonly listed: readonly string[];
  readonly deleted: object;
  readonly errors: readonly unknown[];
}

for (const folder of foldersOf("TOLLGATE_TEST_PYTHONPATH")) {
  const version = await versionIn(folder, "openai");
  Deno.test(`the Python client ${version ?? "openai"} makes, fetches, lists and deletes films`, {
    ignore: version === undefined && Deno.env.get("CI") !== "true",
  }, async () => {
    assert.ok(version !== undefined, "Python has no openai: name its folder, as .ci/run does");
    await using gateway = await serveGateway({ catalogue: CATALOGUE });
    const { url, server: { key, cwd } } = gateway;
    const [image, film] = [`${cwd}/first.png`, `${cwd}/boat.mp4`];
    await Deno.writeFile(image, pngFile(64, 36, greyRows(64, 36)));
    const { success, stdout, stderr } = await python(
      [SCRIPT, `${url}/v1`, key, image, film],
      folder,
    );
    assert.ok(success, stderr);
    const { made, thumbnail, begun, failed, listed, deleted, errors }: Story = JSON.parse(stdout);

    for (const video of [made, begun, failed]) assertVideo(video);
    assert.deepEqual([made, begun, failed].map(({ status }) => status), [
      "completed",
      "completed",
      "failed",
    ]);
    assert.deepEqual([made.model, made.provider], ["video-2", "builtin"]);
    assert.equal(await Deno.readTextFile(film).then((text) => text.slice(4, 8)), "ftyp");
    assert.equal(thumbnail, "WEBP");
    assert.deepEqual(listed, [failed.id, begun.id, made.id]);
    assert.deepEqual(deleted, { id: made.id, object: "video.deleted", deleted: true });
    assert.deepEqual(errors, [
      ["NotFoundError", 404, "video_not_found", null],
      ["NotFoundError", 404, "video_not_found", null],
      ["BadRequestError", 400, "video_not_ready", null],
      ["BadRequestError", 400, "missing_required_parameter", "model"],
      ["BadRequestError", 400, "not_supported", null],
      ["AuthenticationError", 401, "PROJECT_KEY_INVALID", null],
    ]);
  });
}
