import assert from "node:assert/strict";
import { composeScene } from "../../scene/compose_scene.ts";
import type { Scene, Subject } from "../../scene/scene.ts";

const RED = composeScene("a red ball").subjects[0]!.colour;
const BLUE = composeScene("a blue ball").subjects[0]!.colour;

Deno.test("composeScene() gives a colour to the noun that follows it", () => {
  const { subjects } = composeScene("A red fox and a small blue boat");
  assert.deepEqual(pick(subjects, "colour"), { fox: RED, sailboat: BLUE });
  assert.equal(subjects[1]!.scale, 0.7);
  assert.equal(subjects[0]!.scale, 1);
});

Deno.test("composeScene() gives a colour after 'is' to the noun before it", () => {
  assert.equal(composeScene("a car that is blue").subjects[0]!.colour, BLUE);
  assert.equal(composeScene("un coche rojo en la playa").subjects[0]!.colour, RED);
  assert.equal(composeScene("un coche rojo en la playa").placeColour, undefined);
  assert.equal(composeScene("a car is blue and a red bird flies").subjects[0]!.colour, BLUE);
});

Deno.test("composeScene() gives colours of place and sky to them, not to the subject", () => {
  const scene = composeScene("a boat on a red sea under a blue sky");
  assert.equal(scene.placeColour, RED);
  const dusk = composeScene("a boat under a red sky");
  assert.equal(dusk.skyColour, RED);
  assert.equal(dusk.place, "sea");
  assert.equal(scene.subjects[0]!.colour, undefined);
});

Deno.test("composeScene() tints the whole with a colour that belongs to nothing", () => {
  assert.equal(composeScene("mostly red, at the sea").tint, RED);
  assert.equal(composeScene("a red sea").tint, undefined);
});

Deno.test("composeScene() counts by number, by word and by plural", () => {
  const counts = [
    "a boat",
    "boats",
    "two boats",
    "5 boats",
    "a fleet of boats",
    "thousands of boats",
  ]
    .map((prompt) => composeScene(prompt).subjects[0]!.count);
  assert.deepEqual(counts, [1, 3, 2, 5, 9, 20]);
});

Deno.test("composeScene() binds each motion to its own subject", () => {
  const { subjects } = composeScene("a fox running and a flying bird, a dog sleeps");
  assert.deepEqual(pick(subjects, "motion"), { fox: "run", bird: "fly", dog: "sleep" });
});

Deno.test("composeScene() names who moves when the words do not", () => {
  assert.equal(composeScene("running through the forest").subjects[0]!.thing, "person");
  assert.equal(composeScene("running through the forest").place, "forest");
  assert.equal(composeScene("sailing at dawn").subjects[0]!.thing, "sailboat");
});

Deno.test("composeScene() tells the camera's left from the subject's", () => {
  const panned = composeScene("a house, camera pans slowly to the left");
  assert.equal(panned.camera.move, "pan_left");
  assert.equal(panned.subjects[0]!.direction, "right");
  const run = composeScene("a fox runs left");
  assert.equal(run.subjects[0]!.direction, "left");
  assert.equal(run.camera.move, "track");
});

Deno.test("composeScene() leaves out what the words deny", () => {
  const scene = composeScene("a fox without snow, no birds");
  assert.deepEqual(scene.weather, ["clear"]);
  assert.deepEqual(scene.subjects.map(({ thing }) => thing), ["fox"]);
});

Deno.test("composeScene() puts things where they belong when no place is named", () => {
  const places = ["a boat", "a camel", "a whale", "a rocket", "a car", "a lighthouse and a fox"]
    .map((prompt) => composeScene(prompt).place);
  assert.deepEqual(places, ["sea", "desert", "sea", "space", "street", "beach"]);
  assert.equal(composeScene("aurora").time, "night");
});

Deno.test("composeScene() reads other languages, with and without accents", () => {
  const chinese = composeScene("夜晚的森林里有一只红色狐狸");
  assert.equal(chinese.time, "night");
  assert.equal(chinese.place, "forest");
  assert.equal(chinese.subjects[0]!.thing, "fox");
  assert.equal(chinese.subjects[0]!.colour, RED);
  assert.equal(composeScene("Zwei Füchse? Ein Löwe in der WÜSTE").place, "desert");
  assert.equal(composeScene("un arbol en la montana").place, "mountains");
});

Deno.test("composeScene() keeps the layout when a word changes that is no thing and no place", () => {
  assert.equal(composeScene("a red boat, rain").seed, composeScene("five boats, snow, night").seed);
  assert.notEqual(composeScene("a boat").seed, composeScene("a castle").seed);
});

Deno.test("composeScene() gives the same scene for the same prompt, and names nobody for none", () => {
  for (const prompt of ["", "qwerty zxcvb", "🦊🌙", "a quarterly revenue bar chart", "x"]) {
    const scene = composeScene(prompt);
    assert.deepEqual(scene, composeScene(prompt));
    assert.deepEqual(scene.subjects, [], prompt);
    assert.equal(scene.place, "abstract", prompt);
  }
  const seen = new Set(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"].map((prompt) => {
    const { time, seed } = composeScene(prompt);
    return `${time} ${seed}`;
  }));
  assert.ok(seen.size >= 4, [...seen].join());
});

const HOSTILE: Readonly<Record<string, string>> = {
  "nothing": "",
  "spaces": " \n\t ",
  "control characters": "\u0000\u0007\u001b[31mred\u001b[0m fox\u007f",
  "lone surrogates": "\ud800 fox \udc00",
  "emoji": "👩‍👩‍👧‍👦🏳️‍🌈🦊".repeat(400),
  "right to left": "ثعلب أحمر في الليل שועל אדום",
  "combining marks": "e" + "\u0301".repeat(31_999),
  "one endless word": "a".repeat(32_000),
  "one endless phrase": "frozen in ".repeat(3_200),
  "endless Chinese": "夜里的狐狸".repeat(6_400),
  "endless things": "a red fox, ".repeat(2_900),
  "wide ligatures": "\ufdfa".repeat(32_000),
  "names of object members": "constructor __proto__ toString hasOwnProperty",
  "numbers": "99999999999999999999 boats -1 boats 1e9 boats",
};

for (const [name, prompt] of Object.entries(HOSTILE)) {
  Deno.test(`composeScene() composes a bounded scene from ${name}`, () => {
    const scene = composeScene(prompt);
    assert.ok(scene.subjects.length <= 6);
    assert.ok(total(scene) <= 6 * 24);
  });
}

function total(scene: Scene): number {
  return scene.subjects.reduce((sum, { count }) => sum + count, 0);
}

function pick<Key extends keyof Subject>(
  subjects: readonly Subject[],
  key: Key,
): Record<string, Subject[Key]> {
  return Object.fromEntries(subjects.map((subject) => [subject.thing, subject[key]]));
}
