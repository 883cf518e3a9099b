import assert from "node:assert/strict";
import type { Route } from "../../../src/domain/catalogue.ts";
import {
  isLineClosed,
  lineState,
  type LineStateDeps,
} from "../../../src/videos/work/line_state.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { route } from "../../support/catalogue_parts.ts";

const LINE = { route: "acme/film", provider: "acme", hasJob: false };

function depsOf(changes: Partial<Route> | undefined, coolingUntil: (project?: string) => number) {
  const here = changes && route({ id: LINE.route, providerId: LINE.provider, ...changes });
  return {
    catalogue: { current: { route: () => here } },
    registry: { provider: () => ({ videos: {} }) },
    health: { coolingUntil: (_route: string, project?: string) => coolingUntil(project) },
    clock: new FakeClock(),
  } as unknown as LineStateDeps;
}

for (
  const [name, changes, isClosed] of [
    ["open", {}, false],
    ["switched off", { enabled: false }, true],
    ["in maintenance", { maintenance: true }, true],
    ["gone", undefined, true],
    ["another provider's", { providerId: "zeta" }, true],
  ] as const
) {
  Deno.test(`isLineClosed() says of a route that is ${name}, asking for nobody, ${isClosed}`, () => {
    const deps = depsOf(changes, () => assert.fail("no project was named"));
    assert.equal(isLineClosed(deps, LINE), isClosed);
    assert.equal(isLineClosed(deps, { ...LINE, hasJob: true }), false, "a job goes on");
  });
}

Deno.test("lineState() tells a route that is shut for one project alone", () => {
  const deps = depsOf({}, (project) => project === "unlucky" ? 5_000_000 : 0);
  assert.equal(lineState(deps, { ...LINE, projectId: "unlucky" }), 5_000_000);
  assert.equal(lineState(deps, { ...LINE, projectId: "unlucky", hasJob: true }), "open");
  assert.equal(lineState(deps, { ...LINE, projectId: "other" }), "open");
});
