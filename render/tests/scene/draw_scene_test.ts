import assert from "node:assert/strict";
import { createFrame } from "../../frame.ts";
import { composeScene } from "../../scene/compose_scene.ts";
import { createSceneDrawer } from "../../scene/draw_scene.ts";
import { PLACE_WORDS } from "../../scene/words/place_words.ts";
import { THING_TRAITS } from "../../scene/thing_traits.ts";
import {
  changeBetween,
  contrastOf,
  FRAMES,
  framesOf,
  meanOf,
  middleOf,
  patchOf,
} from "./film_measures.ts";

const LAST = FRAMES - 1;

Deno.test("draw() darkens the picture when day becomes night", () => {
  const day = meanOf(middleOf("a tree on a meadow at noon"), "y");
  const night = meanOf(middleOf("a tree on a meadow at night"), "y");
  assert.ok(night < day * 0.6, `${night} after ${day}`);
});

Deno.test("draw() whitens the ground when rain becomes snow", () => {
  const [rain, snow] = ["rain", "snow"].map((word) =>
    middleOf(`a house on a meadow in the ${word}`)
  );
  assert.ok(meanOf(snow!, "y", 0.7) > meanOf(rain!, "y", 0.7) + 30);
  assert.ok(meanOf(rain!, "u", 0.7) < meanOf(snow!, "u", 0.7) - 5);
});

Deno.test("draw() takes the contrast away in fog and the light in a storm", () => {
  const [clear, fog, storm] = ["clear", "fog", "storm"].map((word) =>
    middleOf(`mountains at noon, ${word}`)
  );
  assert.ok(contrastOf(fog!) < contrastOf(clear!) * 0.75);
  assert.ok(meanOf(storm!, "y") < meanOf(clear!, "y") * 0.75);
});

Deno.test("draw() reddens leaves and grass when summer becomes autumn", () => {
  const [summer, autumn] = ["summer", "autumn"].map((word) => middleOf(`a park in ${word}`));
  assert.ok(meanOf(autumn!, "v", 0.5) > meanOf(summer!, "v", 0.5) + 10);
});

Deno.test("draw() turns blue water to warm sand when sea becomes desert", () => {
  const [sea, desert] = ["sea", "desert"].map((word) => middleOf(`the ${word} at noon`));
  assert.ok(meanOf(sea!, "u", 0.7) > 132 && meanOf(sea!, "v", 0.7) < 124);
  assert.ok(meanOf(desert!, "u", 0.7) < 115 && meanOf(desert!, "v", 0.7) > 135);
});

Deno.test("draw() paints the ball in the colour that the words give it", () => {
  const red = middleOf("a red ball on a beach at noon");
  const blue = middleOf("a blue ball on a beach at noon");
  const ball = patchOf(red, "red");
  assert.ok(ball.area > 800, `${ball.area}`);
  assert.equal(patchOf(blue, "red").area, 0);
  // Above the stripe of the ball.
  const at = Math.floor((ball.y - 0.06) * 180) * 320 + Math.floor(ball.x * 320);
  assert.ok(red.v[at]! > 190 && red.u[at]! < 120, `${red.u[at]} ${red.v[at]}`);
  assert.ok(blue.u[at]! > 170 && blue.v[at]! < 115, `${blue.u[at]} ${blue.v[at]}`);
  // Nothing but the ball has changed.
  const corner = 170 * 320 + 10;
  assert.equal(red.u[corner], blue.u[corner]);
  assert.equal(red.v[corner], blue.v[corner]);
});

Deno.test("draw() gives shapes their forms", () => {
  const [square, triangle, rectangle] = ["square", "triangle", "rectangle"].map((word) => {
    const { area, width, height } = patchOf(
      middleOf(`a red ${word} in the arctic, motionless`),
      "red",
    );
    return { full: area / (width * height * 180 * 180), ratio: width / height };
  });
  assert.ok(square!.full > 0.9 && Math.abs(square!.ratio - 1) < 0.1);
  assert.ok(triangle!.full < 0.62);
  assert.ok(rectangle!.ratio > 1.6);
});

Deno.test("draw() tells a tall thing from a long one", () => {
  const tower = patchOf(middleOf("a red tower in the arctic"), "red");
  const train = patchOf(middleOf("a red bus in the arctic, still camera"), "red");
  assert.ok(tower.height > tower.width * 1.5);
  assert.ok(train.width > train.height * 1.4);
});

