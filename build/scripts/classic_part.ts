/**
 * Turns a file of the bundler's (a module) into a part of a classic script, which is a function. The
 * engine keeps compiled code of scripts only for those that a program compiles by itself.
 *
 * A part keeps its lines, so that the bundler's source maps fit it still.
 *
 * @module
 */

/** What a part is given; no bundle has this name. */
const GIVEN = "$part";

/** An import as the bundler writes it: at the start of a line, ended by `;`. */
const IMPORT = /^import (?:([^;"]+?) from )?"([^"\n]+)";$/gm;
const EXPORTS = /^export \{([^}]*)\};?$/gm;
const ON_DEMAND = /(?<![\w$.])import\("([^"\n]+)"\)/g;

/**
 * The text of a function that takes the place of the module: what it imports it asks for, and what
 * the module exports it returns.
 *
 * @param isEntry It may wait for something before it is done, as no other part may.
 * @throws {Error} when the module has what a part cannot do.
 */
export function classicPart(name: string, module: string, isEntry = false): string {
  if (module.includes(GIVEN)) throw new Error(`Cannot make a part of ${name}: it has ${GIVEN}`);
  const given: string[] = [];
  const text = module
    .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, "")
    .replaceAll(IMPORT, (_, names: string | undefined, from: string) => bind(names, from))
    .replaceAll(EXPORTS, (whole, names: string) => {
      given.push(names);
      return "\n".repeat(whole.split("\n").length - 1);
    })
    .replaceAll(ON_DEMAND, (_, from: string) => `${GIVEN}.load(${quoted(from)})`)
    .replaceAll("import.meta", `${GIVEN}.meta`);
  const left = /^(?:import|export)\b.*$/m.exec(text)?.[0];
  if (left !== undefined) throw new Error(`Cannot make a part of ${name}: it has ${left}`);
  const exported = given.flatMap(readNames);
  for (const { inside } of exported) refuseChange(name, inside, text);
  const members = exported.map(({ inside, outside }) =>
    inside === outside ? inside : `${outside}: ${inside}`
  );
  return `${isEntry ? "async " : ""}function (${GIVEN}) { "use strict";\n${text}\n` +
    `return { ${members.join(", ")} };\n}`;
}

/**
 * The text of a script of such parts: a function that is given the timers, and gives the parts by name.
 *
 * It has ASCII alone: the engine keeps any other text at two bytes a letter.
 */
export function classicScript(parts: readonly (readonly [name: string, part: string])[]): string {
  const members = parts.map(([name, part]) => `${JSON.stringify(name)}: ${part}`);
  const text = "(function ({ setTimeout, setInterval, clearTimeout, clearInterval }) { return {\n" +
    `${members.join(",\n")}\n}; })\n`;
  return text.replaceAll(
    // deno-lint-ignore no-control-regex -- all that is not ASCII
    /[^\x00-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The statement in place of an import, of as many lines. */
function bind(names: string | undefined, from: string): string {
  const asked = `${GIVEN}.use(${quoted(from)})`;
  if (names === undefined) return `${asked};`;
  const all = /^\* as ([\w$]+)$/.exec(names);
  if (all !== null) return `const ${all[1]} = ${asked};`;
  const [, one, some] = /^([\w$]+)?(?:, )?(\{[^}]*\})?$/.exec(names) ?? [];
  if (one === undefined && some === undefined) throw new Error(`Cannot read the import ${names}`);
  const bound = [
    // What is imported by default of the runtime's own modules is the module.
    ...one === undefined ? [] : [one],
    ...some === undefined ? [] : [some.replaceAll(/([\w$]+) as ([\w$]+)/g, "$1: $2")],
  ];
  return bound.map((pattern) => `const ${pattern} = ${asked};`).join(" ");
}

function quoted(from: string): string {
  return JSON.stringify(from.replace(/^\.\//, ""));
}

function readNames(names: string): { readonly inside: string; readonly outside: string }[] {
  return names.split(",").map((one) => one.trim()).filter((one) => one !== "").map((one) => {
    const [inside = one, outside = inside] = one.split(" as ");
    return { inside, outside };
  });
}

/**
 * Others have what a part exports as it is when the part is done: a module's exports follow what
 * becomes of a variable, a part's do not.
 */
function refuseChange(part: string, name: string, text: string): void {
  const word = name.replaceAll("$", "\\$");
  const operator = "(?:[-+*/%&|^]|<<|>>>?|\\*\\*|&&|\\|\\||\\?\\?)?=(?![=>])";
  const changes = text.match(
    new RegExp(
      `(?<![\\w$.#]|--)${word}(?:\\s*(?:${operator})|\\+\\+|--)|\\+\\+${word}(?![\\w$])`,
      "g",
    ),
  );
  if (changes !== null && changes.length > 1) {
    throw new Error(`Cannot make a part of ${part}: ${name}, which it exports, is set again`);
  }
}
