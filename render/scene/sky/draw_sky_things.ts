/**
 * What the words put into the sky: rainbow, aurora, comets, fireworks, planets.
 *
 * @module
 */
import { mixColour, shadeColour } from "../canvas/colour.ts";
import type { Subject } from "../scene.ts";
import { noiseAt, randomAt } from "../stage/random.ts";
import type { Stage } from "../stage/stage.ts";

const RAINBOW: readonly number[] = [
  0xe0342c,
  0xf08a2c,
  0xf6d838,
  0x4cb84a,
  0x2f7fd8,
  0x4a48b8,
  0x8a3cb0,
];

const DRAWERS: Readonly<Record<string, (stage: Stage, subject: Subject) => void>> = {
  rainbow: drawRainbow,
  aurora: drawAurora,
  comet: drawComets,
  fireworks: drawFireworks,
  planet: drawPlanet,
  earth: drawPlanet,
};

/** Draws the sky's own subjects. */
export function drawSkyThings(stage: Stage): void {
  for (const subject of stage.scene.subjects) DRAWERS[subject.thing]?.(stage, subject);
}

function drawRainbow(stage: Stage): void {
  const { canvas } = stage;
  stage.layer(0.05, () => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    const radius = Math.min(-stage.top * 0.92, 0.72);
    for (const [index, colour] of RAINBOW.entries()) {
      const outer = radius - index * 0.017;
      const points: number[] = [];
      for (let step = 0; step <= 48; step++) {
        const angle = Math.PI * step / 48;
        points.push(-Math.cos(angle) * outer * 1.15, -Math.sin(angle) * outer + 0.03);
      }
      for (let step = 48; step >= 0; step--) {
        const angle = Math.PI * step / 48;
        const inner = outer - 0.0175;
        points.push(-Math.cos(angle) * inner * 1.15, -Math.sin(angle) * inner + 0.03);
      }
      canvas.path.polygon(points);
      canvas.fill({ colour, alpha: 0.62, shines: true });
    }
  });
}

function drawAurora(stage: Stage, subject: Subject): void {
  const { canvas, moment, scene, top } = stage;
  const colours = subject.colour === undefined
    ? [0x2fe6a0, 0x54f0c0, 0x8a6cf0]
    : [subject.colour, shadeColour(subject.colour, 0.3), subject.colour];
  stage.layer(0.03, (view) => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    const width = view.right - view.left;
    const veils = 8;
    for (let curtain = 0; curtain < 3; curtain++) {
      const foot = top * (0.2 + 0.17 * curtain);
      for (let veil = 1; veil <= veils; veil++) {
        const hem: number[] = [];
        const crest: number[] = [];
        for (let step = 0; step <= 48; step++) {
          const x = view.left + width * step / 48;
          const wave = Math.sin(x * 3.1 + curtain * 2 + moment.seconds * 0.5) * 0.06 +
            Math.sin(x * 7.3 - moment.seconds * 0.35 + curtain) * 0.025;
          const tall = 0.22 + 0.26 * noiseAt(scene.seed + curtain, x * 9 + moment.seconds * 0.4);
          hem.push(x, foot + wave);
          crest.unshift(x, foot + wave + top * tall * (veil / veils) ** 1.6);
        }
        canvas.path.polygon([...hem, ...crest]);
        canvas.fill({ colour: colours[curtain]!, alpha: 0.145, shines: true });
      }
    }
  });
}

function drawComets(stage: Stage, subject: Subject): void {
  const { canvas, moment, scene, top, halfWidth } = stage;
  stage.layer(0.02, () => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    for (let comet = 0; comet < subject.count; comet++) {
      const cycle = (moment.seconds * 0.4 * subject.pace + randomAt(scene.seed, comet, 51) + 0.25) %
        1;
      const along = subject.direction === "left" ? -1 : 1;
      const x = along * (cycle * 2.4 - 1.2) * halfWidth;
      const y = top * (0.95 - 0.55 * cycle - 0.12 * (comet % 3));
      const reach = 0.28;
      const colour = subject.colour ?? 0xf4f8ff;
      for (const [share, alpha] of [[1, 0.25], [0.6, 0.35], [0.3, 0.5]] as const) {
        canvas.path.polygon([
          x,
          y - 0.006,
          x - along * reach * share,
          y - reach * share * 0.26 + 0.001,
          x,
          y + 0.006,
        ]);
        canvas.fill({ colour, alpha, shines: true });
      }
      canvas.glow(x, y, 0.05, { colour, alpha: 0.8 });
      canvas.path.ellipse(x, y, 0.009, 0.009);
      canvas.fill({ colour: 0xffffff, shines: true });
    }
  });
}

