import assert from "node:assert/strict";
import { isOwnSeal } from "../../../src/dialects/turns/own_seal.ts";
import {
  unwrapThoughts,
  type WrappedThoughts,
  wrapThoughts,
} from "../../../src/dialects/base/wrapped_seal.ts";

const THOUGHTS: readonly WrappedThoughts[] = [
  { text: "Hm …\n😀" },
  { text: "" },
  { text: "Hm", route: "up/claude-4:8b" },
  { text: "Hm", seal: { of: "anthropic_messages", value: "EsEC+/=." }, route: "claude/sonnet" },
  { text: "", seal: { of: "anthropic_messages", value: "x", form: "redacted" } },
];

for (const thoughts of THOUGHTS) {
  Deno.test(`unwrapThoughts() gives back ${JSON.stringify(thoughts)}`, () => {
    const wrapped = wrapThoughts(thoughts);
    assert.ok(isOwnSeal(wrapped));
    assert.match(wrapped, /^[\w.-]+$/);
    assert.deepEqual(unwrapThoughts(wrapped), thoughts);
  });
}

Deno.test("unwrapThoughts() takes nothing for ours that is not, or is broken", () => {
  const wrapped = wrapThoughts({ text: "Hm", seal: { of: "gemini_content", value: "v" } });
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
    `tg1.X..${encoded({ text: "" })}`,
    `tg1.thoughts..${encoded({})}`,
    `tg1.thoughts..${encoded([])}`,
    `tg1.thoughts..${encoded({ text: 7 })}`,
  ];
  for (const other of others) assert.equal(unwrapThoughts(other), undefined);
  const unsealed = unwrapThoughts(`tg1.gemini_content..${encoded({ text: "a", value: 7 })}`);
  assert.deepEqual(unsealed, { text: "a" });
});
