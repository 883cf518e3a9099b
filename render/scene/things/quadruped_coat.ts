/**
 * Tails and markings of four-legged animals.
 *
 * @module
 */
import { shadeColour } from "../canvas/colour.ts";
import { isMoving, type Pen } from "./pen.ts";
import type { Build, Joint } from "./quadruped_build.ts";

/** Draws the tail from its root. */
export function drawTail(pen: Pen, build: Build, root: Joint): void {
  const { canvas, colour } = pen;
  const pace = pen.motion === "run" ? 9 : 2.2;
  const wag = isMoving(pen) ? Math.sin(pen.seconds * pace) * 0.16 : 0;
  const streams = pen.motion === "run" || pen.motion === "jump" ? 0.45 : 0;
  canvas.within({ ...root, turn: wag - 0 + streams * 0.6 }, () => {
    switch (build.tail) {
      case "bushy":
        canvas.path.smooth([
          0.03,
          -0.03,
          -0.16,
          -0.03,
          -0.36,
          0.05,
          -0.52,
          0.03,
          -0.62,
          -0.02,
          -0.56,
          0.13,
          -0.36,
          0.21,
          -0.14,
          0.14,
          0.03,
          0.06,
        ]);
        canvas.fill({
          colour: shadeColour(colour, 0.06),
          to: shadeColour(colour, -0.32),
          top: -0.05,
          bottom: 0.2,
        });
        canvas.path.smooth([
          -0.46,
          0.045,
          -0.56,
          0.02,
          -0.64,
          -0.03,
          -0.57,
          0.12,
          -0.44,
          0.18,
          -0.48,
          0.11,
        ]);
        canvas.fill(build.belly ?? shadeColour(colour, -0.2));
        return;
      case "horse":
        canvas.path.smooth([
          0.03,
          -0.02,
          -0.09,
          0.0,
          -0.15,
          0.14,
          -0.17,
          0.34,
          -0.1,
          0.4,
          -0.06,
          0.22,
          0.0,
          0.1,
        ]);
        canvas.fill(build.mane ?? shadeColour(colour, -0.5));
        return;
      case "short":
        canvas.path.ellipse(-0.03, -0.01, 0.075, 0.06);
        canvas.fill(build.belly ?? shadeColour(colour, 0.05));
        return;
      case "curl":
        for (let part = 0; part < 9; part++) {
          const angle = part * 0.75;
          canvas.path.ellipse(
            -0.05 + Math.cos(angle) * 0.05,
            -0.02 + Math.sin(angle) * 0.05,
            0.02,
            0.02,
          );
        }
        canvas.fill(shadeColour(colour, -0.1));
        return;
      case "raised":
      case "thin":
      case "tuft": {
        const up = build.tail === "raised" ? -1 : 0.75;
        const thick = build.tail === "raised" ? 1 : 0.5;
        let [x, y] = [0, 0];
        for (let part = 1; part <= 8; part++) {
          const share = part / 8;
          const nextX = -0.4 * Math.sin(share * 1.5);
          const nextY = up * 0.42 * share * share + wag * share * 0.3;
          canvas.path.limb([x, y, (0.075 - 0.03 * share) * thick], [
            nextX,
            nextY,
            (0.072 - 0.032 * share) * thick,
          ]);
          [x, y] = [nextX, nextY];
        }
        canvas.fill(shadeColour(colour, -0.08));
        if (build.tail === "tuft") {
          canvas.path.ellipse(x - 0.02, y + 0.03, 0.05, 0.07);
          canvas.fill(shadeColour(build.mane ?? colour, -0.3));
        }
      }
    }
  });
}

/** Draws stripes, spots, patches or wool over the body. */
export function drawMarkings(pen: Pen, build: Build): void {
  const { canvas, colour } = pen;
  const half = build.body / 2;
  const back = -build.leg - build.girth;
  switch (build.marks) {
    case "stripes":
      for (let stripe = 0; stripe < 9; stripe++) {
        const x = -half * 0.86 + stripe * half * 0.205;
        const reach = build.girth * (stripe % 2 ? 0.62 : 0.82);
        const top = back + build.girth * 0.07;
        canvas.path.polygon([
          x - 0.026,
          top,
          x + 0.026,
          top,
          x + 0.022,
          top + reach * 0.5,
          x - 0.012,
          top + reach,
        ]);
      }
      canvas.fill(0x26221f);
      return;
    case "spots":
      for (let spot = 0; spot < 16; spot++) {
        const x = -half * 0.82 + (spot % 6) * half * 0.3 + (spot > 5 ? 0.03 : 0);
        const y = back + build.girth * (0.2 + 0.24 * Math.floor(spot / 6));
        canvas.path.polygon([
          x - 0.03,
          y,
          x,
          y - 0.028,
          x + 0.034,
          y - 0.01,
          x + 0.02,
          y + 0.03,
          x - 0.02,
          y + 0.026,
        ]);
      }
      for (let spot = 0; spot < 4; spot++) {
        canvas.path.ellipse(
          half * 0.86 + spot * 0.02,
          back - build.neck * (0.05 + spot * 0.18),
          0.024,
          0.03,
        );
      }
      canvas.fill(0x9a5f28);
      return;
    case "patches":
      canvas.path.smooth([
        -half * 0.7,
        back + 0.01,
        -half * 0.2,
        back + 0.04,
        -half * 0.3,
        back + build.girth * 0.6,
        -half * 0.65,
        back + build.girth * 0.5,
      ]);
      canvas.path.smooth([
        half * 0.15,
        back + build.girth * 0.3,
        half * 0.6,
        back + 0.03,
        half * 0.75,
        back + build.girth * 0.55,
        half * 0.3,
        back + build.girth * 0.75,
      ]);
      canvas.fill(0x33292a);
      return;
    case "wool":
      for (let puff = 0; puff < 16; puff++) {
        const angle = puff / 16 * Math.PI * 2;
        canvas.path.ellipse(
          Math.cos(angle) * half * 0.92,
          back + build.girth * 0.5 + Math.sin(angle) * build.girth * 0.48,
          0.105,
          0.1,
        );
      }
      canvas.path.ellipse(0, back + build.girth * 0.5, half, build.girth * 0.5);
      canvas.fill({
        colour: shadeColour(colour, 0.1),
        to: shadeColour(colour, -0.25),
        top: back,
        bottom: -build.leg,
      });
      return;
    case "panda":
      canvas.path.smooth([
        half * 0.3,
        back - 0.01,
        half * 0.95,
        back + 0.03,
        half,
        -build.leg,
        half * 0.4,
        -build.leg,
      ]);
      canvas.fill(0x2a2a2e);
      return;
    case "hump":
      canvas.path.smooth([
        -half * 0.55,
        back + 0.08,
        -half * 0.15,
        back - 0.17,
        half * 0.1,
        back - 0.16,
        half * 0.45,
        back + 0.08,
      ]);
      canvas.fill({
        colour: shadeColour(colour, 0.16),
        to: colour,
        top: back - 0.15,
        bottom: back + 0.1,
      });
      return;
    case undefined:
  }
}