function drawFireworks(stage: Stage, subject: Subject): void {
  const { canvas, moment, scene, top, halfWidth } = stage;
  const colours = subject.colour === undefined
    ? [0xff5a4a, 0xffd25a, 0x6ad0ff, 0xd07aff, 0x7af08a]
    : [subject.colour, shadeColour(subject.colour, 0.35)];
  stage.layer(0.06, () => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    for (let burst = 0; burst < Math.max(6, subject.count); burst++) {
      const clock = moment.seconds * 0.55 + burst * 0.29;
      const round = Math.floor(clock);
      const age = clock - round;
      const key = burst * 17 + round * 131;
      const x = (randomAt(scene.seed, key, 61) * 1.7 - 0.85) * halfWidth;
      const y = top * (0.4 + 0.42 * randomAt(scene.seed, key, 62));
      const colour = colours[Math.floor(randomAt(scene.seed, key, 63) * colours.length)]!;
      const reach = 0.22 * (1 - (1 - age) ** 3);
      const fade = age < 0.7 ? 1 : (1 - age) / 0.3;
      canvas.glow(x, y, 0.3, { colour, alpha: 0.3 * fade * (1 - age) });
      for (let ray = 0; ray < 26; ray++) {
        const angle = ray / 26 * Math.PI * 2;
        const far = reach * (ray % 2 ? 1 : 0.66);
        const fall = age * age * 0.05;
        const px = x + Math.cos(angle) * far;
        const py = y + Math.sin(angle) * far + fall;
        canvas.path.limb([
          x + Math.cos(angle) * far * 0.6,
          y + Math.sin(angle) * far * 0.6 + fall * 0.5,
          0.001,
        ], [
          px,
          py,
          0.009,
        ]);
      }
      canvas.fill({ colour: mixColour(colour, 0xffffff, 0.2), alpha: fade, shines: true });
    }
  });
}

function drawPlanet(stage: Stage, subject: Subject): void {
  const { canvas, moment, scene, top, halfWidth } = stage;
  const isEarth = subject.thing === "earth";
  stage.layer(0.03, () => {
    canvas.light = { ambient: 0xffffff, haze: 0, depth: 0 };
    for (let planet = 0; planet < Math.min(4, subject.count); planet++) {
      const side = planet % 2 ? -1 : 1;
      const x = side * halfWidth * (0.42 + 0.1 * randomAt(scene.seed, planet, 71));
      const y = top * (0.6 - 0.16 * planet);
      const radius = 0.17 * subject.scale * (planet === 0 ? 1 : 0.45);
      const colour = subject.colour ??
        (isEarth ? 0x2f78d0 : [0xd8a868, 0xa8687a, 0x6fa8b8, 0xb8b088][planet]!);
      canvas.glow(x, y, radius * 1.5, { colour, alpha: 0.5 });
      canvas.path.ellipse(x, y, radius, radius);
      canvas.fill({
        colour: shadeColour(colour, 0.25),
        to: shadeColour(colour, -0.55),
        top: y - radius,
        bottom: y + radius,
        shines: true,
      });
      for (let band = 0; band < 4; band++) {
        const at = (band - 1.5) * 0.42;
        const half = Math.sqrt(1 - at * at) * radius * 0.9;
        const shift = isEarth ? Math.sin(moment.seconds * 0.3 + band * 2) * half * 0.4 : 0;
        canvas.path.ellipse(
          x + shift,
          y + at * radius,
          half * (isEarth ? 0.45 : 0.97),
          radius * 0.09,
        );
      }
      canvas.fill({
        colour: isEarth ? 0x58a858 : shadeColour(colour, -0.2),
        alpha: 0.6,
        shines: true,
      });
      if (isEarth || planet > 0) continue;
      for (const [outer, inner] of [[2.1, 1.85], [1.75, 1.4]] as const) {
        const points: number[] = [];
        for (let step = 0; step <= 40; step++) {
          const angle = -0.1 + (Math.PI + 0.2) * step / 40;
          points.push(
            x + Math.cos(angle) * radius * outer,
            y + Math.sin(angle) * radius * outer * 0.26,
          );
        }
        for (let step = 40; step >= 0; step--) {
          const angle = -0.1 + (Math.PI + 0.2) * step / 40;
          points.push(
            x + Math.cos(angle) * radius * inner,
            y + Math.sin(angle) * radius * inner * 0.26,
          );
        }
        canvas.path.polygon(points);
        canvas.fill({ colour: shadeColour(colour, 0.45), alpha: 0.85, shines: true });
      }
    }
  });
}
