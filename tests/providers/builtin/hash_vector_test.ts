/**
 * What the vectors of `hash-embed-1` are, and what their cosines say.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { encodeVector } from "../../../src/providers/embeddings/vector_format.ts";
import { hashSteps } from "../../../src/providers/builtin/hash_vector.ts";

const SIZES = [64, 65, 100, 256, 384, 768, 1_000, 1_536];

const INPUTS: readonly (string | readonly number[])[] = [
  "The quick brown fox jumps over the lazy dog",
  "a",
  "!!! ... ???",
  " ",
  "the of and",
  "東京の天気はどうですか",
  "Grüße aus Köln, 5 °C",
  "🚀🚀",
  "\0",
  "\uD800 alone",
  "word ".repeat(5_000),
  [0],
  [1, 2, 3],
  [9_999_999, 0, 7],
];

function cosine(first: Float32Array, second: Float32Array): number {
  return first.reduce((sum, value, index) => sum + value * second[index]!, 0);
}

/** All steps in one go. */
function hashVector(input: string | readonly number[], dimensions: number): Float32Array {
  const steps = hashSteps(input, dimensions);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

Deno.test("hashSteps() gives unit length in every number of dimensions, for any input", () => {
  for (const size of SIZES) {
    for (const input of INPUTS) {
      const vector = hashVector(input, size);
      assert.equal(vector.length, size);
      const length = Math.hypot(...vector);
      assert.ok(Math.abs(length - 1) < 1e-5, `${input} in ${size}: ${length}`);
    }
  }
});

Deno.test("hashSteps() gives the same bytes on every machine", () => {
  // Each a hash of the base64 of a vector: kept embeddings must stay comparable.
  const golden: readonly (readonly [string | readonly number[], number, string])[] = [
    ["The quick brown fox jumps over the lazy dog", 64, "a31c242c01d0ce02"],
    ["The quick brown fox jumps over the lazy dog", 1_536, "f0df9c49137461ae"],
    ["Grüße aus 東京 🚀", 256, "df2aaec4099dcc7e"],
    [[1, 2, 3], 256, "d2c4ebf45ef28061"],
  ];
  const found = golden.map(([input, size]) =>
    createHash("sha256").update(encodeVector(hashVector(input, size))).digest("hex").slice(0, 16)
  );
  assert.deepEqual(found, golden.map(([, , hash]) => hash));
});

Deno.test("hashSteps() sees past case, forms of letters and blanks, and not past order", () => {
  const of = (text: string) => encodeVector(hashVector(text, 256));
  assert.equal(of("Café  OLÉ"), of("cafe\u0301 ole\u0301"));
  assert.equal(of("ｈｅｌｌｏ, world!"), of("Hello World"));
  assert.notEqual(of("dog bites man"), of("man bites dog"));
  assert.notEqual(
    encodeVector(hashVector([1, 2], 256)),
    encodeVector(hashVector([2, 1], 256)),
  );
});

/** Each: a text, nearly the same text, its meaning in other words, and a text about something else. */
const QUADRUPLES: readonly (readonly [string, string, string, string])[] = [
  [
    "The cat sat on the mat and looked at the birds",
    "The cat sat on the mat and looked at a bird",
    "Watching birds, the cat was sitting on its mat",
    "Interest rates rose again in the third quarter",
  ],
  [
    "How do I reset my password?",
    "How can I reset my password?",
    "I forgot my password and need to set a new one",
    "What time does the museum open on Sundays?",
  ],
  [
    "The company reported record profits this year",
    "The company reported record profits last year",
    "Profits of the company were higher than ever this year",
    "She planted tomatoes and basil in the garden",
  ],
  [
    "Please cancel my order and refund the payment",
    "Please cancel my order and refund my payment",
    "I want the money for my order back, so cancel it",
    "The orchestra played a symphony by Brahms",
  ],
  [
    "Heavy rain caused flooding in the coastal towns",
    "Heavy rains caused floods in coastal towns",
    "Towns along the coast were flooded after the rain",
    "The software update fixes a bug in the printer driver",
  ],
  [
    "Install the package and run the tests before committing",
    "Install the packages and run all tests before committing",
    "Before you commit, tests should be run with the package installed",
    "A lion rested under the old acacia tree",
  ],
  [
    "The doctor prescribed antibiotics for the infection",
    "The doctor prescribed an antibiotic for the infection",
    "For her infection she got antibiotics from the doctor",
    "Tickets for the concert sold out in minutes",
  ],
  [
    "Our train to Berlin was delayed by two hours",
    "Our train to Berlin was delayed for two hours",
    "We reached Berlin two hours late because of the train",
    "Stir the sauce until the butter has melted",
  ],
  [
    "The recipe needs two eggs, flour and a cup of milk",
    "This recipe needs two eggs, flour and one cup of milk",
    "You need milk, flour and eggs to cook this recipe",
    "The senate voted against the new trade agreement",
  ],
  [
    "Scientists discovered a new species of frog in the rainforest",
    "Scientists have discovered a new frog species in the rainforest",
    "A frog unknown until now was found by scientists in a rainforest",
    "My laptop battery drains too quickly",
  ],
  [
    "Children learn languages faster than adults",
    "Children learn a language faster than adults do",
    "Learning a language is easier for a child than for an adult",
    "The bridge is closed for repairs until March",
  ],
  [
    "The astronauts repaired the telescope during a spacewalk",
    "Astronauts repaired the telescope during their spacewalk",
    "On a spacewalk the broken telescope was repaired",
    "Add a pinch of salt to the boiling water",
  ],
  [
    "He lost his wallet on the way to the office",
    "He lost his wallet on his way to the office",
    "On the way to work his wallet got lost",
    "Volcanic ash covered the slopes of the mountain",
  ],
  [
    "The kitchen smells of freshly baked bread",
    "The kitchen smelled of freshly baked bread",
    "Someone has baked bread, one can smell it in the kitchen",
    "Shares of the airline fell by four percent",
  ],
];

for (const size of [256, 1_536]) {
  Deno.test(`cosines rank near-duplicates above paraphrases above other texts in ${size} dimensions`, () => {
    assert.ok(QUADRUPLES.length >= 12);
    for (const texts of QUADRUPLES) {
      const [text, near, paraphrase, other] = texts.map((one) => hashVector(one, size));
      const cosines = [near!, paraphrase!, other!].map((one) => cosine(text!, one));
      const told = `${texts[0]}: ${cosines.map((one) => one.toFixed(3)).join(" > ")}`;
      assert.ok(cosines[0]! > cosines[1]! && cosines[1]! > cosines[2]!, told);
    }
    // Over all pairs of the list too: no other text is as close as any paraphrase.
    const vectors = QUADRUPLES.map((texts) => texts.map((one) => hashVector(one, size)));
    const others = vectors.flatMap(([text], row) =>
      vectors.flatMap((they, index) => index === row ? [] : they.map((one) => cosine(text!, one)))
    );
    const paraphrases = vectors.map(([text, , paraphrase]) => cosine(text!, paraphrase!));
    assert.ok(
      Math.min(...paraphrases) > Math.max(...others),
      `${Math.min(...paraphrases)} > ${Math.max(...others)}`,
    );
  });
}
