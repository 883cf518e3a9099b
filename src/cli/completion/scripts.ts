/**
 * The completion script of each shell. All of them walk the words from the first on for as long as
 * they name a command (options stand behind it), and offer what that command takes.
 *
 * @module
 */

import { allCommands, type ShownCommand, type ShownOption } from "./command_tree.ts";

/** The shells that have a script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of them. */
export type Shell = typeof SHELLS[number];

/** The script of a shell for a whole program. */
export function completionScript(shell: Shell, tree: ShownCommand): string {
  return SCRIPTS[shell](tree);
}

const SCRIPTS: Readonly<Record<Shell, (tree: ShownCommand) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** A command as the scripts name it: `/projects/create`, and nothing for the program itself. */
function placeOf({ path }: ShownCommand): string {
  return path.map((word) => `/${word}`).join("");
}

/** What may stand behind `tollgate` is also what `serve` takes, which it is without a command. */
function offered(tree: ShownCommand): readonly ShownCommand[] {
  const serve = tree.commands.find(({ path }) => path.join(" ") === "serve");
  return allCommands(tree).map((one) =>
    one.path.length > 0 ? one : { ...one, options: serve?.options ?? one.options }
  );
}

function flags({ short, long }: ShownOption): readonly string[] {
  return short === undefined ? [long] : [short, long];
}

function argumentChoices({ args }: ShownCommand): readonly string[] {
  return args.flatMap(({ choices }) => choices ?? []);
}

/** Single quotes of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function bashScript(tree: ShownCommand): string {
  const commands = offered(tree);
  const places = commands.map(placeOf).filter((place) => place !== "");
  const values = commands.flatMap((command) =>
    command.options.filter(({ value }) => value !== undefined).map((option) => {
      const patterns = flags(option).map((flag) => quoted(`${placeOf(command)} ${flag}`)).join("|");
      const { choices, isPath } = option.value!;
      const words = choices === undefined
        ? isPath ? `compgen -f -- "$word"` : ":"
        : `compgen -W ${quoted(choices.join(" "))} -- "$word"`;
      return `    ${patterns}) mapfile -t COMPREPLY < <(${words}); return ;;`;
    })
  );
  const words = commands.map((command) => {
    const all = [
      ...command.commands.map(({ path }) => path.at(-1)!),
      ...argumentChoices(command),
      ...command.options.map(({ long }) => long),
    ];
    return `    ${quoted(placeOf(command))}) words=${quoted(all.join(" "))} ;;`;
  });
  return `# bash completion for tollgate, made by: tollgate completion bash
_tollgate() {
  local word=\${COMP_WORDS[COMP_CWORD]} at='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${places.join("|")}) at="$at/\${COMP_WORDS[i]}" ;;
      *) break ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join("\n")}
  esac
  case "$at" in
${words.join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _tollgate tollgate
`;
}

function zshScript(tree: ShownCommand): string {
  const commands = offered(tree);
  const places = commands.map(placeOf).filter((place) => place !== "");
  const described = (name: string, text: string) =>
    quoted(`${name.replaceAll(":", "\\:")}:${oneLine(text)}`);
  const values = commands.flatMap((command) =>
    command.options.filter(({ value }) => value !== undefined).map((option) => {
      const patterns = flags(option).map((flag) => quoted(`${placeOf(command)} ${flag}`)).join("|");
      const { name, choices, isPath } = option.value!;
      const offer = choices === undefined
        ? isPath ? "_files" : `_message ${quoted(name)}`
        : `compadd -- ${choices.map(quoted).join(" ")}`;
      return `    (${patterns}) ${offer}; return ;;`;
    })
  );
  const lists = commands.map((command) => {
    const inner = [
      ...command.commands.map(({ path, summary }) => described(path.at(-1)!, summary)),
      ...argumentChoices(command).map((choice) => described(choice, "")),
    ];
    const options = command.options.map(({ long, description }) => described(long, description));
    const takesFile = command.args.some(({ isPath }) => isPath) ? " files=yes" : "";
    return `    (${quoted(placeOf(command))})${takesFile}
      inner=(${inner.join(" ")})
      options=(${options.join(" ")}) ;;`;
  });
  return `#compdef tollgate
# zsh completion for tollgate, made by: tollgate completion zsh
_tollgate() {
  local at='' files='' i
  local -a inner options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/$words[i]" in
      (${places.join("|")}) at="$at/$words[i]" ;;
      (*) break ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${values.join("\n")}
  esac
  case "$at" in
${lists.join("\n")}
  esac
  if (( $#inner )); then _describe -t commands command inner; fi
  if [[ -n $files ]]; then _files; fi
  if [[ $words[CURRENT] == -* || $#inner -eq 0 ]]; then _describe -t options option options; fi
}
if [[ $funcstack[1] == _tollgate ]]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`;
}

function fishScript(tree: ShownCommand): string {
  const commands = offered(tree);
  const places = commands.map(placeOf).filter((place) => place !== "");
  const fishQuoted = (text: string) =>
    `'${oneLine(text).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap((command) => {
    const place = placeOf(command);
    const start = `complete -c tollgate -n ${fishQuoted(`__tollgate_at '${place}'`)}`;
    const takesFile = command.args.some(({ isPath }) => isPath);
    return [
      ...command.commands.map(({ path, summary }) =>
        `${start} -a ${path.at(-1)} -d ${fishQuoted(summary)}`
      ),
      ...argumentChoices(command).map((choice) => `${start} -a ${fishQuoted(choice)}`),
      ...(takesFile ? [`${start} -F`] : []),
      ...command.options.map(({ long, short, description, value }) => {
        const letters = short === undefined ? "" : ` -s ${short.slice(1)}`;
        const taken = value === undefined
          ? ""
          : value.choices === undefined
          ? value.isPath ? " -r -F" : " -x"
          : ` -x -a ${fishQuoted(value.choices.join(" "))}`;
        return `${start} -l ${long.slice(2)}${letters}${taken} -d ${fishQuoted(description)}`;
      }),
    ];
  });
  return `# fish completion for tollgate, made by: tollgate completion fish
function __tollgate_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch "$at/$word"
            case ${places.join(" ")}
                set at "$at/$word"
            case '*'
                break
        end
    end
    test "$at" = "$argv[1]"
end
complete -c tollgate -f
${lines.join("\n")}
`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
