import assert from "node:assert/strict";
import { systemClock } from "../../src/domain/clock.ts";
import { createRegistry } from "../../src/providers/registry.ts";
import { createTransport } from "../../src/providers/transport/transport.ts";
import {
  chatCall,
  chatRoute,
  failureOf,
  never,
  providerSettings,
} from "../support/provider_parts.ts";

function registry() {
  return createRegistry({
    transport: createTransport({ clock: systemClock }),
    secrets: () => undefined,
    clock: systemClock,
    random: Math.random,
  });
}

const BUILTIN = providerSettings({
  id: "builtin",
  kind: "builtin",
  baseUrl: undefined,
  apiKeys: [],
  auth: { kind: "none" },
});

Deno.test("update() makes the registry hold exactly the given providers", () => {
  const providers = registry();
  assert.equal(providers.provider("acme"), undefined);
  providers.update([providerSettings(), BUILTIN]);
  assert.equal(providers.provider("acme")?.id, "acme");
  assert.equal(providers.provider("builtin")?.id, "builtin");
  providers.update([BUILTIN]);
  assert.equal(providers.provider("acme"), undefined);
});

Deno.test("update() keeps the instance of a provider whose settings are unchanged", () => {
  const providers = registry();
  providers.update([providerSettings(), BUILTIN]);
  const acme = providers.provider("acme");
  const builtin = providers.provider("builtin");
  providers.update([structuredClone(BUILTIN), providerSettings({ official: false })]);
  assert.equal(providers.provider("builtin"), builtin);
  assert.notEqual(providers.provider("acme"), acme);
});

Deno.test("update() changes nothing when a provider's settings cannot work", () => {
  const providers = registry();
  providers.update([providerSettings()]);
  const acme = providers.provider("acme");
  assert.throws(
    () => providers.update([BUILTIN, providerSettings({ id: "bad", baseUrl: undefined })]),
    /provider 'bad'/,
  );
  assert.equal(providers.provider("acme"), acme);
  assert.equal(providers.provider("builtin"), undefined);
});

Deno.test("a built-in model that does not exist is the operator's fault and says what there is", async () => {
  const providers = registry();
  providers.update([BUILTIN]);
  const builtin = providers.provider("builtin")!;
  const call = chatCall({}, { route: chatRoute({ upstreamModel: "echo-9" }) });
  for (
    const failed of [
      builtin.speaks.openai_chat!.answer(call, never()),
      builtin.speaks.openai_chat!.stream!(call, never()),
    ]
  ) {
    const error = await failureOf(failed);
    assert.equal(error.failure, "operator");
    assert.match(error.message, /'echo-9': there is echo-1/);
  }
  assert.deepEqual(await builtin.check(never()), {
    ok: true,
    checked: true,
    detail: "echo-1, hash-embed-1, video-2: in the gateway itself, so nothing was asked; " +
      "no film is rendered for a test",
    milliseconds: 0,
  });
});
