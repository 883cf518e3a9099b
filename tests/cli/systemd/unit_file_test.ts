import assert from "node:assert/strict";
import { UnitFile } from "../../../src/cli/systemd/unit_file.ts";
import { UNIT_MARK } from "../../../src/cli/systemd/unit_text.ts";

const TEXT = `${UNIT_MARK}\n[Service]\n`;

async function withRoot(test: (root: string, units: string) => Promise<void> | void) {
  const root = await Deno.makeTempDir({ prefix: "tollgate-root-" });
  try {
    const units = `${root}/etc/systemd/system`;
    await Deno.mkdir(units, { recursive: true });
    await test(root, units);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("write() says whether there was a unit and another one, and leaves no part behind", () =>
  withRoot(async (root, units) => {
    const unit = new UnitFile(root);
    assert.equal(unit.write(TEXT), "new");
    assert.equal(unit.write(TEXT), "unchanged");
    assert.equal(unit.write(`${TEXT}#\n`), "changed");
    assert.equal(await Deno.readTextFile(`${units}/tollgate.service`), `${TEXT}#\n`);
    assert.equal((await Deno.stat(unit.path)).mode! & 0o777, 0o644);
    assert.deepEqual([...Deno.readDirSync(units)].map(({ name }) => name), ["tollgate.service"]);
  }));

Deno.test("write() and remove() leave a unit alone that somebody else wrote", () =>
  withRoot(async (root, units) => {
    await Deno.writeTextFile(`${units}/tollgate.service`, "[Service]\nExecStart=/opt/mine\n");
    const unit = new UnitFile(root);
    assert.throws(() => unit.write(TEXT), /tollgate has not written this unit/);
    assert.throws(() => unit.remove(), /tollgate has not written this unit/);
    assert.match(await Deno.readTextFile(unit.path), /opt\/mine/);
  }));

Deno.test("write() says that there is no systemd where its folder is missing", () =>
  withRoot(async (root, units) => {
    await Deno.remove(units);
    const expected = /there is no folder .*so no systemd here/;
    assert.throws(() => new UnitFile(root).check(), expected);
    assert.throws(() => new UnitFile(root).write(TEXT), expected);
  }));

Deno.test("remove() removes the unit and what starts it with the machine, and nothing else", () =>
  withRoot(async (root, units) => {
    const unit = new UnitFile(root);
    unit.write(TEXT);
    await Deno.mkdir(`${units}/multi-user.target.wants`);
    await Deno.mkdir(`${units}/tollgate.service.d`);
    await Deno.symlink(
      "/etc/systemd/system/tollgate.service",
      `${units}/multi-user.target.wants/tollgate.service`,
    );
    assert.equal(unit.isEnabled, true);
    assert.equal(unit.remove(), true);
    assert.equal(unit.isEnabled, false);
    assert.equal(unit.remove(), false);
    assert.deepEqual(
      [...Deno.readDirSync(units)].map(({ name }) => name).sort(),
      ["multi-user.target.wants", "tollgate.service.d"],
    );
  }));
