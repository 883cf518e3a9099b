/**
 * Which key a command means: its id, or, for people, how its id or the key itself
 * begins. Then what was found is shown, and nothing is changed unless they agree.
 *
 * @module
 */

import { findKeys, type KeyRow, saysTooLittle } from "../../admin/accounts/keys.ts";
import type { AdminChannel } from "./admin_channel.ts";
import type { Cli } from "./cli.ts";
import { CommandFailure, EXIT_USAGE } from "./failure.ts";

/** The options of a command that changes a key. */
export interface NamedKeyOptions {
  readonly yes?: boolean;
}

const WHOLE_ID = /^key_[a-z2-7]{12}$/;
/** More of a key is not shown anywhere, and is not sent anywhere either. */
const VISIBLE_CHARACTERS = 12;

/**
 * The id of the key that is meant.
 *
 * @throws {CommandFailure} When several begin so, or nobody has agreed to the one that does.
 */
export async function nameKey(
  cli: Cli,
  admin: AdminChannel,
  { name, yes }: NamedKeyOptions & { readonly name: string },
): Promise<string> {
  const found = await findOne(admin, name);
  if (found === undefined) return name;
  cli.say(`'${name}' begins ${describe(found)}`);
  if (yes === true) return found.id;
  const { terminal } = cli;
  if (!terminal.canAsk) {
    throw new CommandFailure(
      `Nothing was changed, as nobody can be asked: name the key by its id, ${found.id}, or add --yes`,
      { exitCode: EXIT_USAGE },
    );
  }
  if (terminal.ask("Is this the key? [y/N] ")) return found.id;
  throw new CommandFailure("Nothing was changed");
}

/** The id of the key that is meant by a command that changes nothing. */
export async function nameKeyToRead(admin: AdminChannel, name: string): Promise<string> {
  return (await findOne(admin, name))?.id ?? name;
}

/** The only key that begins so; `undefined` when it is an id, or none is found: the operation says so. */
async function findOne(admin: AdminChannel, name: string): Promise<KeyRow | undefined> {
  const isVisible = name.length > 0 && name.length <= VISIBLE_CHARACTERS;
  if (WHOLE_ID.test(name) || !isVisible) return undefined;
  if (saysTooLittle(name)) {
    throw new CommandFailure(
      `'${name}' says too little of a key: name it by its id, or by more of how it begins, see ` +
        "`tollgate keys list`",
      { exitCode: EXIT_USAGE },
    );
  }
  const { keys, more } = await admin.call(findKeys, { begins: name });
  if (keys.length <= 1) return keys[0];
  throw new CommandFailure(
    `Several keys begin with '${name}'${more ? ", among them" : ""}:\n${
      keys.map((key) => `  ${describe(key)}`).join("\n")
    }\nName one by its id`,
    { exitCode: EXIT_USAGE },
  );
}

function describe({ id, project, name, prefix }: KeyRow): string {
  return `${id} (project ${project}, ${name === "" ? "no name" : `name '${name}'`}, ${prefix}…)`;
}
