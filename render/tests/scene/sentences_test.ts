import assert from "node:assert/strict";
import { composeScene } from "../../scene/compose_scene.ts";
import type { Subject } from "../../scene/scene.ts";

const RED = composeScene("a red ball").subjects[0]!.colour;
const BLUE = composeScene("a blue ball").subjects[0]!.colour;
const BLACK = composeScene("a black ball").subjects[0]!.colour;
const WHITE = composeScene("a white ball").subjects[0]!.colour;

const COLOURS: Readonly<Record<string, Readonly<Record<string, number | undefined>>>> = {
  "A woman in a red dress and a black dog on a beach": { woman: RED, dog: BLACK },
  "a red zorp and a black dog": { dog: BLACK },
  "a black and white cat": { cat: BLACK },
  "a man wearing a blue coat walks a white dog": { person: BLUE, dog: WHITE },
  "a woman with black hair in a red dress": { woman: RED },
  "a cat with a red collar": { cat: undefined },
  "a red zorp and a dog": { dog: undefined },
  "a man in a red zorp": { person: RED },
  "a cat in a red hat": { cat: undefined },
  "a dog with blue eyes": { dog: undefined },
  "two small red boats and a blue fish": { sailboat: RED, fish: BLUE },
};

for (const [prompt, colours] of Object.entries(COLOURS)) {
  Deno.test(`composeScene() gives each colour to its own noun in '${prompt}'`, () => {
    const { subjects } = composeScene(prompt);
    const found = Object.fromEntries(subjects.map(({ thing, colour }) => [thing, colour]));
    assert.deepEqual(found, colours);
  });
}

/** The things a prompt shows, each with how it moves. */
const MOTIONS: Readonly<Record<string, readonly string[]>> = {
  "A steam train crosses a bridge": ["train run", "bridge idle"],
  "the caravan crosses the desert": [],
  "an eagle circles over a castle": ["eagle fly", "castle idle"],
  "a man watches the sunset": ["person idle"],
  "people watch fireworks": ["person idle", "fireworks glow"],
  "a child waves at a robot": ["child wave", "robot idle"],
  "a woman waves": ["woman wave"],
  "a ship leaves the harbour": ["ship sail"],
  "the wind rocks the boat": ["sailboat wave"],
  "a lion springs over a rock": ["lion jump", "rock idle"],
  "a man trains a horse": ["person idle", "horse idle"],
  "golden leaves in the wind": ["leaf fall"],
  "rocks and crosses on a hill": ["rock idle", "cross float"],
  "wedding rings on the beach": ["ring float"],
  "a tennis court in a park": [],
  "le renard court": ["fox run"],
  "two children flying a kite": ["child walk", "kite wave"],
  "three boxes": ["cube idle"],
  "heavy snow falling": [],
  "Heavy snow is softly falling.": [],
  "falling snow": [],
  "rain falls": [],
  "night falls over a castle": ["castle idle"],
  "rain falling on a cat": ["cat idle"],
  "fog rolls in": [],
  "clouds floating by": [],
  "snow falling and a fox running": ["fox run"],
  "a fox in the snow jumping": ["fox jump"],
  "in the rain, falling leaves": ["leaf fall"],
  "leaves falling in autumn": ["leaf fall"],
  "falling, falling": ["leaf fall"],
  "night running": ["person run"],
  "dancing in the rain": ["woman dance"],
};

for (const [prompt, expected] of Object.entries(MOTIONS)) {
  Deno.test(`composeScene() tells verbs from nouns in '${prompt}'`, () => {
    const { subjects } = composeScene(prompt);
    assert.deepEqual(subjects.map(({ thing, motion }) => `${thing} ${motion}`), expected);
  });
}

const CARRIED: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  "A steam train crosses a bridge": { train: "bridge", bridge: undefined },
  "an astronaut rides a horse": { astronaut: "horse", horse: undefined },
  "purple cat on a sofa by a fireplace": { cat: "sofa", sofa: undefined, fireplace: undefined },
  "a man and a dog in a boat": { person: "sailboat", dog: "sailboat", sailboat: undefined },
  "a horse beside a bridge": { horse: undefined, bridge: undefined },
  "a bird over a table": { bird: undefined, table: undefined },
  "a cat, a fox on a rock": { cat: undefined, fox: "rock", rock: undefined },
  "a horse on a horse": { horse: undefined },
};

