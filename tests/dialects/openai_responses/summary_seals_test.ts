import assert from "node:assert/strict";
import {
  ForgedSummary,
  SummarySeals,
} from "../../../src/dialects/openai_responses/summary_seals.ts";

const SEALS = new SummarySeals(new Uint8Array(32).fill(7));
const OTHERS = new SummarySeals(new Uint8Array(32).fill(8));

Deno.test("a summary is opened for the project that it was made for", () => {
  for (const text of ["What was.", "", "…\n😀", "a".repeat(100_000)]) {
    assert.equal(SEALS.unwrap("paying", SEALS.wrap("paying", text)), text);
  }
});

Deno.test("a summary of another project, or that was changed, is forged", () => {
  const wrapped = SEALS.wrap("paying", "What was.");
  const [, , maker, text, mac] = wrapped.split(".") as [string, string, string, string, string];
  const other = btoa("What never was.").replaceAll("=", "");
  const forged = [
    `tg1.summary.${maker}.${other}.${mac}`,
    `tg1.summary.${maker}.${text}.${"A".repeat(22)}`,
    `tg1.summary.${maker}.${text}`,
    `tg1.summary.${maker}.`,
    `${wrapped}A`,
    `${wrapped}\n`,
    SEALS.wrap("other", "What was."),
  ];
  for (const one of forged) assert.throws(() => SEALS.unwrap("paying", one), ForgedSummary, one);
});

Deno.test("what is not of this data dir is left to who made it", () => {
  const others: readonly unknown[] = [
    OTHERS.wrap("paying", "What was."),
    "gAAAAABopenai",
    "tg1.summary.eyJ0ZXh0IjoiYSJ9",
    "tg1.thoughts.eyJ0ZXh0IjoiYSJ9",
    undefined,
    7,
  ];
  for (const one of others) assert.equal(SEALS.unwrap("paying", one), undefined);
});
