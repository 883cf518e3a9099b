/**
 * The two landmarks that are places: a volcano that glows, and a fall of water.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

/** A cone with lava running down and smoke above. */
export function drawLavaPeak(stage: Stage): void {
  const { canvas, moment } = stage;
  stage.layer(0.3, () => {
    const tip = -0.42;
    canvas.path.smooth([
      -0.72,
      0.06,
      -0.36,
      -0.1,
      -0.13,
      tip,
      -0.05,
      tip + 0.02,
      0.05,
      tip + 0.02,
      0.13,
      tip,
      0.36,
      -0.1,
      0.72,
      0.06,
    ], 8);
    canvas.fill({ colour: stage.placeColour(0x5a4a48), to: 0x3a3232, top: tip, bottom: 0.06 });
    for (let puff = 0; puff < 14; puff++) {
      const age = (puff / 14 + moment.seconds * 0.07) % 1;
      const sway = Math.sin(puff * 2.4) * 0.05 + age * 0.22;
      canvas.path.ellipse(sway, tip - 0.02 - age * 0.42, 0.05 + age * 0.13, 0.04 + age * 0.1);
      canvas.fill({ colour: shadeColour(0x6f666a, age * 0.3), alpha: 0.55 * (1 - age) });
    }
    const beat = 0.75 + 0.25 * Math.sin(moment.seconds * 2.2);
    canvas.glow(0, tip, 0.4, { colour: 0xff6a1c, alpha: 0.6 * beat });
    for (
      const [lean, reach, wide] of [[-0.16, 0.34, 0.03], [0.04, 0.44, 0.036], [
        0.2,
        0.28,
        0.026,
      ]] as const
    ) {
      const points = [0.05 * Math.sign(lean), tip + 0.015];
      const back: number[] = [];
      for (let step = 0; step <= 10; step++) {
        const share = step / 10;
        const x = lean * share + Math.sin(share * 9 + lean * 20) * 0.014;
        const y = tip + 0.015 + reach * share;
        points.push(x - wide * (1 - share * 0.6), y);
        back.unshift(x + wide * (1 - share * 0.6), y);
      }
      canvas.path.polygon([...points, ...back]);
    }
    canvas.fill({ colour: 0xffc24a, to: 0xe0381c, top: tip, bottom: 0, shines: true });
    for (let spark = 0; spark < 30; spark++) {
      const age = (randomAt(stage.scene.seed, spark, 401) + moment.seconds * 0.6) % 1;
      const angle = (randomAt(stage.scene.seed, spark, 402) - 0.5) * 1.6;
      const x = Math.sin(angle) * age * 0.3;
      const y = tip - Math.cos(angle) * age * 0.4 + age * age * 0.36;
      canvas.path.ellipse(x, y, 0.005, 0.005);
    }
    canvas.fill({ colour: 0xffd060, shines: true });
  });
}

/** Cliffs with water falling between them. */
export function drawWaterfall(stage: Stage): void {
  const { canvas, moment, palette, scene } = stage;
  stage.layer(0.5, (view) => {
    const lip = -0.42;
    const foot = 0.08;
    const half = 0.15;
    const rock = palette.snowy ? 0x8a949e : 0x6d6a62;
    for (const side of [-1, 1]) {
      const edge = side < 0 ? view.left - 0.1 : view.right + 0.1;
      canvas.path.polygon([
        edge,
        foot + 0.02,
        edge,
        lip - 0.1,
        side * 0.46,
        lip - 0.07,
        side * 0.26,
        lip - 0.015,
        side * half * 0.9,
        lip,
        side * half * 1.1,
        lip + 0.2,
        side * half * 0.96,
        foot + 0.02,
      ]);
      canvas.fill({
        colour: shadeColour(rock, 0.08),
        to: shadeColour(rock, -0.4),
        top: lip,
        bottom: foot,
      });
      for (let ledge = 0; ledge < 9; ledge++) {
        const x = side * (half + 0.08 + ledge * 0.11);
        const y = lip + 0.08 + randomAt(scene.seed, ledge, side + 410) * 0.34;
        canvas.path.polygon([
          x - 0.05,
          y,
          x + 0.05,
          y - 0.012,
          x + 0.06,
          y + 0.03,
          x - 0.02,
          y + 0.045,
        ]);
      }
      canvas.fill({ colour: shadeColour(rock, -0.35), alpha: 0.5 });
      for (let tuft = 0; tuft < 9; tuft++) {
        canvas.path.ellipse(
          side * (half + 0.07 + tuft * 0.1),
          lip - 0.03 - 0.01 * (tuft % 3),
          0.07,
          0.04,
        );
      }
      canvas.fill({
        colour: palette.snowy ? 0xf2f7fb : palette.foliage[0]!,
        to: shadeColour(palette.foliage[0]!, -0.3),
        top: lip - 0.08,
        bottom: lip + 0.03,
      });
    }
    const water = stage.placeColour(0xb8dcea, 0.5);
    canvas.path.polygon([-half, lip, half, lip, half * 1.12, foot, -half * 1.12, foot]);
    canvas.fill({ colour: shadeColour(water, 0.2), to: water, top: lip, bottom: foot });
    for (let streak = 0; streak < 60; streak++) {
      const x = (randomAt(scene.seed, streak, 420) * 2 - 1) * half * 0.98;
      const age = (randomAt(scene.seed, streak, 421) +
        moment.seconds * (0.75 + 0.3 * randomAt(scene.seed, streak, 422))) % 1;
      const y = lip + (foot - lip) * age * age;
      const long = 0.04 + 0.09 * age;
      canvas.path.polygon([x, y - long, x + 0.005, y, x, y + long * 0.3, x - 0.005, y]);
    }
    canvas.fill({ colour: 0xffffff, alpha: 0.75 });
    for (let puff = 0; puff < 9; puff++) {
      const beat = Math.sin(moment.seconds * 1.6 + puff * 1.9);
      canvas.glow((puff - 4) * 0.05, foot + 0.005 * beat, 0.11 + 0.015 * beat, {
        colour: 0xffffff,
        alpha: 0.4,
      });
    }
  });
}
