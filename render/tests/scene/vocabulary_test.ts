import assert from "node:assert/strict";
import { composeScene } from "../../scene/compose_scene.ts";
import { readWords } from "../../scene/read_words.ts";
import { THING_TRAITS } from "../../scene/thing_traits.ts";
import { DRAWINGS } from "../../scene/things/drawings.ts";
import { listVocabulary, type Meaning, VOCABULARY } from "../../scene/vocabulary.ts";

Deno.test("readWords() reads every listed word as one word with its meaning", () => {
  for (const { words, meaning } of VOCABULARY) {
    for (const word of words) {
      const read = readWords(word);
      assert.equal(read.length, 1, `${word} is read as ${read.map(({ text }) => text)}`);
      assert.deepEqual(read[0]!.meaning, meaning, word);
      assert.deepEqual(readWords(`${word.toUpperCase()}!`)[0]!.meaning, meaning, word);
    }
  }
});

Deno.test("composeScene() sets the property that a listed word names, for every word", () => {
  for (const { words, meaning } of VOCABULARY) {
    for (const word of words) assertNamed(word, meaning);
  }
});

function assertNamed(word: string, meaning: Meaning): void {
  const said = composeScene(word);
  switch (meaning.kind) {
    case "weather":
      return assert.deepEqual(said.weather, [meaning.value], word);
    case "time":
      return assert.equal(said.time, meaning.value, word);
    case "season":
      return assert.equal(said.season, meaning.value, word);
    case "place":
      return assert.equal(said.place, meaning.value, word);
    case "thing":
      return assert.equal(said.subjects[0]?.thing, meaning.value, word);
    case "camera":
      return assert.equal(said.camera.move, meaning.value, word);
    case "distance":
      return assert.equal(said.camera.distance, meaning.value, word);
    case "garment":
      return assert.equal(
        composeScene(`a dog and a woman in a red ${word}`).subjects[1]?.colour,
        meaning.value === "body" ? composeScene("a red ball").subjects[0]!.colour : undefined,
        word,
      );
    case "indoors":
      return assert.equal(said.place, "room", word);
    case "breath":
      return assert.equal(composeScene(`a dragon ${word}`).subjects[0]?.breathes, true, word);
    case "frozen":
      return assert.equal(said.frozen, true, word);
    case "colour":
      return assert.equal(composeScene(`a ${word} ball`).subjects[0]?.colour, meaning.value, word);
    case "count":
      return assert.equal(composeScene(`${word} boats`).subjects[0]?.count, meaning.value, word);
    case "size":
      return assert.equal(composeScene(`a ${word} ball`).subjects[0]?.scale, meaning.value, word);
    case "pace":
      return assert.equal(
        composeScene(`a fox runs ${word}`).subjects[0]?.pace,
        meaning.value,
        word,
      );
    case "motion":
      return assert.equal(composeScene(`a fox ${word}`).subjects[0]?.motion, meaning.value, word);
    case "direction":
      return assert.equal(
        composeScene(`a fox runs ${word}`).subjects[0]?.direction,
        meaning.value,
        word,
      );
    case "negation":
      return assert.deepEqual(composeScene(`a fox, ${word} rain`).weather, ["clear"], word);
  }
}

Deno.test("the vocabulary lists no word twice, however it is spelt", () => {
  const seen = new Map<string, Meaning>();
  for (const { words, meaning } of VOCABULARY) {
    for (const word of words) {
      const text = readWords(word)[0]!.text;
      const other = seen.get(text);
      assert.ok(
        other === undefined || JSON.stringify(other) === JSON.stringify(meaning),
        `${word} means ${JSON.stringify(other)} and ${JSON.stringify(meaning)}`,
      );
      seen.set(text, meaning);
    }
  }
});

Deno.test("every listed thing has traits and a drawing, and nothing else has", () => {
  const listed = new Set<string>();
  for (const { meaning } of VOCABULARY) if (meaning.kind === "thing") listed.add(meaning.value);
  assert.deepEqual([...listed].sort(), [...THING_TRAITS.keys()].sort());
  const drawn = [...listed].filter((thing) => THING_TRAITS.get(thing)!.station !== "sky");
  assert.deepEqual(drawn.sort(), [...DRAWINGS.keys()].sort());
});

Deno.test("listVocabulary() lists each theme once, with all its words", () => {
  const listed = listVocabulary();
  const themes = listed.map(({ theme }) => theme);
  assert.deepEqual(themes, [...new Set(themes)]);
  for (const theme of ["weather", "time of day", "season", "place", "colour", "shape", "motion"]) {
    assert.ok(themes.includes(theme), theme);
  }
  const words = listed.flatMap((row) => row.words);
  assert.equal(words.length, VOCABULARY.reduce((sum, row) => sum + row.words.length, 0));
  assert.ok(words.every((word) => word.length > 0 && word === word.trim() && !/[_|]/.test(word)));
});
