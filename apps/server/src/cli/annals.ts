import { enableCompileCache } from 'node:module';
import { programVersion } from '../version.js';
import { UsageFault } from './command.js';
import { COMMANDS } from './commands.js';
import { helpOf, helpOfCommand } from './help.js';
import { parseArguments } from './parse-arguments.js';
import { refusalText } from './refusal.js';
import { VERIFY } from './verify/command.js';

const FAILED = 1;
const MISUSED = 2;

/** The exit code; null: the process goes on, and ends by itself. */
async function annals(words: readonly string[]): Promise<number | null> {
  const wanted = parseArguments(words, COMMANDS);
  switch (wanted.kind) {
    case 'version':
      process.stdout.write(`annals ${programVersion()}\n`);
      return 0;
    case 'help':
      process.stdout.write(wanted.command === null ? helpOf(COMMANDS) : helpOfCommand(wanted.command));
      return 0;
    case 'run':
      if (wanted.command.isWithoutSettings !== true) await readEnvironment();
      return (await wanted.command.load()).run(wanted.args);
  }
}

/** Loaded when it is wanted: `--help` asks for no settings. */
async function readEnvironment(): Promise<void> {
  const { readEnvFile } = await import('#platform');
  readEnvFile();
}

async function refuse(words: readonly string[], error: unknown): Promise<number> {
  if (!(error instanceof UsageFault)) {
    process.stderr.write(refusalText(error));
    return FAILED;
  }
  process.stderr.write(`annals: ${error.message}\n`);
  if (words[0] === VERIFY.name && words.includes('--json')) {
    const { misuseJson } = await import('./verify/misuse.js');
    process.stdout.write(misuseJson(error.message));
  }
  return MISUSED;
}

enableCompileCache();
const words = process.argv.slice(2);
const code = await annals(words).catch((error: unknown) => refuse(words, error));
if (code !== null) process.exitCode = code;
