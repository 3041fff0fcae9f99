import { UsageFault } from '../command.js';
import { helpOfCommand } from '../help.js';
import { parseArguments } from '../parse-arguments.js';
import { VERIFY } from './command.js';
import { misuseJson } from './misuse.js';
import { run } from './verify.js';

/** `verify.mjs`: the command alone, for a machine that has nothing of Annals. */
async function verify(words: readonly string[]): Promise<number> {
  try {
    const wanted = parseArguments([VERIFY.name, ...words], [VERIFY]);
    if (wanted.kind === 'run') return await run(wanted.args);
    process.stdout.write(helpOfCommand(VERIFY).replace('usage: annals verify', 'usage: node verify.mjs'));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error;
    const message = error.message.replaceAll('annals verify', 'node verify.mjs');
    process.stderr.write(`${message}\n`);
    if (words.includes('--json')) process.stdout.write(misuseJson(message));
    return 2;
  }
}

process.exitCode = await verify(process.argv.slice(2));