Deno.test("draw() draws as many as the words say", () => {
  for (const [word, count] of [["a", 1], ["two", 2], ["five", 5]] as const) {
    const balloons = count === 1 ? "balloon" : "balloons";
    assert.equal(patchOf(middleOf(`${word} red ${balloons} in the arctic`), "red").pieces, count);
  }
});

Deno.test("draw() draws a giant larger than a tiny one", () => {
  const [tiny, giant] = ["tiny", "giant"].map((word) =>
    patchOf(middleOf(`a ${word} red ball in the arctic`), "red").area
  );
  assert.ok(giant! > tiny! * 3);
});

Deno.test("draw() turns what spins and leaves alone what does not", () => {
  const boxes = ["spinning", "motionless"].map((word) =>
    framesOf(`a red ${word} rectangle in the arctic, static shot`, [0, 8, 16, 24]).map((frame) =>
      patchOf(frame, "red").height
    )
  );
  const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
  assert.ok(spread(boxes[0]!) > 0.1, `${boxes[0]}`);
  assert.ok(spread(boxes[1]!) < 0.01, `${boxes[1]}`);
});

Deno.test("draw() moves things the way the words say", () => {
  const way = (prompt: string): { dx: number; dy: number } => {
    const [first, last] = framesOf(`${prompt}, static shot`, [0, LAST]).map((frame) =>
      patchOf(frame, "red")
    );
    return { dx: last!.x - first!.x, dy: last!.y - first!.y };
  };
  assert.ok(way("a red car drives right in the arctic").dx > 0.2);
  assert.ok(way("a red car drives left in the arctic").dx < -0.2);
  assert.ok(way("a red balloon rises in the arctic").dy < -0.15);
  assert.ok(way("a red balloon falls in the arctic").dy > 0.15);
});

Deno.test("draw() moves the picture against the pan of the camera and grows it with a zoom", () => {
  const [left, right, nearer, farther] = ["pan left", "pan right", "zoom in", "zoom out"].map(
    (move) => {
      const [first, last] = framesOf(`a red tent in the arctic, ${move}`, [0, LAST]);
      const [from, to] = [patchOf(first!, "red"), patchOf(last!, "red")];
      return { shift: to.x - from.x, growth: to.area / from.area };
    },
  );
  assert.ok(left!.shift > 0.2 && right!.shift < -0.2);
  assert.ok(nearer!.growth > 1.4 && farther!.growth < 0.75);
});

Deno.test("draw() shows a close-up larger than a wide shot", () => {
  const [wide, close] = ["wide shot", "close-up"].map((shot) =>
    patchOf(middleOf(`a red ball in the arctic, ${shot}`), "red").area
  );
  assert.ok(close! > wide! * 2);
});

Deno.test("draw() gives the same film for the same prompt, bit for bit, in any order", () => {
  const prompt = "three red foxes run through a stormy forest at dusk, aurora";
  const [first, second] = framesOf(prompt, [5, 30]);
  const [again, before] = framesOf(prompt, [30, 5]);
  assert.deepEqual(first!.data, before!.data);
  assert.deepEqual(second!.data, again!.data);
});

Deno.test("draw() gives different prompts different films", () => {
  const films = ["alpha", "beta", "a fox", "a dog", "a fox at night", "a fox in the fog"].map(
    middleOf,
  );
  for (const [index, film] of films.entries()) {
    for (const other of films.slice(index + 1)) assert.ok(changeBetween(film, other) > 0.05);
  }
});

Deno.test("draw() moves every film, unless the words ask for a still image", () => {
  for (const prompt of ["", "a house", "a rock in the desert, static shot", "space", "the sea"]) {
    const [first, next, last] = framesOf(prompt, [0, 1, LAST]);
    assert.ok(changeBetween(first!, next!) > 0.0005, prompt);
    assert.ok(changeBetween(first!, last!) > 0.005, prompt);
  }
  const [first, last] = framesOf("a fox runs through the rain, freeze frame", [0, LAST]);
  assert.equal(changeBetween(first!, last!), 0);
});

Deno.test("draw() writes every pixel of every place, in landscape and portrait", () => {
  for (const place of Object.keys(PLACE_WORDS)) {
    const prompt = `${PLACE_WORDS[place as keyof typeof PLACE_WORDS].split(" ")[0]}, zoom out`;
    for (const size of [{ width: 320, height: 180 }, { width: 180, height: 320 }]) {
      const drawer = createSceneDrawer(composeScene(prompt), { ...size, frames: 8 });
      const [one, other] = [
        createFrame(size.width, size.height),
        createFrame(size.width, size.height),
      ];
      one.data.fill(0);
      other.data.fill(255);
      drawer.draw(3, one);
      drawer.draw(3, other);
      assert.equal(changeBetween(one, other), 0, `${prompt} ${size.width}`);
      assert.ok(contrastOf(one) > 4, prompt);
    }
  }
});

