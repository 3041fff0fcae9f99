import { createReadStream } from 'node:fs';
import { FileVerifier, MAX_INPUT_BYTES, type Verdict, concat, jsonOf, textOf, unusable } from '#proof';
import type { CommandArgs } from '../command.js';

const PIECE_BYTES = 1024 * 1024;

/** `annals verify`: says how far a file can be believed. */
export async function run(args: CommandArgs): Promise<number> {
  const verdict = await verdictOf(args);
  process.stdout.write(args.flags.has('--json') ? jsonOf(verdict) : textOf(verdict));
  return verdict.exit;
}

/** Whatever the files are, there is a verdict. */
async function verdictOf({ operands: [file = ''], values, lists, flags }: CommandArgs): Promise<Verdict> {
  const policyFile = values.get('--policy');
  const policy = policyFile === undefined ? undefined : await smallFile(policyFile);
  if (policy === null) return unusable('policy', 'the policy cannot be read');
  const receipts: Uint8Array[] = [];
  for (const name of lists.get('--receipt') ?? []) {
    const receipt = await smallFile(name);
    if (receipt === null) return unusable('receipts', `receipt file ${receipts.length + 1} cannot be read`);
    receipts.push(receipt);
  }
  const asOf = values.get('--as-of');
  try {
    const verifier = new FileVerifier({ policy, receipts, asOf, isStrict: flags.has('--strict') });
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES }))
      if (!verifier.push(piece as Uint8Array)) break;
    return verifier.end();
  } catch (error) {
    return unusable(
      'form',
      `the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'it is no use'}`,
    );
  }
}

/** One byte more than may be used, so that a longer one shows; null: it cannot be read. */
async function smallFile(name: string): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of createReadStream(name, { end: MAX_INPUT_BYTES }))
      pieces.push(piece as Uint8Array);
  } catch {
    return null;
  }
  return concat(...pieces);
}