for (const [prompt, carriers] of Object.entries(CARRIED)) {
  Deno.test(`composeScene() puts upon each thing what the words put there in '${prompt}'`, () => {
    const found = composeScene(prompt).subjects.map(({ thing, on }) => [thing, on]);
    assert.deepEqual(Object.fromEntries(found), carriers);
  });
}

Deno.test("composeScene() lets the mount run and the rider sit", () => {
  const { subjects, camera } = composeScene("a knight rides a white horse to the left");
  assert.deepEqual(pick(subjects, "motion"), { person: "sit", horse: "run" });
  assert.deepEqual(pick(subjects, "direction"), { person: "left", horse: "left" });
  assert.equal(camera.move, "track");
});

const PLACES: Readonly<Record<string, string>> = {
  "blue sneaker rotating on a white background": "studio",
  "a car in a studio": "studio",
  "a castle with mountains in the background": "mountains",
  "chef cooks pasta in a restaurant kitchen": "kitchen",
  "purple cat on a sofa by a fireplace": "room",
  "a sofa in a garden": "garden",
  "a cat by a rainy window": "room",
  "a house with lit windows": "meadow",
  "coffee cup on a wooden table by a rainy window": "tabletop",
  "a cup on a beach": "beach",
  "a cat and a cup on a table": "room",
  "five koi in a pond with cherry blossoms": "pond",
  "panda eating bamboo in a bamboo forest": "bamboo",
  "no people, empty road": "road",
  "astronaut rides a horse, Earth in the sky": "moon_surface",
  "a tennis court in a park": "garden",
  "quantum entanglement at night": "abstract",
};

for (const [prompt, place] of Object.entries(PLACES)) {
  Deno.test(`composeScene() is at the place ${place} in '${prompt}'`, () => {
    assert.equal(composeScene(prompt).place, place);
  });
}

Deno.test("composeScene() keeps colour and motion of what it cannot draw, and draws nobody", () => {
  const scene = composeScene("blue sneaker rotating on a white background");
  assert.deepEqual(scene.subjects, []);
  assert.equal(scene.tint, BLUE);
  assert.equal(scene.placeColour, WHITE);
  assert.equal(scene.motion, "spin");
  assert.equal(composeScene("running through the enchanted forest").subjects[0]?.thing, "person");
});

Deno.test("composeScene() draws a person for every profession", () => {
  for (
    const word of "chef teacher doctor farmer knight king pirate firefighter student".split(" ")
  ) {
    assert.equal(composeScene(`a ${word} in a city`).subjects[0]?.thing, "person", word);
  }
  for (const word of "nurse dancer queen princess".split(" ")) {
    assert.equal(composeScene(`a ${word} in a city`).subjects[0]?.thing, "woman", word);
  }
});

const DENIED: Readonly<Record<string, readonly string[]>> = {
  "no people, empty road": [],
  "a street without cars or people": [],
  "a beach with no red boats, a dog": ["dog"],
  "a fox, not a dog, in a forest": ["fox"],
  "a castle without any dragons and a horse": ["castle", "horse"],
};

for (const [prompt, expected] of Object.entries(DENIED)) {
  Deno.test(`composeScene() leaves out what is denied in '${prompt}'`, () => {
    assert.deepEqual(composeScene(prompt).subjects.map(({ thing }) => thing), expected);
  });
}

Deno.test("composeScene() keeps the sky without clouds when they are denied", () => {
  assert.equal(composeScene("a tree on a hill, no clouds").cloudless, true);
  assert.equal(composeScene("a tree on a hill, no rain").cloudless, undefined);
});

Deno.test("composeScene() takes a material for what a thing is made of", () => {
  const things = ["a stone bridge", "a red fire truck", "a glass vase", "a glass and a bottle"]
    .map((prompt) => composeScene(prompt).subjects.map(({ thing }) => thing));
  assert.deepEqual(things, [["bridge"], ["truck"], ["vase"], ["glass", "bottle"]]);
});

Deno.test("composeScene() gives the fire that is breathed to the dragon, and lights no other", () => {
  const { subjects } = composeScene("A dragon over a castle breathes fire");
  assert.deepEqual(pick(subjects, "breathes"), { dragon: true, castle: undefined });
  assert.equal(composeScene("a dragon by a fire").subjects[0]!.breathes, undefined);
});

function pick<Key extends keyof Subject>(
  subjects: readonly Subject[],
  key: Key,
): Record<string, Subject[Key]> {
  return Object.fromEntries(subjects.map((subject) => [subject.thing, subject[key]]));
}