Deno.test("draw() draws every listed thing, and stays within the range of luma", () => {
  const size = { width: 160, height: 90 };
  for (const thing of THING_TRAITS.keys()) {
    const scene = composeScene("the arctic");
    const subject = {
      thing,
      count: 1,
      colour: undefined,
      scale: 1,
      motion: "idle",
      pace: 1,
      direction: "right",
    } as const;
    const [without, shown] = [[], [subject]].map((subjects) => {
      const frame = createFrame(size.width, size.height);
      createSceneDrawer({ ...scene, time: "night", subjects }, { ...size, frames: 24 }).draw(
        4,
        frame,
      );
      return frame;
    });
    assert.ok(changeBetween(without!, shown!) > 0.0002, thing);
    assert.ok(shown!.y.every((value) => value >= 16 && value <= 235), thing);
  }
});

Deno.test("draw() leaves the lowest part calm enough for a caption", () => {
  for (
    const prompt of ["a red fox in a snowy forest", "two boats on the sea", "a car in the city"]
  ) {
    const frame = middleOf(prompt);
    const rows = frame.y.subarray(Math.floor(frame.height * 0.86) * frame.width);
    const mean = rows.reduce((sum, value) => sum + value, 0) / rows.length;
    const strays = rows.reduce((sum, value) => sum + Math.abs(value - mean), 0) / rows.length;
    assert.ok(strays < 18, `${prompt}: ${strays}`);
  }
});

Deno.test("draw() refuses a frame of another size than the film's", () => {
  const drawer = createSceneDrawer(composeScene("a fox"), { width: 64, height: 36, frames: 2 });
  assert.throws(() => drawer.draw(0, createFrame(64, 64)), /64x36/);
});

Deno.test("draw() stands a train on its bridge and takes a rider where the mount goes", () => {
  const shot = "to the right in the arctic, static shot";
  const middle = (prompt: string): { x: number; y: number }[] =>
    framesOf(`${prompt} ${shot}`, [4, LAST]).map((frame) => patchOf(frame, "red"));
  const [deck] = middle("a train on a red bridge");
  const [train, ahead] = middle("a red train on a bridge");
  assert.ok(train!.y < deck!.y && ahead!.x > train!.x + 0.02, `${train!.y} ${deck!.y}`);
  const [rider, later] = middle("a person in red rides a white horse");
  const [mount, gone] = middle("a person rides a red horse");
  assert.ok(rider!.y < mount!.y - 0.03 && Math.abs(rider!.x - mount!.x) < 0.06);
  assert.ok(later!.x - rider!.x > 0.2);
  assert.ok(Math.abs((later!.x - rider!.x) - (gone!.x - mount!.x)) < 0.04);
});

Deno.test("draw() paints a dress red and leaves the dog beside it black", () => {
  const { x, pieces } = patchOf(
    middleOf("a woman in a red dress and a black dog in the arctic"),
    "red",
  );
  assert.equal(pieces, 1);
  assert.ok(Math.abs(x - 0.5) > 0.1, `${x}`);
});

Deno.test("draw() shows a cup from near on a table and small beside a person in a room", () => {
  const near = patchOf(middleOf("a red cup on a table"), "red");
  const far = patchOf(middleOf("a person and a red cup in a room"), "red");
  assert.ok(near.height > 0.25, `${near.height}`);
  assert.ok(far.height < 0.2, `${far.height}`);
});

Deno.test("draw() fills a studio with its colour and moves its shapes as the words say", () => {
  const white = middleOf("zorp on a white background");
  assert.ok(meanOf(white, "y") > 175, `${meanOf(white, "y")}`);
  const [from, to] = framesOf("red zorp falling on a white background, static shot", [0, LAST]);
  assert.ok(patchOf(from!, "red").area > 400);
  assert.ok(changeBetween(from!, to!) > 0.02);
});

Deno.test("draw() breathes fire only where the words say so", () => {
  const [calm, fiery] = ["a blue dragon in the arctic", "a blue dragon breathes fire in the arctic"]
    .map((prompt) => meanOf(middleOf(`${prompt}, static shot`), "v", 0, 0.6));
  assert.ok(fiery! > calm! + 0.4, `${fiery} ${calm}`);
});
