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
  if (first === 'help' || isHelpFlag(first))
    return { kind: 'help', command: rest[0] === undefined ? null : find(rest, commands).command };
  const isHelp = rest.some(isHelpFlag);
  if (isHelp && groupOf(first, commands).length > 0 && rest.length === 1)
    return { kind: 'help', command: null };
  const { command, behind } = find(words, commands);
  return isHelp ? { kind: 'help', command } : { kind: 'run', command, args: argsOf(command, behind) };
}

const isHelpFlag = (word: string): boolean => word === '--help' || word === '-h';

/** What belongs together under one word: `create`, `list` and `revoke` under `keys`. */
const groupOf = (word: string, commands: readonly Command[]): readonly string[] =>
  commands.filter(({ name }) => name.startsWith(`${word} `)).map(({ name }) => name.slice(word.length + 1));

interface Found {
  readonly command: Command;
  /** The words behind its name. */
  readonly behind: readonly string[];
}

function find(words: readonly string[], commands: readonly Command[]): Found {
  for (const command of commands) {
    const name = command.name.split(' ');
    if (name.every((part, at) => words[at] === part)) return { command, behind: words.slice(name.length) };
  }
  const [first = ''] = words;
  const group = groupOf(first, commands);
  if (group.length > 0) throw new UsageFault(`${first}: say ${group.join(' or ')}; see \`annals --help\``);
  const what = first.startsWith('-') ? 'option' : 'command';
  throw new UsageFault(`unknown ${what} ${quoted(first)}; \`annals --help\` lists what there is`);
}

function argsOf(
  { name, operands = [], flags = {}, options = {} }: Command,
  words: readonly string[],
): CommandArgs {
  const see = `see \`annals ${name} --help\``;
  const given: string[] = [];
  const set = new Set<string>();
  const values = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith('-')) given.push(word);
    else if (Object.hasOwn(flags, word)) set.add(word);
    else if (Object.hasOwn(options, word)) {
      const value = valueOf(word, words[++at], name, see);
      if (options[word]?.repeats === true) lists.set(word, [...(lists.get(word) ?? []), value]);
      else values.set(word, value);
    } else throw new UsageFault(`${name}: unknown option ${quoted(word)}; ${see}`);
  }
  for (const [at, operand] of operands.entries()) checkOperand(operand, given[at], name, see);
  const extra = given[operands.length];
  if (extra !== undefined) throw new UsageFault(`${name}: unexpected ${quoted(extra)}; ${see}`);
  return { operands: given, flags: set, values, lists };
}

function valueOf(option: string, word: string | undefined, name: string, see: string): string {
  if (word !== undefined && !word.startsWith('-')) return word;
  throw new UsageFault(`${name}: ${option} needs a value; ${see}`);
}

function checkOperand(
  operand: readonly string[] | string,
  word: string | undefined,
  name: string,
  see: string,
): void {
  const choices = typeof operand === 'string' ? operand : operand.join(' or ');
  if (word === undefined) throw new UsageFault(`${name}: say ${choices}; ${see}`);
  if (typeof operand !== 'string' && !operand.includes(word))
    throw new UsageFault(`${name}: ${quoted(word)} is not ${choices}; ${see}`);
}

const quoted = (word: string): string => JSON.stringify(word.slice(0, 100));
