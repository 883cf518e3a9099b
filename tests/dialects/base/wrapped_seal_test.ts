import assert from "node:assert/strict";
import { isOwnSeal } from "../../../src/dialects/turns/own_seal.ts";
import { ThoughtSeals } from "../../../src/dialects/turns/thought_seals.ts";
import {
  unwrapThoughts,
  type WrappedThoughts,
  wrapThoughts,
} from "../../../src/dialects/base/wrapped_seal.ts";

const SEALS = new ThoughtSeals(new Uint8Array(32).fill(7));
const SEAL = { of: "anthropic_messages", value: "EsEC+/=." };

const THOUGHTS: readonly WrappedThoughts[] = [
  { text: "Hm …\n😀" },
  { text: "" },
  { text: "Hm", seal: SEALS.wrap("claude/sonnet", SEAL) },
  { text: "", seal: SEALS.wrap("claude/sonnet", { ...SEAL, form: "redacted" }) },
];

for (const thoughts of THOUGHTS) {
  Deno.test(`unwrapThoughts() gives back ${JSON.stringify(thoughts)}`, () => {
    const wrapped = wrapThoughts(thoughts);
    assert.ok(isOwnSeal(wrapped));
    assert.match(wrapped, /^[\w.-]+$/);
    assert.deepEqual(unwrapThoughts(wrapped), thoughts);
    assert.equal(SEALS.routeOf(wrapped), undefined, "it is the seal inside that names a route");
  });
}

Deno.test("unwrapThoughts() takes nothing for ours that is not, or is broken", () => {
  const wrapped = wrapThoughts({ text: "Hm", seal: SEALS.wrap("a", SEAL) });
  const encoded = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const others = [
    undefined,
    null,
    7,
    {},
    "",
    "gAAAAABopenai",
    "tg1.thoughts",
    "tg1.",
    wrapped.slice(4),
    wrapped.slice(0, -3),
    `${wrapped}!`,
    SEALS.wrap("a", SEAL),
    wrapped.replace("thoughts", "summary"),
    `tg1.X.${encoded({ text: "" })}`,
    `tg1.thoughts.${encoded({})}`,
    `tg1.thoughts.${encoded([])}`,
    `tg1.thoughts.${encoded({ text: 7 })}`,
  ];
  for (const other of others) assert.equal(unwrapThoughts(other), undefined);
  const unsealed = unwrapThoughts(`tg1.thoughts.${encoded({ text: "a", seal: 7 })}`);
  assert.deepEqual(unsealed, { text: "a" });
});
