import assert from "node:assert/strict";
import * as six from "openai6";
import * as seven from "openai7";
import type { WebhookSecret } from "../../../src/domain/webhook.ts";
import { signWebhook } from "../../../src/providers/transport/sign_webhook.ts";

/** The example of the Standard Webhooks specification and of its reference libraries' tests. */
const KNOWN = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  content: {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  },
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const OTHER = `whsec_${btoa("another secret of 32 random bytes")}`;

function secret(parts: Partial<WebhookSecret> = {}): WebhookSecret {
  return { projectId: "p", secret: KNOWN.secret, createdAt: 0, previous: undefined, ...parts };
}

Deno.test("signWebhook() gives the signature that the specification's example has", () => {
  assert.equal(signWebhook(KNOWN.content, secret(), 0), KNOWN.signature);
});

Deno.test("signWebhook() signs by the secret before too, until its time is over", () => {
  const rotated = secret({ secret: OTHER, previous: { secret: KNOWN.secret, until: 1_000 } });
  const [fresh, old, ...more] = signWebhook(KNOWN.content, rotated, 999).split(" ");
  assert.equal(old, KNOWN.signature);
  assert.notEqual(fresh, KNOWN.signature);
  assert.deepEqual(more, []);
  assert.equal(signWebhook(KNOWN.content, rotated, 1_000), fresh);
});

for (const [name, { OpenAI }] of [["openai 6", six], ["openai 7", seven]] as const) {
  Deno.test(`signWebhook() is what ${name}'s webhooks.unwrap accepts, for the very bytes alone`, async () => {
    const client = new OpenAI({ apiKey: "sk", webhookSecret: KNOWN.secret });
    const timestamp = Math.floor(Date.now() / 1000);
    const id = `evt_${"a".repeat(26)}`;
    const body = JSON.stringify({
      id,
      object: "event",
      created_at: timestamp,
      type: "video.completed",
      data: { id: "video_ü" },
    });
    const rotated = secret({ secret: OTHER, previous: { secret: KNOWN.secret, until: 1 } });
    for (const signer of [secret(), rotated]) {
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signWebhook({ id, timestamp, body }, signer, 0),
      };
      const event: { readonly id: string } = await client.webhooks.unwrap(body, headers);
      assert.equal(event.id, id);
      for (
        const altered of [{ "webhook-id": "evt_b" }, { "webhook-timestamp": `${timestamp - 1}` }]
      ) {
        await assert.rejects(client.webhooks.unwrap(body, { ...headers, ...altered }));
      }
      await assert.rejects(client.webhooks.unwrap(`${body} `, headers));
    }
  });
}
