import assert from "node:assert/strict";
import { hideQuotes } from "../../src/domain/hide_quotes.ts";

const HIDDEN = "[quoted from the request]";
const REQUEST = {
  model: "m",
  messages: [{
    role: "user",
    content: [{ type: "text", text: "My name is Ada and I was born in 1815" }],
  }],
  note: 'He said "never"\nand left the room at once',
};

Deno.test("hideQuotes() takes out what is quoted and leaves the rest", () => {
  const cases = [
    ["Bad input: My name is Ada and I was born in 1815", `Bad input: ${HIDDEN}`],
    ["input_value='My name is Ada and I was bor…'", `input_value='${HIDDEN}…'`],
    ["x".repeat(7) + " is Ada and I was born in", `${"x".repeat(7)}${HIDDEN}`],
    ["refused: and left the room at once.", `refused:${HIDDEN}.`],
    [
      'said {"note":"He said \\"never\\"\\nand left the room at once"}',
      `said {"note":"${HIDDEN}"}`,
    ],
    ['said He said "never" and left the room', `said ${HIDDEN}`],
    [
      "My name is Ada and I was born; My name is Ada and I was born",
      `${HIDDEN}; ${HIDDEN}`,
    ],
  ] as const;
  for (const [message, shown] of cases) assert.equal(hideQuotes(message, REQUEST), shown);
});

Deno.test("hideQuotes() leaves words alone that both have by chance", () => {
  for (
    const message of [
      "The upstream answered 401: Incorrect API key provided",
      "My name is not Ada",
      "",
      "user",
      "was born in 1815",
    ]
  ) {
    assert.equal(hideQuotes(message, REQUEST), message);
    for (const request of [undefined, null, 1, "", [], {}]) {
      assert.equal(hideQuotes(message, request), message);
    }
  }
});

Deno.test("hideQuotes() finds a quote at every place and of every length from 20", () => {
  const text = Array.from({ length: 60 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join("");
  for (let start = 0; start < 40; start++) {
    for (let before = 0; before < 12; before++) {
      const quote = text.slice(start, start + 20);
      assert.equal(
        hideQuotes(`${"-".repeat(before)}${quote}-`, [text]),
        `${"-".repeat(before)}${HIDDEN}-`,
      );
      const short = `${"-".repeat(before)}${quote.slice(1)}-`;
      assert.equal(hideQuotes(short, [text]), short);
    }
  }
});

Deno.test("hideQuotes() ends on a request that is deep, round or huge", () => {
  let deep: unknown = "My name is Ada and I was born in 1815";
  for (let depth = 0; depth < 10_000; depth++) deep = [deep];
  assert.equal(hideQuotes("My name is Ada and I was born", deep), "My name is Ada and I was born");
  const huge = "ab".repeat(2_000_000);
  assert.match(hideQuotes(`${"ab".repeat(250)}`, [huge, huge]), /quoted/);
});
