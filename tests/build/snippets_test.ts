/**
 * What the documents have people type and write is what the program takes: every `tollgate` command
 * is held to the declarations of the command line, and every catalogue to the catalogue's schema. What
 * is marked as not run is listed as ignored, with why.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { readCatalogueText } from "../../src/catalog/read_file.ts";
import { allCommands, type ShownCommand } from "../../src/cli/completion/command_tree.ts";
import { programTree } from "../../build/release/man_page.ts";
import { readSnippets, tollgateCommands } from "../support/snippets.ts";

const snippets = readSnippets();
const tree = await programTree();
const ofShell = snippets.filter(({ language }) => language === "sh");

Deno.test("there are snippets, and every one has a language that is known here", () => {
  assert.ok(snippets.length > 100);
  const known = ["sh", "js", "python", "yaml", "json", "toml"];
  const odd = snippets.filter(({ language }) => !known.includes(language));
  assert.deepEqual(odd.map(({ where, language }) => `${where}: ${language}`), []);
});

for (const { where, text } of ofShell.filter(({ text }) => tollgateCommands(text).length > 0)) {
  Deno.test(`${where}: the commands exist and take their options`, () => {
    for (const words of tollgateCommands(text)) {
      assert.equal(faultOf(words), undefined, `tollgate ${words.join(" ")}`);
    }
  });
}

Deno.test("a command that does not exist is found", () => {
  assert.match(faultOf(["projects", "lst"])!, /no command/);
  assert.match(faultOf(["projects", "create", "a", "--dayly-budget", "5"])!, /no option/);
  assert.match(faultOf(["keys", "create", "shop"])!, /takes no/);
  assert.match(faultOf(["import", "lite-llm", "config.yaml"])!, /is none of/);
  assert.match(faultOf(["projects", "credit", "anna"])!, /wants amount/);
  assert.deepEqual(tollgateCommands("sudo tollgate keys list | jq .\necho tollgate x"), [
    ["keys", "list"],
  ]);
});

/** Why the command line does not take these words; `undefined` when it does. */
function faultOf(words: readonly string[]): string | undefined {
  let command = tree;
  let at = 0;
  for (; at < words.length; at++) {
    const next = command.commands.find(({ path }) => path.at(-1) === words[at]);
    if (next === undefined) break;
    command = next;
  }
  if (command === tree) command = allCommands(tree).find(({ path }) => path[0] === "serve")!;
  const rest = words.slice(at);
  // A group has no option of its own but the help.
  if (command.commands.length > 0 && command.options.length === 1) {
    return `there is no command ${rest[0]} in ${command.path.join(" ")}`;
  }
  return faultOfRest(command, rest);
}

function faultOfRest(command: ShownCommand, rest: readonly string[]): string | undefined {
  const given: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    if (!word.startsWith("-") || word === "-") {
      given.push(word);
      continue;
    }
    const [name, value] = word.split("=", 2);
    const option = command.options.find(({ long, short }) => long === name || short === name);
    if (option === undefined) return `${command.path.join(" ")} has no option ${name}`;
    if (option.value === undefined) continue;
    const taken = value ?? rest[++at];
    if (taken === undefined) return `${name} wants a value`;
    const { choices } = option.value;
    if (choices !== undefined && !choices.includes(taken)) {
      return `${taken} is none of ${choices.join(", ")}`;
    }
  }
  const isOpen = command.args.some(({ term }) => term.includes("..."));
  if (given.length > command.args.length && !isOpen) return `it takes no ${given.at(-1)}`;
  for (const [place, { term, choices, name }] of command.args.entries()) {
    const word = given[place];
    if (word === undefined) {
      if (term.startsWith("<")) return `it wants ${name}`;
    } else if (choices !== undefined && !choices.includes(word)) {
      return `${word} is none of ${choices.join(", ")}`;
    }
  }
  return undefined;
}

for (const { where, text } of snippets.filter(({ language }) => language === "json")) {
  Deno.test(`${where}: is JSON`, () => void JSON.parse(text));
}

/** Providers that a section's models are of stand in the section before. */
for (const { where, text } of snippets.filter(({ language }) => language === "yaml")) {
  const read = parse(text);
  if (read?.providers === undefined || read.models === undefined) {
    Deno.test(`${where}: is YAML`, () => assert.ok(read !== null && typeof read === "object"));
    continue;
  }
  Deno.test(`${where}: is a catalogue that applies`, () => {
    const result = readCatalogueText(text, { file: where });
    assert.deepEqual(result.ok ? [] : result.problems, []);
  });
}
