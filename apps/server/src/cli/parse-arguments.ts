import { type Command, type CommandArgs, UsageFault } from './command.js';

export type Wanted =
  | { readonly kind: 'help'; readonly command: Command | null }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly command: Command; readonly args: CommandArgs };

/** What a command line asks for. @throws UsageFault */
export function parseArguments(words: readonly string[], commands: readonly Command[]): Wanted {
  const [first, ...rest] = words;
  if (first === undefined) throw new UsageFault('name a command; `annals --help` lists them');
  if (first === '--version') return { kind: 'version' };
  const isHelp = first === 'help' || isHelpFlag(first);
  if (isHelp) return { kind: 'help', command: rest[0] === undefined ? null : find(rest[0], commands) };
  const command = find(first, commands);
  if (rest.some(isHelpFlag)) return { kind: 'help', command };
  return { kind: 'run', command, args: argsOf(command, rest) };
}

const isHelpFlag = (word: string): boolean => word === '--help' || word === '-h';

function find(name: string, commands: readonly Command[]): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const what = name.startsWith('-') ? 'option' : 'command';
  throw new UsageFault(`unknown ${what} ${quoted(name)}; \`annals --help\` lists what there is`);
}

function argsOf({ name, operands = [], flags = {} }: Command, words: readonly string[]): CommandArgs {
  const see = `\`annals ${name} --help\``;
  const given = words.filter((word) => !word.startsWith('-'));
  for (const word of words)
    if (word.startsWith('-') && !Object.hasOwn(flags, word))
      throw new UsageFault(`${name}: unknown option ${quoted(word)}; see ${see}`);
  for (const [index, choices] of operands.entries()) {
    const word = given[index];
    if (word === undefined) throw new UsageFault(`${name}: say ${choices.join(' or ')}; see ${see}`);
    if (!choices.includes(word))
      throw new UsageFault(`${name}: ${quoted(word)} is not ${choices.join(' or ')}; see ${see}`);
  }
  const extra = given[operands.length];
  if (extra !== undefined) throw new UsageFault(`${name}: unexpected ${quoted(extra)}; see ${see}`);
  return { operands: given, flags: new Set(words.filter((word) => word.startsWith('-'))) };
}

const quoted = (word: string): string => JSON.stringify(word.slice(0, 100));
