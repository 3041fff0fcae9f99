import type { Command } from './command.js';

const WIDTH = 20;

/** The list of commands. */
export const helpOf = (commands: readonly Command[]): string =>
  [
    'usage: annals <command> [options]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(WIDTH)}${summary}`),
    '',
    `  ${'--help'.padEnd(WIDTH)}this, or with a command its own help`,
    `  ${'--version'.padEnd(WIDTH)}the version of the program`,
    '',
  ].join('\n');

/** The help of one command. */
export const helpOfCommand = ({
  name,
  summary,
  operands = [],
  flags = {},
  options = {},
  details,
}: Command): string =>
  [
    [
      'usage: annals',
      name,
      ...operands.map((o) => (typeof o === 'string' ? o.toUpperCase() : o.join('|'))),
      ...Object.entries(options).map(
        ([option, { value, repeats }]) => `[${option} ${value}]${repeats === true ? '…' : ''}`,
      ),
      ...Object.keys(flags).map((f) => `[${f}]`),
    ].join(' '),
    '',
    `${summary[0]?.toUpperCase()}${summary.slice(1)}. ${details}`,
    ...Object.entries(options).map(
      ([option, { value, meaning }]) => `\n  ${`${option} ${value}`.padEnd(WIDTH)}${meaning}`,
    ),
    ...Object.entries(flags).map(([flag, meaning]) => `\n  ${flag.padEnd(WIDTH)}${meaning}`),
    '',
  ].join('\n');
