/**
 * Images, speech and transcriptions through the program, by both majors of `openai`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream, textReply } from "../support/fake_upstream.ts";
import { mediaCatalogue } from "../support/media_gateway.ts";
import { otherAnswer } from "../support/fault_upstream/other_answers.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { MAJORS } from "./openai_sdk/majors.ts";
import type { Client } from "./openai_sdk/scene.ts";

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client makes images, speaks and has sound written down`, async () => {
    await using upstream = await startFakeUpstream((request) => {
      const fields = request.body.startsWith("{") ? request.json() : {};
      const answer = otherAnswer(request.target, fields)!;
      return answer instanceof Uint8Array ? textReply("audio/mpeg", answer) : jsonReply(answer);
    });
    await using gateway = await serveGateway({ catalogue: mediaCatalogue(upstream.url) });
    await gateway.credit("paying", "1");
    const key = await gateway.key("paying");
    const client: Client = new sdk.OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: key,
      maxRetries: 0,
    });
    const model = "painter-by-image";
    const made = await client.images.generate({ model, prompt: "A fox", n: 2 });
    assert.equal(made.data!.length, 2);
    const image = new File(["bytes"], "a.png", { type: "image/png" });
    const edited = await client.images.edit({ model, prompt: "A hat", image: [image, image] });
    assert.equal(edited.data!.length, 1);
    const speech = await client.audio.speech.create({
      model: "speaker",
      voice: "alloy",
      input: "Hello",
    });
    assert.deepEqual(
      new Uint8Array(await speech.arrayBuffer()),
      otherAnswer("/audio/speech", {}),
    );
    // 25 MB of a form pass through the disk.
    const file = new File([new Uint8Array(25_000_000)], "speech.mp3", { type: "audio/mpeg" });
    const heard = await client.audio.transcriptions.create({ model: "hearer", file });
    assert.equal(heard.text, "Hello");
    const text = await client.audio.transcriptions.create({
      model: "hearer",
      file: image,
      response_format: "text",
    });
    assert.equal(text as unknown, "Hello");
    const { text: translated } = await client.audio.translations.create({
      model: "hearer",
      file: image,
    });
    assert.equal(translated, "Hello");
    const { balance } = await gateway.cli("projects", "show", "paying");
    // Three images at 0.04, 5 characters at 15 per million, three times two seconds at 0.0001.
    assert.equal(balance, "0.87932500");
    assert.equal((await gateway.cli("ledger", "verify")).differences.length, 0);
  });
}
